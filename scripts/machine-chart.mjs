/**
 * What a machine's chart consists of, as plain data: the states in order, and the transitions with readable
 * names.
 *
 * @typedef {import('xstate').AnyStateMachine} Machine
 * @typedef {import('xstate').AnyStateNode} Node
 * @typedef {{ guard: string, targets: string[], actions: string[] }} Way one candidate of a transition; no targets: it stays where it is
 * @typedef {{ source: string, event: string, ways: Way[] }} Transition
 */

/** Name of the machine itself among its states. */
export const ANYWHERE = '*'

/** What stands for the event of an eventless transition. */
export const ALWAYS = 'always'

/** Whether a state is never rested in: one of its eventless transitions asks nothing. @param {Node} node */
export const isChoice = (node) => node.always?.some(({ guard }) => guard === undefined) ?? false

/** `transiting.working`. @param {Node} node */
export const pathOf = (node) => node.path.join('.') || ANYWHERE

/** All states below a machine, parents first. @param {Machine} machine @returns {Node[]} */
export function statesOf(machine) {
  /** @param {Node} node @returns {Node[]} */
  const below = (node) => Object.values(node.states).flatMap((child) => [child, ...below(child)])
  return below(machine.root)
}

/** @param {unknown} guard @returns {string} */
function guardName(guard) {
  if (guard === undefined || guard === null) return ''
  if (typeof guard === 'string') return guard
  const { type, guards, stateValue } =
    /** @type {{ type?: string, guards?: unknown[], stateValue?: unknown }} */ (guard)
  if (Array.isArray(guards)) return guards.map(guardName).join(' and ')
  if (stateValue !== undefined) return `in ${valueName(stateValue)}`
  return type ?? 'guard'
}

/** @param {unknown} value @returns {string} */
function valueName(value) {
  if (typeof value === 'string') return value
  return Object.entries(value ?? {})
    .map(([key, inner]) => `${key}.${valueName(inner)}`)
    .join(', ')
}

/** @param {unknown} action */
const actionName = (action) =>
  typeof action === 'string' ? action : (/** @type {{ type?: string }} */ (action).type ?? 'assign')

/** `xstate.after.answerLimit.media.offered` is `after answerLimit`. @param {string} event */
export function eventName(event) {
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(event) ?? []
  if (delay) return `after ${delay}`
  const [, what, actor] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? []
  return what && actor ? `${what} ${actor}` : event
}

/**
 * Every transition of a machine, in the order of the chart.
 * @param {Machine} machine
 * @returns {Transition[]}
 */
export function transitionsOf(machine) {
  return [machine.root, ...statesOf(machine)].flatMap((node) =>
    [...(node.always?.length ? [/** @type {const} */ ([ALWAYS, node.always])] : []), ...node.transitions].map(
      ([event, candidates]) => ({
        source: pathOf(node),
        event: eventName(event),
        ways: candidates.map(({ guard, target, actions }) => ({
          guard: guardName(guard),
          targets: (target ?? []).map(pathOf),
          actions: actions.map(actionName),
        })),
      }),
    ),
  )
}

/** Delays with where they run. @param {Machine} machine */
export function delaysOf(machine) {
  const { delays } = machine.implementations
  const uses = transitionsOf(machine).filter(({ event }) => event.startsWith('after '))
  return Object.entries(delays).map(([name, delay]) => ({
    name,
    ms: typeof delay === 'number' ? delay : null,
    uses: uses.filter(({ event }) => event === `after ${name}`),
  }))
}
