import type { ServiceClock } from '../clock/clock.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { NodeLink } from './node-link.ts'
import type { NodeRow } from './node-rules.ts'

export interface SharedRateParts {
  readonly rates: Pick<RateLimits, 'untold' | 'spent' | 'shareAmong'>
  readonly link: Pick<NodeLink, 'isAlone' | 'isUp' | 'on' | 'tellAll'>
  /** All nodes, as the store had them at the last beat. */
  readonly nodes: () => readonly Pick<NodeRow, 'state'>[]
  readonly clock: Pick<ServiceClock, 'setTimeout' | 'clearTimeout'>
}

const TELL_MS = 1_000
/** Keys of one message, which has 256 KB. */
const KEYS_AT_ONCE = 1_000

/**
 * The rates of several nodes. What is taken of a key that has less than half left is told to the others each
 * second, so a party gets a burst at each node for a second at most. While the bus is down each node gives its
 * part of the rates.
 */
export class SharedRates {
  readonly #parts: SharedRateParts
  #handle: unknown = null

  constructor(parts: SharedRateParts) {
    this.#parts = parts
    parts.link.on('used', ({ used }) => this.#hear(used))
  }

  start(): void {
    const { link, clock } = this.#parts
    if (link.isAlone) return
    this.#tell()
    this.#handle = clock.setTimeout(() => this.start(), TELL_MS)
  }

  stop(): void {
    if (this.#handle !== null) this.#parts.clock.clearTimeout(this.#handle)
  }

  #tell(): void {
    const { rates, link, nodes } = this.#parts
    rates.shareAmong(link.isUp ? 1 : nodes().filter(({ state }) => state !== 'dead').length)
    // What is not told while the bus is down is covered by the part of the rate.
    const used = rates.untold().map(([name, key, cost]) => [`${name} ${key}`, cost] as const)
    for (let at = 0; at < used.length; at += KEYS_AT_ONCE)
      link.tellAll('used', { used: Object.fromEntries(used.slice(at, at + KEYS_AT_ONCE)) })
  }

  #hear(used: Readonly<Record<string, number>>): void {
    for (const [key, cost] of Object.entries(used)) {
      const space = key.indexOf(' ')
      if (cost > 0) this.#parts.rates.spent(key.slice(0, space), key.slice(space + 1), cost)
    }
  }
}
