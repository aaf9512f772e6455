/**
 * `npm run machines`: brings the generated parts of `docs/machines/*.md` up to the machines of
 * `stately.config.json`. What stands outside the markers is written by hand; a test compares the whole.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { ANYWHERE, delaysOf, pathOf, statesOf, transitionsOf } from './machine-chart.mjs'
import { choicesOf, diagramOf, splitWays } from './machine-diagram.mjs'
import { forgetSources, loadSource } from './load-source.mjs'
import { eventTypes } from './machine-events.mjs'
import { inRoot, isMain } from './run.mjs'

/**
 * @typedef {import('./machine-chart.mjs').Machine} Machine
 * @typedef {import('./machine-chart.mjs').Way} Way
 * @typedef {{ id: string, file: string, export: string, page: string, events: { file: string, type: string }, limits?: { file: string, export: string } }} Listed
 * @typedef {{ machine: Machine, source: string, events: string[], limits: Record<string, number> }} Loaded
 */

/** @returns {Listed[]} */
export const listedMachines = () => JSON.parse(readFileSync(inRoot('stately.config.json'), 'utf8')).machines

/** @param {string} path */
const read = (path) => readFileSync(inRoot(path), 'utf8')

/**
 * A machine with all that its page needs.
 * @param {Listed} listed
 * @param {(file: string) => Promise<Record<string, unknown>>} load
 * @returns {Promise<Loaded>}
 */
export async function loadMachine(listed, load) {
  const machine = /** @type {Machine} */ ((await load(listed.file))[listed.export])
  const limits = listed.limits
    ? /** @type {Record<string, number>} */ ((await load(listed.limits.file))[listed.limits.export])
    : {}
  return {
    machine,
    source: read(listed.file),
    events: eventTypes(read(listed.events.file), listed.events.type),
    limits,
  }
}

/** The comment that opens a machine's file. @param {string} source */
function chartOf(source) {
  const [, comment = ''] = /\/\*\*\n([\s\S]*?)\n \*\//.exec(source) ?? []
  return comment.replaceAll(/^ \* ?/gm, '')
}

/** @param {number} ms */
const duration = (ms) => (ms < 1000 ? `${ms} ms` : ms < 120_000 ? `${ms / 1000} s` : `${ms / 60_000} min`)

/** @param {Way} way @param {string} source */
function wayText({ guard, targets, actions }, source) {
  const where =
    targets.length === 0
      ? ['stays', ...actions].join(', ')
      : targets.map((target) => (target === source ? `\`${target}\` again` : `\`${target}\``)).join(', ')
  return guard ? `${where} if ${guard}` : where
}

/** @param {Machine} machine */
function transitionTable(machine) {
  const transitions = transitionsOf(machine)
  const choices = choicesOf(transitions)
  const rows = transitions.map(({ source, event, ways }) => {
    const { own, choice } = splitWays(ways, choices)
    const where = [...own.map((way) => wayText(way, source)), ...(choice ? [choice] : [])]
    return `| ${source === ANYWHERE ? 'any' : `\`${source}\``} | \`${event}\` | ${where.join('; ')} |`
  })
  const decided = choices.map(
    ({ id, ways }) => `\n${id}: ${ways.map((way) => wayText(way, '')).join('; ')}. The first that fits.`,
  )
  return ['| in | on | goes to |', '|---|---|---|', ...rows, ...decided].join('\n')
}

/** @param {Loaded} loaded */
function limitTable({ machine, events, limits }) {
  const delays = delaysOf(machine).map(({ name, ms, uses }) => {
    const where = uses.map(
      ({ source, ways }) => `\`${source}\`: ${ways.map((way) => wayText(way, source)).join('; ')}`,
    )
    return `| \`${name}\` | ${ms === null ? 'computed' : duration(ms)} | ${where.join('<br>') || 'set by an action'} |`
  })
  const effects = Object.entries(limits).map(([name, ms]) => {
    const event = `due.${name.replace(/Ms$/, '')}`
    return `| \`${name}\` | ${duration(ms)} | ${events.includes(event) ? `\`${event}\`` : 'looked after by the service, not by this machine'} |`
  })
  const rows = [...delays, ...effects]
  return rows.length === 0 ? 'None.' : ['| limit | time | at its end |', '|---|---|---|', ...rows].join('\n')
}

/** The generated parts of a page by name. @param {Loaded} loaded @returns {Record<string, string>} */
const partsOf = (loaded) => ({
  chart: `\`\`\`text\n${chartOf(loaded.source)}\n\`\`\``,
  diagram: `\`\`\`mermaid\n${diagramOf(loaded.machine)}\n\`\`\``,
  actors:
    [
      ...new Set(
        [loaded.machine.root, ...statesOf(loaded.machine)].flatMap((node) =>
          node.invoke.map(
            ({ id }) => `\`${id}\` while ${node.path.length === 0 ? 'it runs' : `in \`${pathOf(node)}\``}`,
          ),
        ),
      ),
    ].join(', ') || 'None.',
  limits: limitTable(loaded),
  transitions: transitionTable(loaded.machine),
})

/** A page with its generated parts as they should be. @param {string} page @param {Loaded} loaded */
export function renderPage(page, loaded) {
  let text = page
  for (const [name, part] of Object.entries(partsOf(loaded))) {
    const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`the page has no part ${name}`)
    text = `${text.slice(0, from + begin.length)}\n\n${part}\n\n${text.slice(to)}`
  }
  return text
}

/** Names in the first column of the table below a heading. @param {string} page @param {string} heading */
function rowsBelow(page, heading) {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| `([^`]+)` \| *(.*?) *\|$/gm)].map(([, name = '', text = '']) => ({
    name,
    text,
  }))
}

/**
 * @param {string} what
 * @param {readonly string[]} expected
 * @param {readonly { name: string, text: string }[]} rows
 */
const compare = (what, expected, rows) => [
  ...expected
    .filter((name) => !rows.some((row) => row.name === name && row.text !== ''))
    .map((name) => `${what} ${name} has no line`),
  ...rows.filter(({ name }) => !expected.includes(name)).map(({ name }) => `there is no ${what} ${name}`),
]

/**
 * What the hand-written lists of a page lack or have too much.
 * @param {string} page
 * @param {Loaded} loaded
 */
export const problemsOf = (page, { machine, events }) => [
  ...compare('state', statesOf(machine).map(pathOf), rowsBelow(page, 'States')),
  ...compare('event', events, rowsBelow(page, 'Events')),
  ...unknownEvents(machine, events).map((event) => `no event is called ${event}`),
]

/** Events of the chart that nobody can send. @param {Machine} machine @param {readonly string[]} events */
const unknownEvents = (machine, events) =>
  machine.events.filter(
    (event) =>
      !event.startsWith('xstate.') &&
      !events.some((one) => one === event || (event.endsWith('*') && one.startsWith(event.slice(0, -1)))),
  )

async function main() {
  for (const listed of listedMachines()) {
    const loaded = await loadMachine(listed, loadSource)
    const page = renderPage(read(listed.page), loaded)
    writeFileSync(inRoot(listed.page), page)
    const problems = problemsOf(page, loaded)
    console.log(`${listed.page}: ${problems.length === 0 ? 'complete' : problems.join('; ')}`)
    if (problems.length > 0) process.exitCode = 1
  }
  await forgetSources()
}

if (isMain(import.meta.url)) await main()
