import type { EngineEvent, MediaEngine } from '../engines/index.ts'
import { otherSlot } from '../protocol/index.ts'
import type { JsonValue, MediaStateDetails, Observation, PartialMediaState, Slot } from '../protocol/index.ts'
import { TestClock, settled } from './test-clock.ts'

/**
 * What the kit must be able to see and do beside the engine itself. Each member opens the laws that need it.
 */
export interface EngineProbes {
  /** The devices behind what is transmitted. */
  readonly devices?: {
    /** Number of devices in use. */
    inUse(): number
    /** Number of questions to the user so far. */
    questions(): number
    /** From now on the user does not answer, until `answer`. */
    hold(): void
    /** Answers what waits since `hold`. */
    answer(): void
    /** The user says no to the next question. */
    refuse(): void
    /** The device that captures a medium goes away. */
    end(medium: string): void
  }
  /**
   * Number of connections to the other side that are open or being made. Only for an engine whose media need
   * the other side's engine.
   */
  readonly connections?: () => number
  /** How a medium is muted. Only for an engine that can. */
  readonly muting?: {
    readonly medium: string
    /** Mutes the medium. */
    mute(): void
    /** Takes it back. */
    unmute(): void
    /** Whether nothing of the medium leaves this side now. */
    isSilent(): boolean
  }
  /**
   * Captures the medium of `muting` with another device from now on; asks for it. Only for an engine that
   * can.
   */
  readonly exchange?: () => Promise<void>
}

/** One engine with its probes. */
export interface EngineUnderTest {
  /** The engine. */
  readonly engine: MediaEngine
  /** How to see and do what is beside it. */
  readonly probes?: EngineProbes
}

/** Makes a new engine, not attached yet, for the party in a slot. */
export type EngineFactory = (slot: Slot) => EngineUnderTest | Promise<EngineUnderTest>

/** Directions by medium: `{ Voice: 'tx rx' }`. */
export type Directions = Readonly<Record<string, 'tx' | 'rx' | 'tx rx'>>

const SOON_MS = 5_000

/** Throws with `claim` where it does not hold. */
export function check(holds: boolean, claim: string): void {
  if (!holds) throw new Error(claim)
}

/** Throws where two plain values differ. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  check(a === e, `${what}: expected ${e}, got ${a}`)
}

/**
 * `done`, the code of the error, or what else it rejected with; `pending` where it does not settle soon. Time
 * stands still meanwhile.
 */
export async function outcome(promise: Promise<unknown>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((resolve) => (timer = setTimeout(() => resolve('pending'), SOON_MS)))
  const settles = promise.then(
    () => 'done',
    (error: unknown) =>
      error instanceof Error && 'code' in error ? String(error.code) : `no ContactError but ${String(error)}`,
  )
  try {
    return await Promise.race([settles, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for what an engine does in its own time. */
export async function eventually(claim: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + SOON_MS
  while (!holds()) {
    check(Date.now() < end, claim)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The same as the other side sees it. */
export const mirrored = (directions: Directions): Directions =>
  Object.fromEntries(
    Object.entries(directions).map(([medium, on]) => [medium, on === 'tx' ? 'rx' : on === 'rx' ? 'tx' : on]),
  )

/** One party with its engine. */
export class Side {
  readonly slot: Slot
  readonly engine: MediaEngine
  readonly #probes: EngineProbes
  readonly events: EngineEvent[] = []
  readonly sent: JsonValue[] = []
  readonly observations: Observation[] = []
  state: Directions = {}
  #vias: Readonly<Record<string, { readonly via: string }>> = {}

  constructor(slot: Slot, { engine, probes = {} }: EngineUnderTest) {
    this.slot = slot
    this.engine = engine
    this.#probes = probes
  }

  async learn(): Promise<void> {
    this.#vias = await this.engine.capabilities()
  }

  get vias(): Readonly<Record<string, { readonly via: string }>> {
    return this.#vias
  }

  get devices(): NonNullable<EngineProbes['devices']> {
    const { devices } = this.#probes
    if (!devices) throw new Error('the factory gives no devices')
    return devices
  }

  get muting(): NonNullable<EngineProbes['muting']> {
    const { muting } = this.#probes
    if (!muting) throw new Error('the factory gives no muting')
    return muting
  }

  exchange(): Promise<void> {
    const { exchange } = this.#probes
    if (!exchange) throw new Error('the factory gives no exchange')
    return exchange()
  }

  get inUse(): number {
    return this.#probes.devices?.inUse() ?? 0
  }

  get connections(): number {
    return this.#probes.connections?.() ?? 0
  }

  media(directions: Directions): PartialMediaState {
    const details = (medium: string, on: string): MediaStateDetails => ({
      tx: on.includes('tx'),
      rx: on.includes('rx'),
      via: this.#vias[medium]?.via ?? 'net',
      engine: this.engine.id,
    })
    return Object.fromEntries(Object.entries(directions).map(([medium, on]) => [medium, details(medium, on)]))
  }

  /** Calls `transit`, and remembers the state when it is done. */
  async transit(to: Directions, signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.engine.transit({
      from: this.media(this.state),
      to: this.media(to),
      wasOffered: false,
      restore: false,
      signal,
    })
    this.state = to
  }

  async undo(to: Directions = this.state): Promise<void> {
    await this.engine.undo(this.media(to))
    this.state = to
  }

  prepare(directions: Directions, agreed = false): Promise<void> {
    return this.engine.prepare(this.media(directions), agreed)
  }

  async stop(): Promise<void> {
    await this.engine.stop()
    this.state = {}
  }

  /** Media that `data` names. */
  get shown(): readonly string[] {
    return Object.keys(this.engine.data()).toSorted()
  }
}

/** Two parties, a relay between them that keeps the order, and time that stands still. */
export class Bench {
  readonly clock = new TestClock()
  readonly visitor: Side
  readonly agent: Side
  readonly #relay: { readonly to: Slot; readonly data: JsonValue }[] = []
  #isHeld = false

  constructor(visitor: EngineUnderTest, agent: EngineUnderTest) {
    this.visitor = new Side('visitor', visitor)
    this.agent = new Side('agent', agent)
  }

  get sides(): readonly [Side, Side] {
    return [this.visitor, this.agent]
  }

  /** Names of the media that both engines carry. */
  get media(): readonly string[] {
    return Object.keys(this.visitor.vias)
  }

  /** A medium, by number; the last one where there are fewer. */
  medium(index: number): string {
    const name = this.media[Math.min(index, this.media.length - 1)]
    if (name === undefined) throw new Error('the engine carries no medium')
    return name
  }

  attach(side: Side): void {
    side.engine.attach({
      slot: side.slot,
      clock: this.clock,
      signal: (data) => {
        side.sent.push(data)
        this.#relay.push({ to: otherSlot(side.slot), data: structuredClone(data) })
        if (!this.#isHeld) setTimeout(() => this.#deliver())
      },
      iceServers: () => Promise.resolve([]),
      report: (event) => void side.events.push(event),
      observed: (observation) => void side.observations.push(observation),
    })
  }

  /** Nothing goes over the relay any more, until `release`. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#deliver()
  }

  /** What waits on the relay is lost. */
  lose(): void {
    this.#relay.length = 0
  }

  /** Both sides go to a state, as the visitor sees it; throws where one fails. */
  async both(visitors: Directions): Promise<void> {
    const ends = await Promise.all([
      outcome(this.visitor.transit(visitors)),
      outcome(this.agent.transit(mirrored(visitors))),
    ])
    same(ends, ['done', 'done'], `transit of both sides to ${JSON.stringify(visitors)}`)
  }

  /** Checks that nothing is held any more: no device, no connection, no timer. */
  async nothingLeft(when: string): Promise<void> {
    await settled()
    const left = {
      devices: this.visitor.inUse + this.agent.inUse,
      connections: this.visitor.connections + this.agent.connections,
      timers: this.clock.pending,
    }
    same(left, { devices: 0, connections: 0, timers: 0 }, `what is left ${when}`)
  }

  #deliver(): void {
    while (!this.#isHeld) {
      const next = this.#relay.shift()
      if (!next) return
      const side = next.to === 'visitor' ? this.visitor : this.agent
      side.engine.receive(next.data)
    }
  }
}

/** Two engines of a factory, attached to each other. */
export async function makeBench(factory: EngineFactory): Promise<Bench> {
  const bench = new Bench(await factory('visitor'), await factory('agent'))
  for (const side of bench.sides) {
    await side.learn()
    bench.attach(side)
  }
  return bench
}
