/** A node with 2,000 connections is killed: when its pages are online again, and what that is to the other nodes. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '../../sdk/index.ts'
import type { Client } from '../../sdk/index.ts'
import { Deployment } from '../../test/deployment/deployment.ts'
import type { ServiceNode } from '../../test/deployment/deployment.ts'
import { freePort } from '../../test/support/free-port.ts'
import { serviceProgram } from '../../test/support/service-process.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { atLeast, atMost, median, percentile } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { cpuSeconds } from '../machine.ts'

/** The program as one of those that have the pages. */
export const PAGES = 'pages'

const NODES = 3
const CONNECTIONS = Number(process.env['DUOLOG_CONNECTIONS'] ?? 2_000)
const PROCESSES = 4
const AT_ONCE = 10
/** The metric of the event loop is of the last half minute. */
const WINDOW_MS = 31_000
const LIMIT_MS = 60_000
const AGAIN_MS = 1_000
/** Until the load balancer has noticed who has gone. */
const NOTICED_MS = 3_000
const ONLINE_P95_MS = 3_000
const LOOP_MS = 100
const SPREAD_MS = 100

export async function comeBack(): Promise<readonly Figure[]> {
  const data = temporaryData()
  const all = await Deployment.start({
    folder: data.folder,
    service: await serviceProgram(),
    nodes: NODES,
    port: await freePort(),
  })
  const pages = Array.from({ length: PROCESSES }, () => fork(process.argv[1] ?? '', [PAGES, all.url]))
  try {
    return await measure(all, pages)
  } finally {
    for (const page of pages) page.kill('SIGKILL')
    await all.stop()
    data.remove()
  }
}

async function measure(all: Deployment, pages: readonly ChildProcess[]): Promise<readonly Figure[]> {
  const [first, ...others] = all.nodes
  if (!first) throw new Error('there is no node')
  // All pages come to the first node, since it is the only one.
  for (const node of others) await node.program.end('SIGTERM')
  await delay(NOTICED_MS)
  await Promise.all(pages.map((page) => ask(page, 'open')))
  for (const node of others) await all.startNode(node)
  await delay(WINDOW_MS)
  const quiet = await longestLoop(others)
  const nodes = others.map(({ program }) => program.pid)
  const makers = pages.map(({ pid = 0 }) => pid)
  const before = { nodes: usedBy(nodes), pages: usedBy(makers) }
  const killed = Date.now()
  const returned = Promise.all(pages.map((page) => ask(page, 'return')))
  await first.program.end('SIGKILL')
  const times = (await returned).flat().map((at) => at - killed)
  const used = { nodes: usedBy(nodes) - before.nodes, pages: usedBy(makers) - before.pages }
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
    atMost(ms('event loop of the other nodes, longest delay', await longestLoop(others)), LOOP_MS),
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

/** When each page of a process has done it, by `Date.now()`. */
function ask(page: ChildProcess, what: 'open' | 'return'): Promise<readonly number[]> {
  return new Promise((settle, fail) => {
    page.once('message', (times) => settle(times as number[]))
    page.once('exit', () => fail(new Error('a process of pages has ended')))
    page.send(what)
  })
}

/** Opens pages with a contact each, and tells when they are online again. */
export function havePages([service = '']: readonly string[]): void {
  const pages: Page[] = []
  process.on('disconnect', () => process.exit())
  process.on('message', (what) => {
    const done = what === 'open' ? open() : Promise.race([Promise.all(pages.map(back)), delay(LIMIT_MS)])
    void done.then(() => process.send?.(pages.flatMap(({ onlineAt }) => onlineAt ?? [])))
  })

  async function open(): Promise<void> {
    const count = CONNECTIONS / PROCESSES
    const one = async (): Promise<void> => {
      while (pages.length < count) {
        const page = new Page(service)
        pages.push(page)
        await page.enter()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }
}

const back = (page: Page): Promise<void> => page.back()

class Page {
  /** Null: it is not. */
  onlineAt: number | null = null
  readonly #client: Client
  #onOnline: () => void = () => {}

  constructor(service: string) {
    this.#client = createClient({ service, inspect: (event) => this.#look(event) })
  }

  /** Tries again: with so many at once a first connection may take too long. */
  async enter(): Promise<void> {
    for (;;)
      try {
        await this.#client.createContact({ nick: 'Vera' })
        return
      } catch {
        await delay(AGAIN_MS)
      }
  }

  /** Waits until it has lost its connection and is online again. */
  async back(): Promise<void> {
    this.onlineAt = null
    await new Promise<void>((settle) => (this.#onOnline = settle))
  }

  #look(event: unknown): void {
    const { snapshot } = event as { readonly snapshot?: { value?: unknown; context?: object } }
    // Only the machine of the connection moves between nodes.
    if (!snapshot?.context || !('isMoving' in snapshot.context)) return
    const isOnline = JSON.stringify(snapshot.value).includes('"online"')
    if (!isOnline) this.onlineAt = null
    else if (this.onlineAt === null) {
      this.onlineAt = Date.now()
      this.#onOnline()
    }
  }
}
