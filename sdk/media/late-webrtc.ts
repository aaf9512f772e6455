import type { EngineControls, EngineHost, EngineTransition, MediaEngine } from '../../engines/eager.ts'
import type { Device, WebRtcEngine, WebRtcOptions } from '../../engines/webrtc/index.ts'
import { ContactError, copyOf, within } from '../../protocol/index.ts'
import type { Clock, JsonValue, PartialMediaState } from '../../protocol/index.ts'
import { LOAD_LIMIT_MS } from '../async/lazy-module.ts'
import { here, later } from '../contact/lazy-modules.ts'

/** Signals that may wait for the code: no well-behaved engine sends more before it is answered. */
const MOST_SIGNALS = 512
const NET = { via: 'net' } as const

const left = (): ContactError => new ContactError('left', 'unable to finish; the engine was stopped')
const missing = (cause?: unknown): ContactError =>
  new ContactError('engine_failed', 'unable to use WebRTC; its code could not be loaded', { cause })

/**
 * The page's WebRTC engine: each public member of {@link WebRtcEngine}. What it carries is known at once; its
 * code is loaded with the negotiation, or at the first operation that needs it. What is muted or on hold before
 * is noted, and put in force then.
 */
export class LateWebRtc implements MediaEngine, Pick<WebRtcEngine, keyof WebRtcEngine> {
  readonly id = 'WebRTC'
  readonly #options: WebRtcOptions
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  readonly #chosen = new Map<string, string | null>()
  #controls: EngineControls = { muted: [], held: false }
  #host: EngineHost | null = null
  #isChanged = false
  #engine: WebRtcEngine | null = null
  /** Signals that came before the code, in order. */
  readonly #signals: JsonValue[] = []
  /** Of several operations that wait for the code, those before the last `stop` or `undo` are over. */
  #stops = 0

  constructor(options: WebRtcOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  async capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    return typeof RTCPeerConnection === 'undefined' ? {} : { Voice: NET, Video: NET, Screen: NET }
  }

  attach(host: EngineHost): void {
    if (this.#host)
      throw new ContactError('invalid_state', 'unable to attach the engine; make one for each contact')
    this.#engine?.attach(host)
    this.#host = host
    this.#pass()
    if (this.#isChanged) host.report({ type: 'controls_changed' })
  }

  prepare(media: PartialMediaState, agreed?: boolean): Promise<void> {
    return this.#with((engine) => engine.prepare(media, agreed))
  }

  transit(transition: EngineTransition): Promise<void> {
    return this.#with((engine) => engine.transit(transition), transition.signal)
  }

  async undo(to: PartialMediaState): Promise<void> {
    this.#stops++
    if (this.#engine || Object.values(to).some((details) => details?.tx || details?.rx))
      await this.#with((engine) => engine.undo(to))
  }

  receive(data: JsonValue): void {
    if (this.#engine && this.#host) return this.#engine.receive(data)
    if (this.#signals.length === MOST_SIGNALS) return
    this.#signals.push(data)
    if (this.#signals.length === 1) this.#loaded().catch(() => void this.#signals.splice(0))
  }

  data(): ReturnType<WebRtcEngine['data']> {
    return this.#engine?.data() ?? {}
  }

  async stop(): Promise<void> {
    this.#stops++
    await this.#engine?.stop()
  }

  controls(): EngineControls {
    return this.#engine?.controls() ?? this.#controls
  }

  setControls(controls: EngineControls): void {
    const { muted } = controls
    if (this.#engine) this.#engine.setControls(controls)
    else
      this.#set({ muted: ['Voice', 'Video'].filter((medium) => muted.includes(medium)), held: controls.held })
  }

  onControls(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  muteLocalAudio(): void {
    this.#mute('Voice', true)
  }

  unmuteLocalAudio(): void {
    this.#mute('Voice', false)
  }

  muteLocalVideo(): void {
    this.#mute('Video', true)
  }

  unmuteLocalVideo(): void {
    this.#mute('Video', false)
  }

  hold(): void {
    this.setControls({ ...this.controls(), held: true })
  }

  resume(): void {
    this.setControls({ ...this.controls(), held: false })
  }

  get isHeld(): boolean {
    return this.controls().held
  }

  get isLocalAudioMuted(): boolean {
    return this.controls().muted.includes('Voice')
  }

  get isLocalVideoMuted(): boolean {
    return this.controls().muted.includes('Video')
  }

  listDevices(): Promise<readonly Device[]> {
    return this.#with((engine) => engine.listDevices())
  }

  chosenDevice(medium: 'Voice' | 'Video'): string | null {
    return this.#engine ? this.#engine.chosenDevice(medium) : (this.#chosen.get(medium) ?? null)
  }

  chooseDevice(medium: 'Voice' | 'Video', deviceId: string | null): Promise<void> {
    this.#chosen.set(medium, deviceId)
    return this.#with((engine) => engine.chooseDevice(medium, deviceId))
  }

  setConstraints(medium: 'Voice' | 'Video', constraints: MediaTrackConstraints): Promise<void> {
    const own = copyOf(constraints)
    return this.#with((engine) => engine.setConstraints(medium, own))
  }

  isInterrupted(medium: 'Voice' | 'Video' | 'Screen'): boolean {
    return this.#engine?.isInterrupted(medium) ?? false
  }

  resumeCapture(medium: 'Voice' | 'Video'): Promise<void> {
    return this.#with((engine) => engine.resumeCapture(medium))
  }

  endCapture(medium: 'Voice' | 'Video' | 'Screen'): void {
    this.#engine?.endCapture(medium)
  }

  get droppedSignals(): number {
    return this.#engine?.droppedSignals ?? 0
  }

  async getStats(): Promise<RTCStatsReport | undefined> {
    return this.#engine?.getStats()
  }

  #made({ WebRtcEngine: Engine }: NonNullable<typeof here.webRtc>): WebRtcEngine {
    if (this.#engine) return this.#engine
    const engine = (this.#engine = new Engine(this.#options))
    if (this.#host) engine.attach(this.#host)
    engine.setControls(this.#controls)
    engine.onControls(() => this.#tell())
    this.#pass()
    return engine
  }

  /** Before whatever comes next: a candidate means nothing before its offer. */
  #pass(): void {
    if (this.#engine && this.#host) for (const signal of this.#signals.splice(0)) this.#engine.receive(signal)
  }

  /**
   * At once where the code is there.
   * @throws {@link ContactError} `engine_failed` — the code could not be loaded; `left` — stopped meanwhile; the
   *   reason of `over`; what `run` throws
   */
  async #with<T>(run: (engine: WebRtcEngine) => Promise<T>, over?: AbortSignal): Promise<T> {
    const stops = this.#stops
    if (here.webRtc) return run(this.#made(here.webRtc))
    const engine = await this.#loaded(over)
    if (stops !== this.#stops) throw left()
    return run(engine)
  }

  async #loaded(over?: AbortSignal): Promise<WebRtcEngine> {
    const coming = later.webRtc().catch((cause: unknown) => Promise.reject(missing(cause)))
    return this.#made(await within(coming, { clock: this.#clock, ms: LOAD_LIMIT_MS, over }, missing))
  }

  #mute(medium: string, isMuted: boolean): void {
    const { muted, held } = this.controls()
    const others = muted.filter((each) => each !== medium)
    this.setControls({ muted: isMuted ? [...others, medium] : others, held })
  }

  #set(controls: EngineControls): void {
    if (JSON.stringify(controls) === JSON.stringify(this.#controls)) return
    this.#controls = controls
    this.#host?.report({ type: 'controls_changed' })
    this.#tell()
  }

  /** Listeners run in microtasks, so that an error of one affects nothing here. */
  #tell(): void {
    this.#isChanged = true
    for (const listener of this.#listeners) queueMicrotask(listener)
  }
}
