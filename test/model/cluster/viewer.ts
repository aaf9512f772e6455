/**
 * The other party of a contact: its channel at node B, which has the hub of production, while nodes A and B
 * store entries. What lies between two steps may happen in any order.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry } from '../../../protocol/index.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { Hub } from '../../../service/src/connections/hub.ts'
import type { Page } from '../../../service/src/log/read-log.ts'
import { entry } from '../../support/entries.ts'
import { NotingSink } from '../../support/noting-sink.ts'

/** What may be taken out. */
export interface ViewerRules {
  /** What is heard while a contact is being opened counts. */
  readonly expects: boolean
  /** The store is compared with what is open here. */
  readonly polls: boolean
  /** Targets are read in the transaction that stores, openings in one before or after it. */
  readonly targetsInTransaction: boolean
}

export const VIEWER_RULES: ViewerRules = { expects: true, polls: true, targetsInTransaction: true }

interface Step {
  readonly name: string
  readonly run: () => void
}

/** One run, whose steps somebody chooses. */
export class Viewer {
  readonly #stores: readonly ('A' | 'B')[]
  readonly #rules: ViewerRules
  readonly #log: Entry[] = []
  /** On their way to B, those of each node in order. */
  readonly #way: Record<'A' | 'B', Entry[]> = { A: [], B: [] }
  readonly #timers: (() => void)[] = []
  readonly #reads: (() => void)[] = []
  readonly #sink = new NotingSink()
  readonly #hub: Hub
  #losses: number
  #opening: 'not yet' | 'reads' | 'stored' | 'open' = 'not yet'
  #head = 0
  #endExpecting = (): void => {}
  #polled: number | null = null
  #polls = 1

  constructor(stores: readonly ('A' | 'B')[], losses: number, rules: ViewerRules) {
    this.#stores = stores
    this.#losses = losses
    this.#rules = rules
    this.#hub = new Hub({
      read: (_contact, page) => {
        const entries = this.#page(page)
        return new Promise((settle) => this.#reads.push(() => settle(entries)))
      },
      later: (run) => this.#timers.push(run),
      onFault: (thrown) => {
        throw thrown
      },
    })
  }

  /** Numbers of the entries that the page has. */
  get received(): readonly number[] {
    return this.#sink.entries.map(({ seq }) => seq)
  }

  get hasAll(): boolean {
    return this.received.length === this.#stores.length
  }

  /** What may happen next. */
  steps(): Step[] {
    const steps: Step[] = []
    const may = (isPossible: boolean, name: string, run: () => void): void =>
      void (isPossible && steps.push({ name, run }))
    may(this.#log.length < this.#stores.length, 'an entry is stored', () => this.#store())
    for (const node of ['A', 'B'] as const)
      may(this.#way[node].length > 0, `B hears of ${node}'s entry`, () => this.#hear(node))
    may(this.#losses > 0 && this.#way.A.length > 0, 'a hint is lost', () => {
      this.#losses -= 1
      this.#way.A.shift()
    })
    may(this.#opening === 'not yet', 'the page opens the contact', () => {
      if (this.#rules.expects) this.#endExpecting = this.#hub.expect('c')
      this.#opening = 'reads'
    })
    may(this.#opening === 'reads', 'the opening is stored', () => {
      this.#head = this.#log.length
      this.#opening = 'stored'
    })
    may(this.#opening === 'stored', 'B has the answer', () => this.#attach())
    may(this.#timers.length > 0, 'a timer rings', () => this.#timers.shift()?.())
    may(this.#reads.length > 0, 'the log answers', () => this.#reads.shift()?.())
    may(this.#rules.polls && this.#polls > 0 && this.#polled === null, 'B asks the store', () => {
      this.#polls -= 1
      this.#polled = this.#log.length
    })
    may(this.#polled !== null, 'the store answers', () => {
      this.#hub.check('c', this.#polled ?? 0)
      this.#polled = null
    })
    return steps
  }

  /** Everything has happened that may: one poll follows, as it does every 5 s. */
  async end(): Promise<void> {
    if (this.#rules.polls) this.#hub.check('c', this.#log.length)
    await turn()
    while (this.#timers.length + this.#reads.length > 0) {
      this.#timers.shift()?.()
      this.#reads.shift()?.()
      await turn()
    }
  }

  #store(): void {
    const node = this.#stores[this.#log.length] ?? 'A'
    const stored = entry(this.#log.length + 1, 'visitor', 'v', 'text', { text: node })
    this.#log.push(stored)
    const isTarget = this.#rules.targetsInTransaction
      ? this.#opening === 'stored' || this.#opening === 'open'
      : this.#opening === 'open'
    if (node === 'B' || isTarget) this.#way[node].push(stored)
  }

  #hear(node: 'A' | 'B'): void {
    const heard = this.#way[node].shift()
    if (heard) this.#hub.appended('c', [heard])
  }

  #attach(): void {
    const channel = new Channel({
      ...{ contact: 'c', session: 'a', slot: 'agent', principal: 'a', nick: null, epoch: 1 },
      ...{ sink: this.#sink, cursor: 0, head: this.#head, view: (entries) => entries },
      read: (page) => Promise.resolve(this.#page(page)),
      onFault: (thrown) => {
        throw thrown
      },
    })
    const state = { ...initialContactState('visitor'), seq: this.#head }
    this.#hub.attach(channel, state)
    this.#endExpecting()
    this.#hub.start(channel)
    this.#opening = 'open'
  }

  #page({ after, limit }: Page): Entry[] {
    return this.#log.filter(({ seq }) => seq > after).slice(0, limit)
  }
}

export interface ViewerOutcome {
  readonly runs: number
  /** What is wrong; null where nothing is. */
  readonly broken: string | null
  readonly way: readonly string[]
}

/** More is not searched; the outcome says so. */
const MOST_RUNS = 60_000

/** Every order of what may happen, each run from the start. */
export async function searchViewer(make: () => Viewer): Promise<ViewerOutcome> {
  let choices: readonly Choice[] = []
  for (let runs = 1; ; runs += 1) {
    if (runs > MOST_RUNS) return { runs, broken: 'not complete', way: [] }
    const run = await runOnce(make(), choices)
    if (run.broken !== null) return { runs, broken: run.broken, way: run.way }
    const last = run.choices.findLastIndex(({ taken, of }) => taken + 1 < of)
    if (last < 0) return { runs, broken: null, way: [] }
    choices = [
      ...run.choices.slice(0, last),
      ...run.choices.slice(last, last + 1).map(({ taken, of }) => ({ taken: taken + 1, of })),
    ]
  }
}

interface Choice {
  readonly taken: number
  readonly of: number
}

/** Takes the choices, and the first of each after them. */
async function runOnce(viewer: Viewer, given: readonly Choice[]) {
  const [choices, way]: [Choice[], string[]] = [[...given], []]
  for (let at = 0, steps = viewer.steps(); steps.length > 0; at += 1, steps = viewer.steps()) {
    const choice = (choices[at] ??= { taken: 0, of: steps.length })
    const step = steps[choice.taken]
    way.push(step?.name ?? '')
    step?.run()
    await turn()
    if (viewer.received.some((seq, index) => seq !== index + 1))
      return { choices, way, broken: 'an entry was passed over, or came twice' }
  }
  await viewer.end()
  return { choices, way, broken: viewer.hasAll ? null : 'an entry has not arrived' }
}
