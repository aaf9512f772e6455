import type { CallHost } from './call-host.ts'
import type { Problem, ShownOffer } from './conversation.ts'
import type { ConversationEvent } from './conversation-fold.ts'
import { ControlsWatch } from './controls-watch.ts'
import type { CutCall } from './cut-call.ts'
import { carrierOf, operationOf } from './engine-operations.ts'
import {
  CALL_MEDIA,
  choiceOf,
  covers,
  isOn,
  isRefusal,
  offerFor,
  rowsOf,
  startsNothing,
} from './media-plan.ts'
import type { CallKind, CallMedium } from './media-plan.ts'
import { MediaStops } from './media-stops.ts'
import { isEnding } from './stopping.ts'
import { MuteController } from './mute-controller.ts'
import type { MuteKind } from './mute-controller.ts'
import { problemOf } from './problems.ts'
import type { Contact, ContactEvents, MediaState, PartialMediaState } from './sdk.ts'
import { after, every } from './timers.ts'

const WATCH_OFFER_MS = 500
/** An offer stands also while this page announces its engines anew. */
const STANDS: ReadonlySet<string> = new Set(['offered', 'init'])

/** Calls of one contact: starting, answering, muting, hanging up. */
export class CallController {
  readonly #contact: Contact
  readonly #host: CallHost
  readonly #closed: AbortSignal
  readonly #controls: ControlsWatch
  readonly #mutes: MuteController
  readonly #stops: MediaStops
  #given: PartialMediaState = {}
  #stopWatching = (): void => {}
  #cut: CutCall | null = null
  #stopWaiting = (): void => {}
  #isAsking = false

  /** Gives back timers and listeners when `closed` is aborted. */
  constructor(contact: Contact, host: CallHost, closed: AbortSignal) {
    this.#contact = contact
    this.#host = host
    this.#closed = closed
    this.#controls = new ControlsWatch(contact, host)
    this.#mutes = new MuteController(contact, host)
    this.#stops = new MediaStops(contact, host, { mutes: this.#mutes, decline: () => this.decline() })
  }

  start(): void {
    const contact = this.#contact
    const signal = this.#closed
    const tell = (event: ConversationEvent): void => this.#host.tell(event)
    contact.on('mediaoffer', (event) => this.#offered(event), { signal })
    contact.on('mediachange', ({ newMedia, interrupted }) => this.#mediaIs(newMedia, interrupted), { signal })
    contact.on('localcapabilities', (local) => tell({ type: 'capabilities', local }), { signal })
    contact.on('capabilities', (remote) => this.#announced(remote), { signal })
    contact.on('restored', (call) => this.#restored(call), { signal })
    contact.on('mediastate', () => this.#stateChanged(), { signal })
    contact.on('interruption', ({ medium, on }) => tell({ type: 'interrupted', medium, on }), { signal })
    signal.addEventListener('abort', () => this.#controls.close(), { once: true })
    this.#waitForCall()
    this.askMedia()
    contact.getLocalCapabilities().then((local) => tell({ type: 'capabilities', local }), noMatter)
    this.askRemote()
  }

  /** The page of the remote has said this now: it is here. */
  #announced(remote: ContactEvents['capabilities']): void {
    this.#host.tell({ type: 'capabilities', remote })
    this.#host.tell({ type: 'present' })
  }

  /**
   * Reads the media that are on: no event tells of those that a contact starts with. A page that is about to bring a
   * call back has its media off.
   */
  askMedia(): void {
    this.#contact.getMedia().then((media) => {
      this.#mediaIs(media, this.#contact.mediaState !== 'idle')
      this.#stops.look()
    }, noMatter)
  }

  /** Asks what the remote can do, where no event has told it since this page is here. */
  askRemote(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#contact
      .getRemoteCapabilities()
      .then((remote) => this.#host.tell({ type: 'capabilities', remote }))
      .catch(noMatter)
      .finally(() => {
        this.#isAsking = false
      })
  }

  /**
   * Starts a call. Called inside a click, and waits for nothing that takes time: browsers let a page ask for
   * devices and screens only then.
   */
  call(kind: CallKind): void {
    const { request, stopping } = this.#host.state()
    if (request || isEnding(stopping)) return
    this.#stops.forget(CALL_MEDIA)
    this.#host.tell({ type: 'request', kind })
    this.#offer(kind)
      .then((isAccepted) => isAccepted || this.#problem({ code: 'rejected', what: 'call', kind }))
      .catch((error: unknown) => this.#problem(problemOf(error, 'call', { kind })))
      .finally(() => this.#host.tell({ type: 'request', kind: null }))
  }

  async #offer(kind: CallKind): Promise<boolean> {
    const offer = offerFor(kind, await this.#contact.getMediaOffer())
    return !isRefusal(offer, await this.#contact.offerMedia(offer))
  }

  /** Takes back an own call that is not answered yet. */
  cancel(): void {
    this.#contact.withdrawOffer()
  }

  /** Ends media in both directions. The own side is not heard or seen from now on. */
  hangUp(which: readonly CallMedium[] = CALL_MEDIA): void {
    this.#stops.hangUp(which)
  }

  stopScreen(): void {
    this.#stops.stopSending('Screen')
  }

  /** Whether the engine that carries it can mute. */
  canMute(kind: MuteKind): boolean {
    return this.#mutes.can(kind)
  }

  toggleMute(kind: MuteKind): void {
    this.#mutes.toggle(kind)
  }

  /** Whether a device that the system has taken for something else can be asked for anew. */
  canResume(medium: CallMedium): boolean {
    return this.#resuming(medium) !== undefined
  }

  /** Asks for it. Called inside a click. */
  resumeCapture(medium: CallMedium): void {
    Promise.resolve(this.#resuming(medium)?.(medium)).catch((error: unknown) =>
      this.#problem(problemOf(error, 'change')),
    )
  }

  /**
   * Accepts the shown offer; `send` says which optional media to transmit. Called inside a click. Where a
   * device is refused, less of it can be accepted.
   */
  accept(send: Readonly<Partial<Record<CallMedium, boolean>>>): void {
    const { offer: shown, media } = this.#host.state()
    if (shown?.status !== 'asking') return
    const choice = choiceOf(shown.offer, media, send)
    this.#stops.forget(Object.keys(choice))
    const accepting = this.#contact.acceptOffer(shown.offer, choice)
    const become = (status: ShownOffer['status']): void =>
      this.#host.tell({ type: 'offer', offer: { ...shown, status } })
    const isShown = (): boolean => this.#host.state().offer?.offer === shown.offer
    become('preparing')
    accepting.then(
      (answer) => {
        if (!isShown()) return
        this.#given = answer
        become('answered')
      },
      (error: unknown) => {
        if (!isShown()) return
        if (!STANDS.has(this.#contact.mediaState)) return this.#checkOffer()
        become('asking')
        const takesCamera = rowsOf(shown.offer, media).some(
          ({ medium, tx }) =>
            medium === 'Video' && choice[medium] === true && (tx === 'start' || tx === 'may'),
        )
        this.#problem(problemOf(error, 'answer', takesCamera ? { kind: 'video' } : {}))
      },
    )
  }

  decline(): void {
    const { offer: shown } = this.#host.state()
    if (shown) this.#contact.rejectOffer(shown.offer, 'declined by the user').catch(noMatter)
    this.#closeOffer()
  }

  #offered({ offer, callback }: ContactEvents['mediaoffer']): void {
    this.#contact.getMedia().then((media) => {
      this.#mediaIs(media)
      if (this.#closed.aborted) return
      if (startsNothing(offer, media)) return void this.#contact.acceptOffer(offer).catch(noMatter)
      if (this.#stops.refuses()) return callback('the call ends')
      this.#host.tell({ type: 'offer', offer: { offer, status: 'asking' } })
      this.#stopWatching()
      this.#stopWatching = every(WATCH_OFFER_MS, () => this.#checkOffer(), this.#closed)
    }, callback)
  }

  /** An offer that was answered ends with the change of media, or in the watch. */
  #stateChanged(): void {
    this.#stops.look()
    if (this.#host.state().offer?.status !== 'answered') this.#checkOffer()
  }

  /** The state of the negotiation tells when an offer is over. */
  #checkOffer(): void {
    const { offer, media } = this.#host.state()
    if (!offer) return this.#stopWatching()
    const { mediaState } = this.#contact
    if (STANDS.has(mediaState) || mediaState === 'transiting') return
    this.#closeOffer()
    if (offer.status !== 'answered') this.#problem({ code: 'withdrawn', what: 'answer' })
    else if (!covers(media, this.#given) && !this.#host.state().problem)
      this.#problem({ code: 'engine_failed', what: 'answer' })
  }

  #closeOffer(): void {
    this.#host.tell({ type: 'offer', offer: null })
    this.#stopWatching()
  }

  #mediaIs(media: MediaState, interrupted = false): void {
    this.#controls.look()
    this.#host.tell({ type: 'media', media, interrupted })
    this.#waitForCall()
  }

  /** A call that was interrupted is over if it does not come back in time. */
  #waitForCall(): void {
    const { cut } = this.#host.state()
    if (cut === this.#cut) return
    this.#stopWaiting()
    this.#cut = cut
    if (cut) this.#stopWaiting = after(cut.until - this.#host.now(), () => this.#lapsed(), this.#closed)
  }

  #lapsed(): void {
    this.#host.tell({ type: 'lapsed' })
    this.#waitForCall()
  }

  /** A call that a page load had interrupted is back, or as much of it as could be brought back. */
  #restored(event: ContactEvents['restored']): void {
    this.#mutes.restored(event)
    this.#host.tell({ type: 'held', on: event.held })
    this.#lapsed()
    const isOver = this.#host.state().stopping?.isCall === true
    this.#stops.restored()
    if (isOver) return
    if (CALL_MEDIA.some((medium) => isOn(event.missing[medium])))
      this.#problem({ code: event.code ?? 'rejected', what: 'restore' })
  }

  #resuming(medium: CallMedium): ReturnType<typeof operationOf> {
    if (medium === 'Screen') return undefined
    return operationOf(this.#contact, carrierOf(this.#host.state().media, medium), 'resumeCapture')
  }

  #problem(problem: Problem | null): void {
    this.#host.tell({ type: 'problem', problem })
  }
}

const noMatter = (): void => undefined
