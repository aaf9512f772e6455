import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { Distribution } from '../../../protocol/index.ts'
import type { LocalBus } from '../bus/local-bus.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { PASSED_OVER_MS } from '../cluster/work-rules.ts'
import type { Tables } from '../store/tables.ts'
import { setTimer } from '../timers/timer-rows.ts'
import { distributionsOf, waitingOf } from './distribution.ts'
import {
  PREPARED_BATCH,
  insertOffers,
  passOver,
  prepareWaiting,
  readCandidates,
  readNamed,
  readOffers,
  readRefusals,
  readWaiting,
  sweepOffers,
} from './offer-rows.ts'
import type { OfferPair, Place, WaitingRow } from './offer-rows.ts'
import type { MatchJob } from './match-job.ts'
import { hasRoom, planOffers } from './plan.ts'
import type { PairSet } from './plan.ts'
import type { QueueLimits } from './queue-limits.ts'
import { stepTimes, mostParallel } from './strategy.ts'
import type { Candidate, Strategy } from './strategy.ts'

/** What one slice of a round looks at: so many contacts, or pairs of a contact and an agent. */
export const SLICE_CONTACTS = 200
export const SLICE_PAIRS = 20_000
/** Offers that one slice makes, beside those that its last contact gets more. */
export const SLICE_OFFERS = 1_000
/** Pushes before others have their turn. */
const TELL_BATCH = 100
/** More offers than any contact has at a time. */
const ALL = 1_000_000
const PAUSE_FACTOR = 3
const PAUSE_LIMIT_MS = 200
/** A contact that could not be given up, for somebody has locked it, is looked at again after this. */
const GIVE_UP_AGAIN_MS = 5_000
const START: Place = { visitor_away: false, queued_at: -1, id: '' }

interface MatcherParts {
  readonly db: Kysely<Tables>
  readonly bus: LocalBus
  readonly clock: ServiceClock
  readonly strategy: Strategy
  readonly limits: QueueLimits
  readonly job: MatchJob
  /** The agent who was named for a contact has not been free for it in time. */
  readonly onNotTaken: (contact: string) => Promise<void>
  /** A round begins that is this node's. */
  readonly onOwnRound: () => void
  /** Done after each round. */
  readonly onRound: () => void
  readonly onFault: (thrown: unknown) => void
}

/** What one slice of the queue has come to. */
interface Slice {
  readonly made: readonly { readonly agent: string; readonly distribution: Distribution }[]
  /** Moments at which time alone may make a match. */
  readonly times: readonly number[]
  /** Where the next one begins; null: there is nothing more to do. */
  readonly next: Place | null
}

const NOTHING_MORE: Slice = { made: [], times: [], next: null }

/**
 * Offers waiting contacts to agents, where this node has the job; what an offer promises is decided when it is
 * accepted.
 */
export class Matcher {
  readonly #parts: MatcherParts
  /** Contacts that are being taken from the agent they were handed to. */
  readonly #givenUp = new Map<string, Promise<void>>()
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  constructor(parts: MatcherParts) {
    this.#parts = parts
  }

  /** Looks for matches from time to time, where there may be other nodes. */
  start(): void {
    this.#parts.job.watch(() => this.request())
  }

  /** Looks for matches, now or after the round that runs. */
  request(): void {
    this.#again = true
    if (this.#running || this.#stopped) return
    this.#running = this.#rounds()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#running = null
        if (this.#again) this.request()
      })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#parts.job.stop()
    await this.#running
    await Promise.all(this.#givenUp.values())
  }

  /**
   * Between two rounds it leaves the store and the process to others: each serves all that came meanwhile.
   */
  async #rounds(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      const start = performance.now()
      await this.#round()
      if (this.#again) await delay(Math.min((performance.now() - start) * PAUSE_FACTOR, PAUSE_LIMIT_MS))
    }
  }

  /** Each part of it is a transaction of its own. */
  async #round(): Promise<void> {
    // Where another node matches, the visitors who are here are told their places all the same.
    if (!(await this.#parts.job.begin())) return this.#parts.onRound()
    this.#parts.onOwnRound()
    await this.#prepare()
    await this.#sweep()
    const times: number[] = []
    await this.#offer(times)
    times.push(...(await this.#giveUpNamed()))
    this.#parts.onRound()
    await this.#lookAgain(times)
  }

  async #prepare(): Promise<void> {
    for (let prepared = PREPARED_BATCH; prepared === PREPARED_BATCH && !this.#stopped;)
      prepared = await prepareWaiting(this.#parts.db)
  }

  async #sweep(): Promise<void> {
    const { db, bus, clock } = this.#parts
    for (let from: OfferPair | null = { contact: '', agent: '' }; from && !this.#stopped;) {
      const { stale, next }: Awaited<ReturnType<typeof sweepOffers>> = await sweepOffers(
        db,
        from,
        clock.now(),
      )
      const untold = stale.flatMap((offer) => (offer.untold ? [offer.agent] : []))
      if (untold.length > 0) await passOver(db, untold, clock.now() + PASSED_OVER_MS)
      await inTurns(stale, ({ contact, agent }) =>
        bus.publish('agent', {
          agent,
          push: { name: 'agent.withdrawn', body: { id: contact, reason: 'cleared' } },
        }),
      )
      from = next
    }
  }

  /**
   * A contact that was handed to one agent waits for that one as long as for the answer to an offer. Gives
   * when to look again.
   */
  async #giveUpNamed(): Promise<number[]> {
    const { db, clock, limits } = this.#parts
    const named = await readNamed(db)
    for (const { id, since } of named) if (since + limits.offerMs <= clock.now()) this.#giveUp(id)
    return [
      ...named.map(({ since }) => since + limits.offerMs),
      ...(this.#givenUp.size > 0 ? [clock.now() + GIVE_UP_AGAIN_MS] : []),
    ]
  }

  /**
   * Beside the rounds: somebody else may have locked the contact, and then only this one waits, until a later
   * round asks again.
   */
  #giveUp(contact: string): void {
    if (this.#givenUp.has(contact)) return
    const work = this.#parts
      .onNotTaken(contact)
      .catch(this.#parts.onFault)
      .finally(() => this.#givenUp.delete(contact))
    this.#givenUp.set(contact, work)
  }

  /**
   * Goes through the queue as long as an agent has room: visitors who are there before those who are away, the
   * longest wait first. Adds to the moments at which to look again.
   */
  async #offer(times: number[]): Promise<void> {
    const { db, bus, clock, limits } = this.#parts
    for (let from: Place | null = START; from && !this.#stopped;) {
      const after: Place = from
      const {
        made,
        times: more,
        next,
      }: Slice = await db.transaction().execute((trx) => this.#slice(trx, after))
      await inTurns(made, ({ agent, distribution }) =>
        bus.publish('agent', { agent, push: { name: 'agent.distribution', body: distribution } }),
      )
      if (made.length > 0) bus.publish('timer', { due: clock.now() + limits.offerMs })
      times.push(earliest(more, clock.now()))
      from = next
    }
  }

  async #slice(trx: Transaction<Tables>, after: Place): Promise<Slice> {
    const { clock, limits, strategy, job } = this.#parts
    const round = await job.roundIn(trx)
    if (round === null) return NOTHING_MORE
    const agents = await readCandidates(trx, clock.now())
    if (!agents.some(hasRoom)) return NOTHING_MORE
    const limit = Math.max(1, Math.min(SLICE_CONTACTS, Math.floor(SLICE_PAIRS / agents.length)))
    const rows = await readWaiting(trx, { after, parallel: Math.min(mostParallel(strategy), ALL), limit })
    if (rows.length === 0) return NOTHING_MORE
    const { planned, times } = await this.#plan(trx, rows, agents)
    if (planned.length > 0 && !(await job.advance(trx, round))) return NOTHING_MORE
    const now = clock.now()
    const pairs = await insertOffers(trx, planned, {
      due: now + limits.offerMs,
      made: strategy.pausesOnExpiry ? now : null,
    })
    const shown = new Map(rows.map((row) => [row.id, row]))
    const made = await distributionsOf(trx, pairs, { shown, expiresInMs: limits.offerMs, now })
    const last =
      planned.length >= SLICE_OFFERS
        ? shown.get(planned.at(-1)?.contact ?? '')
        : rows.length < limit
          ? null
          : rows.at(-1)
    return { made, times, next: last ?? null }
  }

  async #plan(
    trx: Transaction<Tables>,
    rows: readonly WaitingRow[],
    agents: readonly Candidate[],
  ): Promise<{ planned: readonly OfferPair[]; times: readonly number[] }> {
    const { clock, strategy, limits } = this.#parts
    const [ids, now] = [rows.map((row) => row.id), clock.now()]
    const offered = pairs(await readOffers(trx, ids))
    const refusals = await readRefusals(trx, ids, now)
    const situation = {
      strategy,
      now,
      waiting: rows.map(waitingOf),
      agents,
      offered,
      refused: pairs(refusals),
      most: SLICE_OFFERS,
      keptMs: limits.offerMs,
    }
    const moments = stepTimes(strategy)
    const steps = rows.flatMap((row) => moments.map((afterMs) => row.queued_at + afterMs))
    const handed = rows.flatMap((row) =>
      row.handed_by === null ? [] : [Math.max(row.queued_at, row.handed_at ?? 0) + limits.offerMs],
    )
    return {
      planned: planOffers(situation),
      times: [...refusals.map(({ until }) => until), ...steps, ...handed],
    }
  }

  /** Sets a timer for the moment when time alone can make a match. */
  async #lookAgain(times: readonly number[]): Promise<void> {
    const { db, clock, bus } = this.#parts
    const due = earliest(times, clock.now())
    if (!Number.isFinite(due)) return
    await setTimer(db, { subject: 'queue', kind: 'match', key: '', due })
    bus.publish('timer', { due })
  }
}

/** The next of these moments. */
const earliest = (times: readonly number[], now: number): number =>
  times.reduce((next, time) => (time > now && time < next ? time : next), Number.POSITIVE_INFINITY)

/** Does it for all, some at a time: between them others have their turn. */
async function inTurns<T>(all: readonly T[], run: (each: T) => void): Promise<void> {
  for (let from = 0; from < all.length; from += TELL_BATCH) {
    if (from > 0) await turn()
    for (const each of all.slice(from, from + TELL_BATCH)) run(each)
  }
}

function pairs(rows: readonly OfferPair[]): PairSet {
  const map = new Map<string, Set<string>>()
  for (const { contact, agent } of rows) {
    const agents = map.get(contact)
    if (agents) agents.add(agent)
    else map.set(contact, new Set([agent]))
  }
  return map
}
