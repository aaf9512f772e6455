/** A machine as a Mermaid `stateDiagram-v2`. */
import { ALWAYS, ANYWHERE, isChoice, statesOf, transitionsOf, pathOf } from './machine-chart.mjs'

/**
 * @typedef {import('./machine-chart.mjs').Machine} Machine
 * @typedef {import('./machine-chart.mjs').Node} Node
 * @typedef {import('./machine-chart.mjs').Way} Way
 * @typedef {{ id: string, ways: Way[] }} Choice ways that several transitions have in common, drawn once
 */

const LEAST_WAYS = 3

/** @param {readonly Way[]} ways */
const signature = (ways) => ways.map(({ guard, targets }) => `${guard} ${targets.join()}`).join(';')

/**
 * Ways that more than one transition has in common.
 * @param {readonly { ways: Way[] }[]} transitions
 * @returns {Choice[]}
 */
export function choicesOf(transitions) {
  /** @type {Map<string, { count: number, ways: Way[] }>} */
  const seen = new Map()
  for (const { ways } of transitions) {
    const known = seen.get(signature(ways))
    seen.set(signature(ways), { count: (known?.count ?? 0) + 1, ways })
  }
  const shared = [...seen.values()].filter(({ count, ways }) => count > 1 && ways.length >= LEAST_WAYS)
  return shared.map(({ ways }, index) => ({ id: `choice${index + 1}`, ways }))
}

/**
 * Splits a transition's ways into those of its own and the choice that the others are.
 * @param {Way[]} ways
 * @param {readonly Choice[]} choices
 */
export function splitWays(ways, choices) {
  const choice = choices.find((one) => signature(ways.slice(-one.ways.length)) === signature(one.ways))
  return { own: choice ? ways.slice(0, -choice.ways.length) : ways, choice: choice?.id ?? null }
}

/** @param {string} path */
const idOf = (path) => (path === ANYWHERE ? 'anywhere' : path.replaceAll('.', '_'))

/** `a, b [guard], c`. @param {readonly { event: string, guard: string }[]} ways */
function labelOf(ways) {
  const guards = [...new Set(ways.map(({ guard }) => guard))]
  const parts = guards.map((guard) => {
    const events = [...new Set(ways.filter((way) => way.guard === guard).map(({ event }) => event))]
      .filter(Boolean)
      .join(', ')
    return [events, guard && `[${guard}]`].filter(Boolean).join(' ')
  })
  return parts.filter(Boolean).join(', ')
}

/** @param {Node} node @param {string} indent @returns {string[]} */
function drawState(node, indent) {
  const children = Object.values(node.states)
  if (isChoice(node)) return [`${indent}state ${idOf(pathOf(node))} <<choice>>`]
  const name = `state "${node.key}" as ${idOf(pathOf(node))}`
  if (children.length === 0) return [`${indent}${name}`]
  const separator = node.type === 'parallel' ? [`${indent}  --`] : []
  const start = node.type === 'parallel' ? [] : initialsOf(node, `${indent}  `)
  const inner = children.flatMap((child, index) => [
    ...(index > 0 ? separator : []),
    ...drawState(child, `${indent}  `),
  ])
  return [`${indent}${name} {`, ...start, ...inner, `${indent}}`]
}

/** @param {Node} node @param {string} indent */
const initialsOf = (node, indent) =>
  node.initial.target.map((target) => `${indent}[*] --> ${idOf(pathOf(target))}`)

/**
 * Ways from `from`, those to the same state in one line.
 * @param {string} from
 * @param {readonly { event: string, way: Way }[]} ways
 */
function drawWays(from, ways) {
  const targets = [...new Set(ways.flatMap(({ way }) => way.targets))]
  return targets.map((target) => {
    const text = labelOf(
      ways
        .filter(({ way }) => way.targets.includes(target))
        .map(({ event, way }) => ({ event, guard: way.guard })),
    )
    return `  ${idOf(from)} --> ${idOf(target)}${text && `: ${text}`}`
  })
}

/** @param {Machine} machine */
export function diagramOf(machine) {
  const transitions = transitionsOf(machine)
  const choices = choicesOf(transitions)
  const sources = [...new Set(transitions.map(({ source }) => source))]
  const edges = sources.flatMap((source) => {
    const mine = transitions
      .filter((one) => one.source === source)
      .map((one) => ({ event: one.event, ...splitWays(one.ways, choices) }))
    const direct = drawWays(
      source,
      mine.flatMap(({ event, own }) => own.map((way) => ({ event: event === ALWAYS ? '' : event, way }))),
    )
    const through = choices.flatMap(({ id }) => {
      const events = mine.filter(({ choice }) => choice === id).map(({ event }) => event)
      return events.length > 0 ? [`  ${idOf(source)} --> ${id}: ${events.join(', ')}`] : []
    })
    return [...direct, ...through]
  })
  const decided = choices.flatMap(({ id, ways }) =>
    drawWays(
      id,
      ways.map((way) => ({ event: '', way })),
    ),
  )
  const ends = statesOf(machine).flatMap((state) =>
    state.type === 'final' ? [`  ${idOf(pathOf(state))} --> [*]`] : [],
  )
  const hasAnywhere = edges.some((edge) => edge.startsWith(`  ${idOf(ANYWHERE)} `))
  return [
    'stateDiagram-v2',
    ...initialsOf(machine.root, '  '),
    ...Object.values(machine.root.states).flatMap((state) => drawState(state, '  ')),
    ...(hasAnywhere ? ['  state "any state" as anywhere'] : []),
    ...choices.map(({ id }) => `  state ${id} <<choice>>`),
    ...edges,
    ...decided,
    ...ends,
  ].join('\n')
}
