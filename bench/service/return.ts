/** A node with 2,000 connections is killed: when its pages are online again, and what that is to the other nodes. */
import { setTimeout as delay } from 'node:timers/promises'
import { Deployment } from '../../test/deployment/deployment.ts'
import type { ServiceNode } from '../../test/deployment/deployment.ts'
import { freePort } from '../../test/support/free-port.ts'
import { serviceProgram } from '../../test/support/service-process.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { atLeast, atMost, median, percentile } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { cpuSeconds, goesFirst } from '../machine.ts'
import { moveAll } from './move.ts'
import { PageProcesses } from './page-processes.ts'

const NODES = 3
const CONNECTIONS = Number(process.env['DUOLOG_CONNECTIONS'] ?? 2_000)
/** The metric of the event loop is of the last half minute. */
const WINDOW_MS = 31_000
/** Pages that each of the other nodes has, and has had for a while: it is a node in use, not one that has just started. */
const OWN_CONNECTIONS = CONNECTIONS / 2
/** Until the load balancer has noticed who has gone. */
const NOTICED_MS = 3_000
const ONLINE_P95_MS = 3_000
const LOOP_MS = 100
const SPREAD_MS = 100

export const comeBack = async (): Promise<readonly Figure[]> => [
  ...(await killOne()),
  ...(await moveAll(CONNECTIONS)),
]

async function killOne(): Promise<readonly Figure[]> {
  const data = temporaryData()
  const all = await Deployment.start({
    folder: data.folder,
    service: await serviceProgram(),
    nodes: NODES,
    port: await freePort(),
  })
  const pages = new PageProcesses(all.url, CONNECTIONS)
  const own = all.nodes
    .slice(1)
    .map(({ address, port }) => new PageProcesses(`http://${address}:${port}`, OWN_CONNECTIONS))
  try {
    return await measure(all, pages, own)
  } finally {
    for (const each of [pages, ...own]) each.kill()
    await all.stop()
    data.remove()
  }
}

async function measure(
  all: Deployment,
  pages: PageProcesses,
  own: readonly PageProcesses[],
): Promise<readonly Figure[]> {
  const [first, ...others] = all.nodes
  if (!first) throw new Error('there is no node')
  // All pages come to the first node, since it is the only one.
  for (const node of others) await node.program.end('SIGTERM')
  await delay(NOTICED_MS)
  await pages.all({ what: 'open' })
  for (const node of others) await all.startNode(node)
  for (const each of own) await each.all({ what: 'open' })
  const nodes = others.map(({ program }) => program.pid)
  // Pages, store and load balancer have machines of their own elsewhere.
  const areFirst = nodes.every(goesFirst)
  await delay(WINDOW_MS)
  const quiet = await longestLoop(others)
  const before = { nodes: usedBy(nodes), pages: pages.used }
  const killed = Date.now()
  const returned = pages.all({ what: 'return' })
  await first.program.end('SIGKILL')
  const times = (await returned).times.map((at) => at - killed)
  const used = { nodes: usedBy(nodes) - before.nodes, pages: pages.used - before.pages }
  const each = (name: string, seconds: number) => ({
    ...{ name: `processor time of ${name} for each page`, unit: 'ms' },
    value: (seconds * 1_000) / times.length,
  })
  const ms = (name: string, value: number) => ({ name, value, unit: 'ms' })
  return [
    atLeast({ name: 'pages online again', value: times.length, unit: '' }, CONNECTIONS),
    ms('online again after, p50', median(times)),
    atMost(ms('online again after, p95', percentile(times, 0.95)), ONLINE_P95_MS),
    ms('the last one after', Math.max(...times)),
    {
      name: `of them in the same ${SPREAD_MS} ms, at most`,
      value: (100 * mostWithin(times, SPREAD_MS)) / times.length,
      unit: '%',
    },
    each('the other nodes', used.nodes),
    each('the pages themselves', used.pages),
    ms('event loop of the other nodes at rest, longest delay', quiet),
    areFirst
      ? atMost(ms('event loop of the other nodes, longest delay', await longestLoop(others)), LOOP_MS)
      : ms('event loop of the other nodes, which wait for processors', await longestLoop(others)),
  ]
}

/** Processor time, in seconds. */
const usedBy = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)

/** The most of them that lie in a span of this length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted.reduce((most, from, index) => {
    const after = sorted.findIndex((time) => time >= from + spanMs)
    return Math.max(most, (after < 0 ? sorted.length : after) - index)
  }, 0)
}

async function longestLoop(nodes: readonly ServiceNode[]): Promise<number> {
  const read = async ({ address, port }: ServiceNode): Promise<number> => {
    const text = await (await fetch(`http://${address}:${port}/metrics`)).text()
    return Number(/^duolog_event_loop_delay_seconds (\S+)$/m.exec(text)?.[1]) * 1_000
  }
  return Math.max(...(await Promise.all(nodes.map(read))))
}
