import { ContactError } from '../../protocol/index.ts'
import type { Clock, HealingStep, JsonValue, PartialMediaState } from '../../protocol/index.ts'
import type { EngineHost, EngineTransition, MediaEngine } from '../media-engine.ts'
import { CaptureControls } from './capture-controls.ts'
import { engineError } from './errors.ts'
import { PeerSession } from './peer-session.ts'
import type { WebRtcOptions } from './environment.ts'
import { NOTHING, isEmpty, targetOf, turnsOn } from './media-target.ts'
import type { MediaTarget } from './media-target.ts'
import { WEBRTC_MEDIA } from './media-transceivers.ts'
import type { MediaTransceiver, WebRtcMedium } from './media-transceivers.ts'
import { CONNECT_LIMIT_MS, RECONNECT_LIMIT_MS } from './limits.ts'
import { Observer } from './observer.ts'
import { Operations, unlessAborted } from './operations.ts'
import { Receivers } from './receivers.ts'
import { TrackChanges } from './track-changes.ts'
import type { RecoveryStep } from './signals.ts'

const RECOVERY_STEP_OF: Readonly<Partial<Record<HealingStep, RecoveryStep>>> = {
  ice_restart: 'restart',
  renegotiation: 'renegotiate',
  relay_only: 'relay',
}

/**
 * Voice, Video and Screen between two browsers. `data` of each medium is `{ tx_stream, rx_stream }`:
 * MediaStreams, present for the direction that is on.
 *
 * Making one touches nothing; the browser's WebRTC and devices are looked up when they are first needed.
 *
 * @example
 * const engine = new WebRtcEngine({ video: { width: { ideal: 1280 } } })
 * await contact.registerMediaEngine(engine)
 * engine.muteLocalAudio()
 */
export class WebRtcEngine extends CaptureControls implements MediaEngine {
  /** {@inheritDoc MediaEngine.id} */
  readonly id = 'WebRTC'
  readonly #options: WebRtcOptions
  readonly #receivers: Receivers
  #host: EngineHost | undefined
  #connection: PeerSession | undefined
  /** What tracks are set for, or will be as soon as there are lines. */
  #target: MediaTarget = NOTHING
  /**
   * Media whose capture is over: not asked for again until they have been off, or the user is asked anew.
   */
  readonly #ended = new Set<WebRtcMedium>()
  readonly #operations = new Operations()
  /** The number of calls of `prepare` under way. */
  #preparing = 0
  #observer: Observer | undefined
  readonly #tracks = new TrackChanges({
    lines: () => this.#lines,
    trackFor: (line) => (this.#target.tx.has(line.medium) ? this.captures.track(line) : null),
    receive: (lines) => this.#receivers.sync(lines, this.#target.rx),
  })

  /** @param options What to use in place of the browser's own, and how devices are asked for. */
  constructor(options: WebRtcOptions = {}) {
    super(options)
    this.#options = options
    this.#receivers = new Receivers(this.environment)
  }

  /** {@inheritDoc MediaEngine.capabilities} */
  async capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    return this.environment.implementation
      ? Object.fromEntries(WEBRTC_MEDIA.map((medium) => [medium, { via: 'net' }]))
      : {}
  }

  /** {@inheritDoc MediaEngine.attach} */
  attach(host: EngineHost): void {
    if (this.#host)
      throw new ContactError('invalid_state', 'unable to attach the engine; make one for each contact')
    this.#host = host
    this.#connection = new PeerSession({
      host,
      environment: this.environment,
      iceTransportPolicy: this.#options.iceTransportPolicy ?? 'all',
      events: {
        lines: () => this.#keepUp(),
        broke: (error) => this.#broke(error),
      },
    })
    this.#connection.tell(this.controls())
    this.#observer = this.#observe(host, this.#connection)
  }

  /** {@inheritDoc MediaEngine.prepare} */
  async prepare(media: PartialMediaState, agreed = false): Promise<void> {
    const { tx } = targetOf(media)
    for (const medium of tx) this.#ended.delete(medium)
    const acquired = this.captures.acquire([...tx])
    if (agreed) this.#connection?.agree()
    else this.#connection?.foresee()
    this.#preparing++
    try {
      await acquired
    } catch (error) {
      if (this.#preparing === 1) this.captures.keepOnly(this.#target.tx)
      throw error
    } finally {
      this.#preparing--
    }
  }

  /** {@inheritDoc MediaEngine.transit} */
  async transit({ to, signal }: EngineTransition): Promise<void> {
    await this.#operations.run(signal, async (stop) => {
      const target = targetOf(to)
      const limitMs = turnsOn(this.#target, target) ? CONNECT_LIMIT_MS : undefined
      try {
        await this.#bringTo(target, limitMs, stop)
      } finally {
        this.captures.keepOnly(this.#target.tx)
      }
    })
  }

  /** {@inheritDoc MediaEngine.undo} */
  async undo(to: PartialMediaState): Promise<void> {
    const target = targetOf(to)
    // Only now: what is prepared from here on is kept.
    this.captures.keepOnly(target.tx)
    await this.#operations.run(undefined, async (stop) => {
      try {
        await this.#bringTo(target, this.#connection?.isMade ? undefined : RECONNECT_LIMIT_MS, stop)
      } catch (error) {
        if (!stop.aborted) this.#giveBack()
        throw error instanceof ContactError && ['left', 'engine_failed'].includes(error.code)
          ? error
          : engineError('the undo failed', error)
      }
    })
  }

  /** {@inheritDoc MediaEngine.receive} */
  receive(data: JsonValue): void {
    this.#connection?.receive(data)
  }

  /** {@inheritDoc MediaEngine.data} */
  data(): Readonly<Record<string, { readonly tx_stream?: MediaStream; readonly rx_stream?: MediaStream }>> {
    const { tx, rx } = this.#target
    return Object.fromEntries(
      WEBRTC_MEDIA.filter((medium) => tx.has(medium) || rx.has(medium)).map((medium) => {
        const sent = tx.has(medium) ? this.captures.stream(medium) : undefined
        const received = this.#receivers.stream(medium)
        return [medium, { ...(sent && { tx_stream: sent }), ...(received && { rx_stream: received }) }]
      }),
    )
  }

  /** {@inheritDoc MediaEngine.stop} */
  async stop(): Promise<void> {
    await this.#operations.abort(() => this.#giveBack())
  }

  /** Signals of the other party that were malformed, late or out of place, and were dropped. */
  get droppedSignals(): number {
    return this.#connection?.dropped ?? 0
  }

  /** Statistics of the connection as the browser has them; `undefined` while there is none. */
  async getStats(): Promise<RTCStatsReport | undefined> {
    return this.#connection?.real?.getStats()
  }

  async #bringTo(target: MediaTarget, connectLimitMs: number | undefined, stop: AbortSignal): Promise<void> {
    const connection = this.#connection
    if (!connection) throw new ContactError('invalid_state', 'unable to change media; not attached')
    if (isEmpty(target)) return this.#turnOff()
    const waits = connectLimitMs !== undefined || !connection.isMade
    const acquired = this.#capture(target, stop)
    const connected = waits ? connection.connect(connectLimitMs ?? CONNECT_LIMIT_MS, stop) : connection.want()
    const applied = acquired.then(() => (stop.aborted ? undefined : this.#apply(target)))
    await unlessAborted(Promise.all([applied, connected]), stop)
    await unlessAborted(this.#tracks.settled, stop)
    for (const medium of this.#ended) if (!target.tx.has(medium)) this.#ended.delete(medium)
  }

  /** A device that goes away before all are there is asked for again. */
  async #capture({ tx }: MediaTarget, stop: AbortSignal): Promise<void> {
    const missing = (): WebRtcMedium[] =>
      [...tx].filter((medium) => !this.#ended.has(medium) && !this.captures.stream(medium))
    while (!stop.aborted && missing().length > 0) await this.captures.acquire(missing())
  }

  #observe(host: EngineHost, connection: PeerSession): Observer {
    return new Observer({
      clock: host.clock,
      look: () => connection.up && { stats: connection.up.real.getStats(), lines: connection.up.lines },
      wanted: () => this.#target,
      can: (step) => this.#can(step, connection),
      observed: (observation) => host.observed(observation),
      arrives: (on) => connection.arrives(on),
      liveness: (liveness, take) => {
        const step = take && RECOVERY_STEP_OF[take]
        if (step) connection.recover(step)
        host.report({ type: 'liveness', ...liveness })
      },
    })
  }

  #can(step: HealingStep, { canRelay }: PeerSession): boolean {
    const { tx, rx } = this.#target
    if (step === 'relay_only') return canRelay
    return step !== 'drop_video' || rx.has('Video') || tx.has('Video')
  }

  #apply(target: MediaTarget): Promise<void> {
    const before = this.#target.tx
    this.#target = target
    for (const medium of target.tx) if (this.#ended.has(medium) && !before.has(medium)) this.#tellOver(medium)
    this.#observer?.start()
    this.choice.start()
    return this.#tracks.sync()
  }

  #giveBack(): void {
    this.captures.keepOnly(NOTHING.tx)
    this.#turnOff()
  }

  /** Ends the call, and keeps what is captured: it may be prepared for the next one. */
  #turnOff(): void {
    this.#target = NOTHING
    this.#observer?.stop()
    this.choice.stop()
    this.#ended.clear()
    this.#receivers.sync([], NOTHING.rx)
    this.#connection?.close()
  }

  get #lines(): readonly MediaTransceiver[] {
    return this.#connection?.lines ?? []
  }

  #keepUp(): void {
    this.#tracks.sync().catch((error: unknown) => {
      if (!this.#operations.isRunning && error instanceof ContactError) this.#broke(error)
    })
  }

  protected override get clock(): Clock | undefined {
    return this.#host?.clock
  }

  protected override captureOver(medium: WebRtcMedium): void {
    this.#ended.add(medium)
    this.#keepUp()
    if (this.isSending(medium)) this.#tellOver(medium)
  }

  #tellOver(medium: WebRtcMedium): void {
    this.#host?.report({ type: 'capture_ended', medium })
  }

  protected override captureInterrupted(medium: WebRtcMedium, on: boolean): void {
    this.#host?.report({ type: 'interrupted', medium, on })
  }

  protected override deviceChanged(medium: WebRtcMedium): void {
    this.#keepUp()
    this.#host?.report({ type: 'data_changed', medium })
  }

  protected override controlsChanged(): void {
    this.#connection?.tell(this.controls())
    this.#host?.report({ type: 'controls_changed' })
  }

  protected override isSending(medium: WebRtcMedium): boolean {
    return this.#target.tx.has(medium)
  }

  protected override holding(on: boolean): void {
    this.#receivers.isHeld = on
    this.#receivers.sync(this.#lines, this.#target.rx)
  }

  #broke(error: ContactError): void {
    this.#giveBack()
    this.#host?.report({ type: 'broke', error })
  }
}
