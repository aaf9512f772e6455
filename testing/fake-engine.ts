import type { EngineControls, EngineHost, EngineTransition, MediaEngine } from '../engines/index.ts'
import { ContactError } from '../protocol/index.ts'
import type { ErrorCode, JsonValue, PartialMediaState } from '../protocol/index.ts'
import { FakeCaptures } from './fake-captures.ts'
import type { FakeDevices } from './fake-devices.ts'
import { FakeLink } from './fake-link.ts'

/**
 * How a scripted operation goes: done, failed with a code, waiting until it is aborted, or (`freeze`) until
 * {@link FakeEngine.thaw}, not even settling when it is aborted. `stop` ends them all.
 */
export type FakeBehaviour = 'succeed' | 'hang' | 'freeze' | ErrorCode

type Thawed = Exclude<FakeBehaviour, 'freeze'>

/** The operations of an engine that take time. */
export type FakeOperation = 'prepare' | 'transit' | 'undo'

/** What a {@link FakeEngine} carries, and with what. */
export interface FakeEngineOptions {
  /** Stands in `engine` fields. */
  readonly id: string
  /** Names of the media that it carries. */
  readonly media: readonly string[]
  /** Default `net`. */
  readonly via?: string
  /** What is transmitted is captured with these (default: nothing is captured). */
  readonly devices?: FakeDevices
  /** Media are on only when the engine of the other side answers (default: false). */
  readonly connects?: boolean
}

const left = (): ContactError => new ContactError('left', 'unable to go on; the operation was cancelled')

const transmitted = (media: PartialMediaState): readonly string[] =>
  Object.keys(media).filter((medium) => media[medium]?.tx)
const isOff = (media: PartialMediaState): boolean =>
  !Object.values(media).some((details) => details?.tx || details?.rx)

/**
 * An engine of plain data: it does what a test scripts, keeps every law of {@link describeMediaEngine}, and
 * keeps a ledger of what it was asked.
 */
export class FakeEngine implements MediaEngine {
  /** As given. */
  readonly id: string
  readonly #options: FakeEngineOptions
  readonly #script: { [O in FakeOperation]: FakeBehaviour[] } = { prepare: [], transit: [], undo: [] }
  /** What was called, in order. */
  readonly calls: string[] = []
  /** Media that the engine carries now. */
  carried: PartialMediaState = {}
  /** Transitions and undos that ran at the same time as another: must stay 0. */
  overlaps = 0
  /** What the engine was attached to. */
  host: EngineHost | null = null
  #running = 0
  #stopping = new AbortController()
  #undoing = new AbortController()
  readonly #frozen: ((behaviour: Thawed) => void)[] = []
  readonly #captures: FakeCaptures
  #held = false
  readonly #listeners = new Set<() => void>()
  #link: FakeLink | undefined

  /** @param options What it carries, and with what. */
  constructor(options: FakeEngineOptions) {
    this.id = options.id
    this.#options = options
    this.#captures = new FakeCaptures({
      devices: options.devices,
      isTransmitted: (medium) => this.carried[medium]?.tx === true,
      onEnded: (medium) => this.host?.report({ type: 'capture_ended', medium }),
    })
  }

  /** The next call of `operation` behaves so; after the script, all succeed. */
  script(operation: FakeOperation, ...behaviours: FakeBehaviour[]): this {
    this.#script[operation].push(...behaviours)
    return this
  }

  /** Lets everything that is frozen go on: late, and as told. */
  thaw(behaviour: Thawed = 'succeed'): void {
    for (const go of this.#frozen.splice(0)) go(behaviour)
  }

  /** Whether a connection to the other side is open or being made. */
  get isConnected(): boolean {
    return this.#link?.isOpen === true
  }

  /** As given. */
  capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    const via = this.#options.via ?? 'net'
    return Promise.resolve(Object.fromEntries(this.#options.media.map((medium) => [medium, { via }])))
  }

  /** Keeps the host. */
  attach(host: EngineHost): void {
    this.host = host
    if (this.#options.connects) this.#link = new FakeLink(host, (error) => this.#broke(error))
  }

  /** Asks for devices, where there are any. */
  prepare(media: PartialMediaState = {}): Promise<void> {
    this.#captures.allow(transmitted(media))
    const ends = AbortSignal.any([this.#undoing.signal, this.#stopping.signal])
    return this.#run('prepare', ends, () => this.#captures.acquire(transmitted(media)))
  }

  /** Goes as scripted. */
  async transit({ to, signal }: EngineTransition): Promise<void> {
    const ends = AbortSignal.any([signal, this.#undoing.signal, this.#stopping.signal])
    try {
      await this.#run('transit', ends, () => this.#bringTo(to, ends))
    } finally {
      this.#captures.keepOnly(transmitted(this.carried))
    }
  }

  /** Goes as scripted. */
  async undo(to: PartialMediaState): Promise<void> {
    this.#undoing.abort()
    this.#undoing = new AbortController()
    this.#captures.keepOnly(transmitted(to))
    // A signal of this undo alone: what listens to it goes with it.
    const ends = AbortSignal.any([this.#stopping.signal])
    await this.#run('undo', ends, () => this.#bringTo(to, ends))
  }

  /** Notes it in the ledger. */
  receive(data: JsonValue): void {
    this.calls.push('receive')
    this.#link?.receive(data)
  }

  /** The slot, for each medium that is carried. */
  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return Object.fromEntries(
      Object.keys(this.carried).map((medium) => [medium, { slot: this.host?.slot ?? null }]),
    )
  }

  /** Ends everything that runs. */
  stop(): Promise<void> {
    this.calls.push('stop')
    this.#stopping.abort()
    this.#stopping = new AbortController()
    this.#giveBack()
    return Promise.resolve()
  }

  /** Mutes `Voice`. */
  muteLocalAudio = (): void => this.#mute('Voice', true)
  /** Unmutes `Voice`. */
  unmuteLocalAudio = (): void => this.#mute('Voice', false)
  /** Mutes `Video`. */
  muteLocalVideo = (): void => this.#mute('Video', true)
  /** Unmutes `Video`. */
  unmuteLocalVideo = (): void => this.#mute('Video', false)

  /** What is muted, and whether {@link setControls} has put the call on hold. */
  controls(): EngineControls {
    return { muted: this.#captures.muted, held: this.#held }
  }

  /** Calls `listener` after {@link controls} has changed; returns what ends that. */
  onControls(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Mutes and holds as told. */
  setControls({ muted, held }: EngineControls): void {
    if (held !== this.#held) {
      this.#held = held
      this.#tellControls()
    }
    for (const medium of this.#options.media) this.#mute(medium, muted.includes(medium))
  }

  /** Gives the device of a medium back at once. */
  endCapture(medium: string): void {
    this.#captures.end(medium)
  }

  /** Asks for another device for a medium that is captured, and replaces the first one with it. */
  exchange(medium: string): Promise<void> {
    return this.#captures.exchange(medium)
  }

  async #run(operation: FakeOperation, ends: AbortSignal, work: () => Promise<void>): Promise<void> {
    this.calls.push(operation)
    const counts = operation !== 'prepare'
    if (counts && ++this.#running > 1) this.overlaps++
    const stopped = this.#stopping.signal
    try {
      const scripted = this.#script[operation].shift() ?? 'succeed'
      const behaviour = scripted === 'freeze' ? await this.#freeze(stopped) : scripted
      if (behaviour === 'hang') return await untilAborted(ends)
      if (behaviour !== 'succeed')
        throw new ContactError(behaviour, `unable to ${operation}; the script says so`)
      if (ends.aborted) throw left()
      await Promise.race([work(), untilAborted(ends)])
    } finally {
      if (counts) this.#running--
    }
  }

  #freeze(stopped: AbortSignal): Promise<Thawed> {
    return Promise.race([new Promise<Thawed>((resolve) => this.#frozen.push(resolve)), untilAborted(stopped)])
  }

  async #bringTo(to: PartialMediaState, ends: AbortSignal): Promise<void> {
    if (isOff(to)) {
      this.#turnOff()
      return
    }
    await Promise.all([this.#captures.acquire(transmitted(to)), this.#link?.open(ends)])
    if (ends.aborted) throw left()
    const before = this.carried
    this.carried = to
    this.#captures.transmit(transmitted(to), transmitted(before))
  }

  #mute(medium: string, isMuted: boolean): void {
    if (this.#captures.mute(medium, isMuted)) this.#tellControls()
  }

  #tellControls(): void {
    this.host?.report({ type: 'controls_changed' })
    for (const listener of this.#listeners) queueMicrotask(listener)
  }

  #giveBack(): void {
    this.#captures.keepOnly([])
    this.#turnOff()
  }

  #turnOff(): void {
    this.carried = {}
    this.#captures.forgetEnded()
    this.#link?.close()
  }

  #broke(error: ContactError): void {
    this.#giveBack()
    this.host?.report({ type: 'broke', error })
  }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(left())
    signal.addEventListener('abort', () => reject(left()), { once: true })
  })
