/** Two WebRTC engines, one of the visitor and one of the agent, with a relay between them. */
import { deepEqual } from 'node:assert/strict'
import type { EngineEvent, EngineHost, EngineTransition, WebRtcOptions } from '../../engines/index.ts'
import { WebRtcEngine } from '../../engines/index.ts'
import { otherSlot } from '../../protocol/index.ts'
import type {
  JsonValue,
  MediaStateDetails,
  Observation,
  PartialMediaState,
  Slot,
} from '../../protocol/index.ts'
import { TestClock, settled } from '../../testing/test-clock.ts'
import { COLOURS } from './camera.ts'
import { FaultyNetwork } from './faulty-network.ts'
import { NodeDevices, countingImplementation, shows, trackOf, until, watch } from './node-media.ts'

/** `tx`, `rx` or both of a medium, as in `{ Voice: 'tx rx', Screen: 'rx' }`. */
export type Directions = Readonly<Record<string, 'tx' | 'rx' | 'tx rx'>>

export const media = (directions: Directions): PartialMediaState =>
  Object.fromEntries(
    Object.entries(directions).map(([medium, on]): [string, MediaStateDetails] => [
      medium,
      { tx: on.includes('tx'), rx: on.includes('rx'), via: 'net', engine: 'WebRTC' },
    ]),
  )

const swapped = (directions: Directions): Directions =>
  Object.fromEntries(
    Object.entries(directions).map(([medium, on]) => [
      medium,
      on === 'tx' ? 'rx' : on === 'rx' ? 'tx' : 'tx rx',
    ]),
  )

type Servers = Awaited<ReturnType<EngineHost['iceServers']>>

export type PartyOptions = WebRtcOptions & {
  /** The network can be cut. */
  readonly faulty?: boolean
  /** Called before the engine is attached. */
  readonly made?: (engine: WebRtcEngine) => void
}

export class Party {
  readonly slot: Slot
  readonly devices = new NodeDevices()
  readonly clock: TestClock
  readonly events: EngineEvent[] = []
  readonly sent: JsonValue[] = []
  readonly observations: Observation[] = []
  readonly counted = countingImplementation()
  readonly network = new FaultyNetwork(this.counted.wrtc)
  readonly engine: WebRtcEngine
  /** Called for every fetch of ICE servers. */
  servers: () => Promise<Servers> = () => Promise.resolve([])
  serverFetches = 0
  state: Directions = {}

  constructor(
    slot: Slot,
    clock: TestClock,
    signal: (from: Slot, data: JsonValue) => void,
    { faulty = false, made, ...options }: PartyOptions = {},
  ) {
    this.slot = slot
    this.clock = clock
    this.engine = new WebRtcEngine({
      mediaDevices: this.devices,
      wrtc: faulty ? this.network.wrtc : this.counted.wrtc,
      ...options,
    })
    made?.(this.engine)
    this.engine.attach({
      slot,
      clock,
      signal: (data) => {
        const copy = JSON.parse(JSON.stringify(data)) as JsonValue
        this.sent.push(copy)
        signal(slot, copy)
      },
      iceServers: () => {
        this.serverFetches++
        return this.servers()
      },
      report: (event) => void this.events.push(event),
      observed: (observation) => void this.observations.push(observation),
    })
  }

  /** What it has sent but for candidates, which the network finds in its own time. */
  get told(): JsonValue[] {
    return this.sent.filter((each) => !JSON.stringify(each).includes('"type":"candidate"'))
  }

  /** Brings this side's engine to `to`. */
  async transit(to: Directions, options: Partial<EngineTransition> = {}): Promise<void> {
    await this.engine.transit({
      from: media(this.state),
      to: media(to),
      wasOffered: false,
      restore: false,
      signal: new AbortController().signal,
      ...options,
    })
    this.state = to
  }

  tx = (medium: string): MediaStream | undefined => this.engine.data()[medium]?.tx_stream
  rx = (medium: string): MediaStream | undefined => this.engine.data()[medium]?.rx_stream

  /** Identity of the ICE session that is in force. */
  get ufrag(): string | undefined {
    return /ice-ufrag:(\S+)/.exec(this.counted.made.at(-1)?.currentLocalDescription?.sdp ?? '')?.[1]
  }

  /** Number of media sections that the connection now has. */
  get sections(): number {
    return this.counted.made.at(-1)?.localDescription?.sdp.match(/^m=/gm)?.length ?? 0
  }
}

export class EnginePair {
  readonly clock = new TestClock()
  readonly visitor: Party
  readonly agent: Party
  /** While true, what is sent waits. */
  #isHeld = false
  readonly #relay: { readonly to: Slot; readonly data: JsonValue }[] = []
  /** What goes over the relay is changed by it; nothing is lost by returning `undefined`, it is dropped. */
  tamper: (from: Slot, data: JsonValue) => JsonValue | undefined = (_from, data) => data

  constructor(options: { readonly visitor?: PartyOptions; readonly agent?: PartyOptions } = {}) {
    const signal = (from: Slot, data: JsonValue): void => {
      const passed = this.tamper(from, data)
      if (passed === undefined) return
      this.#relay.push({ to: otherSlot(from), data: passed })
      if (!this.#isHeld) setImmediate(() => this.#deliver())
    }
    this.visitor = new Party('visitor', this.clock, signal, options.visitor)
    this.agent = new Party('agent', this.clock, signal, options.agent)
  }

  get parties(): readonly Party[] {
    return [this.visitor, this.agent]
  }

  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    setImmediate(() => this.#deliver())
  }

  /** Both sides go to a state, told as the visitor sees it. */
  async transit(visitors: Directions): Promise<void> {
    await Promise.all([this.visitor.transit(visitors), this.agent.transit(swapped(visitors))])
  }

  /** What is left of everything that has to be given back: all 0 after `stop`. */
  get leftovers(): { readonly tracks: number; readonly connections: number; readonly timers: number } {
    return {
      tracks: this.visitor.devices.live + this.agent.devices.live,
      connections: this.visitor.counted.open() + this.agent.counted.open(),
      timers: this.clock.pending,
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.parties.map(({ engine }) => engine.stop()))
    for (const { devices } of this.parties) devices.stopAll()
  }

  /** Stops both; nothing may be left. */
  async end(): Promise<void> {
    await this.stop()
    await settled()
    deepEqual(this.leftovers, NOTHING_LEFT)
  }

  #deliver(): void {
    while (!this.#isHeld) {
      const next = this.#relay.shift()
      if (!next) return
      const party = next.to === 'visitor' ? this.visitor : this.agent
      party.engine.receive(next.data)
    }
  }
}

export const NOTHING_LEFT = { tracks: 0, connections: 0, timers: 0 }

/** The code that a Promise rejects with, or `done`. */
export const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { readonly code?: unknown }) => error.code,
  )

/** Waits until a party sees the other one's camera. */
export async function picture(of: Party): Promise<void> {
  const watcher = watch(trackOf(of.rx('Video'), 'video'))
  try {
    await until(`the picture at the ${of.slot}`, () => shows(watcher, COLOURS.red))
  } finally {
    watcher.stop()
  }
}
