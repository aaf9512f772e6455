import pino from 'pino'
import { flushAtExit } from './flush-at-exit.ts'
import { codeOf } from './start-error.ts'
import { isStoreOut } from './store/database.ts'

type Facts = Readonly<Record<string, string | number | boolean>>

/** Writes a line. Never contents, names, ids of parties, tokens, keys or addresses. */
export type Say = (what: string, facts?: Facts) => void

/**
 * Writes lines for the people who run the service. Never contents: a fault is its kind, its code and where it
 * happened.
 */
export interface Report {
  /** A failure of the service itself. */
  readonly fault: (thrown: unknown) => void
  /** What the people who run the service must look at, at other programs or at its settings. */
  readonly warn: Say
  /** That it has started, and stops. */
  readonly info: Say
  /** What happens all the time: to find out why something is refused or late. */
  readonly debug: Say
}

/** Writes nothing. */
export const SILENT_REPORT: Report = { fault: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

/**
 * Counts the failures of the service itself by `count`. A store that is away is none of them: it is a warning, and
 * `/readyz` says it, too.
 */
export const sortedReport = (report: Report, count: () => void): Report => ({
  ...report,
  fault: (thrown) => {
    if (isStoreOut(thrown))
      return report.warn('the service is out of touch with the store', { code: storeCodeOf(thrown) })
    count()
    report.fault(thrown)
  },
})

/** The code of what failed, or of what caused that. */
const storeCodeOf = (thrown: unknown): string =>
  codeOf(thrown) ||
  (thrown instanceof Error && thrown.cause !== undefined ? storeCodeOf(thrown.cause) : 'none')

/** Lines that wait for who reads them; more are dropped. */
const WAITING_BYTES = 4 * 1_048_576

export function pinoReport(level: string): Report {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: WAITING_BYTES })
  // There is nowhere left to say so.
  destination.on('error', () => {})
  flushAtExit(destination)
  const log = pino({ level, base: null }, destination)
  const faults = new FaultLimiter((facts) => log.error(facts, 'fault'))
  const warnings = new FaultLimiter(({ what, ...facts }) => log.warn(facts, String(what)))
  return {
    fault: (thrown) => faults.note(describeFault(thrown)),
    warn: (what, facts = {}) => warnings.note({ what, ...facts }),
    info: (what, facts = {}) => log.info(facts, what),
    debug: (what, facts = {}) => log.debug(facts, what),
  }
}

/** The same fault is written once in this time. */
const CALM_MS = 10_000
const KNOWN_LIMIT = 256

/**
 * Writes each fault at once, and one that comes again and again once in a while, with how often it came
 * meanwhile.
 */
export class FaultLimiter {
  readonly #write: (facts: Facts) => void
  readonly #schedule: (run: () => void, delayMs: number) => void
  /** How often each came since it was written. */
  readonly #since = new Map<string, number>()

  constructor(
    write: (facts: Facts) => void,
    schedule: (run: () => void, delayMs: number) => void = (run, delayMs) =>
      void setTimeout(run, delayMs).unref(),
  ) {
    this.#write = write
    this.#schedule = schedule
  }

  note(facts: Facts): void {
    const key = JSON.stringify(facts)
    const count = this.#since.get(key)
    if (count !== undefined) return void this.#since.set(key, count + 1)
    this.#write(facts)
    if (this.#since.size < KNOWN_LIMIT) this.#wait(key, facts)
  }

  #wait(key: string, facts: Facts): void {
    this.#since.set(key, 0)
    this.#schedule(() => {
      const times = this.#since.get(key) ?? 0
      this.#since.delete(key)
      if (times === 0) return
      this.#write({ ...facts, times })
      this.#wait(key, facts)
    }, CALM_MS)
  }
}

/** Messages of errors may quote what a party wrote, so they are left out. */
export function describeFault(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof Error)) return { kind: typeof thrown }
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const cause = thrown.cause === undefined ? {} : { causeCode: codeOf(thrown.cause) }
  return {
    kind: thrown.name,
    code: codeOf(thrown),
    at: frames.slice(0, 5).join(' ').replaceAll(/\s+/g, ' '),
    ...cause,
  }
}
