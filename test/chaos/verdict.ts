/** Counts what was looked at and what was wrong, by fault and promise. */
import type { Fault } from './facts.ts'

export const PROMISES = {
  stored: 'what was acknowledged is stored',
  once: 'each entry is stored once',
  gapless: 'a log has no gaps',
  order: 'the order of a session is kept',
  prefix: 'all readers see one log',
  fold: 'both parties come to the same state',
  live: 'no page that lives is `left`',
  dead: 'a page that died is `left` in time',
  timer: 'a timer acts once',
  offer: 'no contact is offered to two agents',
  frame: 'no frame of the relay is lost silently or comes twice',
  rpc: 'a request runs at most once',
  file: 'a file is stored once, with its bytes',
  node: 'no node ends by itself',
} as const

export type Promised = keyof typeof PROMISES

export interface Violation {
  readonly promise: Promised
  readonly at: number
  readonly fault: string
  readonly says: string
}

/** What is looked at in any run that its parties had the time for: a run that shows nothing proves nothing. */
const ALWAYS = [
  'stored',
  'once',
  'gapless',
  'order',
  'prefix',
  'fold',
  'offer',
  'frame',
  'rpc',
  'file',
  'node',
] as const

/** What follows from a fault may come so long after its end. */
const AFTERMATH_MS = 90_000
const QUIET = 'none'

export class Verdict {
  readonly violations: Violation[] = []
  readonly #faults: readonly Fault[]
  readonly #looks = new Map<string, number>()

  constructor(faults: readonly Fault[]) {
    this.#faults = faults.toSorted((a, b) => a.from - b.from)
  }

  /** Notes that something was looked at, at the time that it is about; `says` what is wrong with it. */
  look(promise: Promised, at: number, says: string | null = null): void {
    const fault = this.faultAt(at)
    const key = `${fault} ${promise}`
    this.#looks.set(key, this.looks(fault, promise) + 1)
    if (says !== null) this.violations.push({ promise, at, fault, says })
  }

  looks(fault: string, promise: Promised): number {
    return this.#looks.get(`${fault} ${promise}`) ?? 0
  }

  /** Promises that the run has not shown, as nothing was there to look at. */
  get unseen(): readonly Promised[] {
    const seen = new Set([...this.#looks.keys()].map((key) => key.slice(key.lastIndexOf(' ') + 1)))
    return ALWAYS.filter((promise) => !seen.has(promise))
  }

  get holds(): boolean {
    return this.violations.length === 0 && this.unseen.length === 0
  }

  /** The last fault that began before, if what happens then may follow from it. */
  faultAt(at: number): string {
    const last = this.#faults.findLast(({ from }) => from <= at)
    return last && at <= last.until + AFTERMATH_MS ? last.name : QUIET
  }

  /** The faults by the promises, as Markdown: what was wrong / what was looked at. */
  table(): string {
    const promises = Object.keys(PROMISES) as Promised[]
    const names = [...new Set(this.#faults.map(({ name }) => name))].toSorted()
    const row = (name: string): string => {
      const times = this.#faults.filter((fault) => fault.name === name).length
      const cells = promises.map((promise) => {
        const wrong = this.violations.filter((each) => each.fault === name && each.promise === promise).length
        return `${wrong} / ${this.looks(name, promise)}`
      })
      return `| ${name} | ${name === QUIET ? '–' : times} | ${cells.join(' | ')} |`
    }
    return [
      `| fault | times | ${promises.join(' | ')} |`,
      `|---|---|${promises.map(() => '---|').join('')}`,
      ...[...names, QUIET].map(row),
    ].join('\n')
  }
}
