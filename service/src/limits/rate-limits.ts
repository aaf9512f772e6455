import { ContactError } from '../../../protocol/index.ts'
import type { CallName, Calls } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { Buckets } from './buckets.ts'
import type { Rate } from './buckets.ts'

const MINUTE_S = 60

/**
 * How often things may be done, by one principal or (failed sign-ins) from one address. Who goes on with what
 * is refused (`refusals`) loses the connection.
 */
export const PRODUCTION_RATES = {
  visitorMessages: { perSecond: 10, burst: 30 },
  visitorMessagesLong: { perSecond: 100 / MINUTE_S, burst: 100 },
  agentMessages: { perSecond: 600 / MINUTE_S, burst: 600 },
  acks: { perSecond: 20, burst: 1_200 },
  offers: { perSecond: 1, burst: 5 },
  presents: { perSecond: 0.5, burst: 5 },
  contacts: { perSecond: 10 / MINUTE_S, burst: 10 },
  rpc: { perSecond: 20, burst: 40 },
  signals: { perSecond: 100, burst: 400 },
  data: { perSecond: 200, burst: 400 },
  typing: { perSecond: 1, burst: 2 },
  relays: { perSecond: 0.5, burst: 120 },
  uploads: { perSecond: 10 / (60 * MINUTE_S), burst: 10 },
  refusals: { perSecond: 10, burst: 300 },
  otherCalls: { perSecond: 20, burst: 100 },
  connects: { perSecond: 30 / MINUTE_S, burst: 30 },
  failedSignIns: { perSecond: 10 / (10 * MINUTE_S), burst: 10 },
  refreshes: { perSecond: 10 / MINUTE_S, burst: 30 },
  newVisitors: { perSecond: 1, burst: 30 },
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof PRODUCTION_RATES

/** A refusal that says when to come back. */
export class RateError extends ContactError {
  declare readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('rate_limited', 'unable to carry out the call; this party does it too often', { retryAfterMs })
  }
}

/** Counts what parties do. Without rates everything is allowed. */
export class RateLimits {
  readonly #buckets = new Map<RateName, Buckets>()

  constructor(rates: Partial<Record<RateName, Rate>>, clock: Pick<ServiceClock, 'now'>) {
    for (const [name, rate] of Object.entries(rates))
      this.#buckets.set(name as RateName, new Buckets(rate, clock))
  }

  /** @throws {@link RateError} */
  take(name: RateName, key: string, cost = 1): void {
    const waitMs = this.#buckets.get(name)?.take(key, cost) ?? 0
    if (waitMs > 0) throw new RateError(waitMs)
  }

  /** The same, without counting. @throws {@link RateError} */
  check(name: RateName, key: string, cost = 1): void {
    const waitMs = this.#buckets.get(name)?.waitOf(key, cost) ?? 0
    if (waitMs > 0) throw new RateError(waitMs)
  }

  /** What was taken here of each rate, by key, since it was asked last; of keys that have less than half left. */
  untold(): readonly (readonly [RateName, string, number])[] {
    return [...this.#buckets].flatMap(([name, buckets]) =>
      [...buckets.untold()].map(([key, cost]) => [name, key, cost] as const),
    )
  }

  /** Counts what was taken at another node. */
  spent(name: string, key: string, cost: number): void {
    this.#buckets.get(name as RateName)?.spent(key, cost)
  }

  /** Each of so many nodes, none of which hears of the others, gives its part of the rates. */
  shareAmong(nodes: number): void {
    for (const buckets of this.#buckets.values()) buckets.shareAmong(nodes)
  }

  /** Most that one key can have taken of a rate in a time; null: there is no such rate. */
  mostIn(name: RateName, ms: number): number | null {
    const buckets = this.#buckets.get(name)
    return buckets ? buckets.mostIn(ms) : null
  }

  /** Counts what was refused; true where a party does nothing else any more. */
  isAbuse(key: string): boolean {
    return (this.#buckets.get('refusals')?.take(key) ?? 0) > 0
  }

  /**
   * Counts a call before it is carried out.
   *
   * @throws {@link RateError}
   */
  count<N extends CallName>(principal: Principal, name: N, args: Calls[N]['args']): void {
    if (this.#buckets.size === 0) return
    if (name === 'log.append')
      return this.#countDrafts(principal, (args as Calls['log.append']['args']).drafts)
    if (name === 'relay.send') return this.#countFrame(principal, args as Calls['relay.send']['args'])
    this.take(RATES.get(name) ?? 'otherCalls', principal.id)
  }

  /**
   * Much of what is relayed answers what the other party sends: of an agent each contact is counted by itself,
   * so that one visitor takes nothing from the others. All tabs of a party count together.
   */
  #countFrame({ use, id }: Principal, { contact, frame }: Calls['relay.send']['args']): void {
    this.take(relayRate(frame.kind), use === 'agent' ? `${id} ${contact}` : id)
  }

  /** Drafts are not checked yet: each may be anything. */
  #countDrafts({ use, id }: Principal, drafts: readonly ({ readonly type?: unknown } | null)[]): void {
    const offers = drafts.filter((draft) => draft?.type === 'offer' || draft?.type === 'direct').length
    const presents = drafts.filter((draft) => draft?.type === 'present').length
    const acks = drafts.filter((draft) => draft?.type === 'ack' || draft?.type === 'read').length
    const messages: readonly RateName[] =
      use === 'agent' ? ['agentMessages'] : ['visitorMessages', 'visitorMessagesLong']
    this.#takeAll(id, [
      ['offers', offers],
      ['presents', presents],
      ['acks', acks],
      ...messages.map((name) => [name, drafts.length - acks] as const),
    ])
  }

  /** What one of them refuses costs nothing in the others. */
  #takeAll(key: string, costs: readonly (readonly [RateName, number])[]): void {
    const counted = costs.filter(([, cost]) => cost > 0)
    const waitMs = Math.max(...counted.map(([name, cost]) => this.#buckets.get(name)?.waitOf(key, cost) ?? 0))
    if (waitMs > 0) throw new RateError(waitMs)
    for (const [name, cost] of counted) this.take(name, key, cost)
  }
}

/** Calls that have a rate of their own. */
const RATES: ReadonlyMap<CallName, RateName> = new Map([
  ['contact.create', 'contacts'],
  ['contact.rate', 'contacts'],
  ['ice.servers', 'relays'],
])

const relayRate = (kind: string): RateName =>
  kind === 'rpc' ? 'rpc' : kind === 'data' ? 'data' : kind === 'iswriting' ? 'typing' : 'signals'
