import type { Contact, ContactEvents, MediaState, PartialMediaState } from './sdk.ts'
import type { Conversation, ConversationEvent, Problem, ShownOffer } from './conversation.ts'
import {
  CALL_MEDIA,
  ENGINE,
  choiceOf,
  covers,
  hangUp,
  isRefusal,
  offerFor,
  rowsOf,
  startsNothing,
  stopSending,
} from './media-plan.ts'
import type { CallKind, CallMedium } from './media-plan.ts'
import { problemOf } from './problems.ts'

const WATCH_OFFER_MS = 500
const MUTE = {
  audio: ['muteLocalAudio', 'unmuteLocalAudio'],
  video: ['muteLocalVideo', 'unmuteLocalVideo'],
} as const

export interface CallDeskHost {
  state(): Conversation
  tell(event: ConversationEvent): void
}

/** Calls of one contact: starting, answering, muting, hanging up. */
export class CallController {
  readonly #contact: Contact
  readonly #host: CallDeskHost
  readonly #onOffer = (event: ContactEvents['mediaoffer']): void => this.#offered(event)
  readonly #onMedia = ({ newMedia }: ContactEvents['mediachange']): void => this.#mediaIs(newMedia)
  readonly #onLocal = (local: ContactEvents['localcapabilities']): void =>
    this.#host.tell({ type: 'capabilities', local })
  readonly #onRestored = (call: ContactEvents['restored']): void => this.#restored(call)
  readonly #onRemote = (remote: ContactEvents['capabilities']): void =>
    this.#host.tell({ type: 'capabilities', remote })
  #given: PartialMediaState = {}
  #watch: ReturnType<typeof setInterval> | undefined
  #isAsking = false

  constructor(contact: Contact, host: CallDeskHost) {
    this.#contact = contact
    this.#host = host
  }

  start(): void {
    this.#contact.on('mediaoffer', this.#onOffer)
    this.#contact.on('mediachange', this.#onMedia)
    this.#contact.on('localcapabilities', this.#onLocal)
    this.#contact.on('capabilities', this.#onRemote)
    this.#contact.on('restored', this.#onRestored)
    this.askMedia()
    this.#contact
      .getLocalCapabilities()
      .then((local) => this.#host.tell({ type: 'capabilities', local }), noMatter)
    this.askRemote()
  }

  /**
   * Reads the media that are on: entering a contact turns on what it starts with, and no event tells of that.
   */
  askMedia(): void {
    this.#contact.getMedia().then((media) => this.#mediaIs(media), noMatter)
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

  close(): void {
    this.#stopWatching()
    this.#contact.off('mediaoffer', this.#onOffer)
    this.#contact.off('mediachange', this.#onMedia)
    this.#contact.off('localcapabilities', this.#onLocal)
    this.#contact.off('capabilities', this.#onRemote)
    this.#contact.off('restored', this.#onRestored)
  }

  /**
   * Starts a call. Called inside a click, and waits for nothing that takes time: browsers let a page ask for
   * devices and screens only then.
   */
  call(kind: CallKind): void {
    if (this.#host.state().request) return
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

  /** Ends media in both directions. */
  hangUp(which: readonly CallMedium[] = CALL_MEDIA): void {
    this.#change(hangUp(this.#host.state().media, which), () => this.#unmuteEnded())
  }

  stopScreen(): void {
    this.#change(stopSending(this.#host.state().media, 'Screen'))
  }

  /** Whether the engine can mute. */
  canMute(kind: 'audio' | 'video'): boolean {
    return MUTE[kind].every((name) => this.#engineMethod(name) !== undefined)
  }

  toggleMute(kind: 'audio' | 'video'): void {
    this.#mute(kind, !this.#host.state().muted[kind])
  }

  #mute(kind: 'audio' | 'video', on: boolean): void {
    const method = this.#engineMethod(MUTE[kind][on ? 0 : 1])
    if (!method) return
    try {
      method()
      this.#host.tell({ type: 'muted', kind, on })
    } catch (error) {
      this.#problem(problemOf(error, 'change'))
    }
  }

  /**
   * Accepts the shown offer; `send` says which optional media to transmit. Called inside a click. Where a
   * device is refused, less of it can be accepted.
   */
  accept(send: Readonly<Partial<Record<CallMedium, boolean>>>): void {
    const { offer: shown, media } = this.#host.state()
    if (shown?.status !== 'asking') return
    const choice = choiceOf(shown.offer, media, send)
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
        if (this.#contact.mediaState !== 'offered') return this.#checkOffer()
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
      if (startsNothing(offer, media)) return void this.#contact.acceptOffer(offer).catch(noMatter)
      this.#host.tell({ type: 'offer', offer: { offer, status: 'asking' } })
      this.#stopWatching()
      this.#watch = setInterval(() => this.#checkOffer(), WATCH_OFFER_MS)
    }, callback)
  }

  /** No event tells that an offer is over: the state of the negotiation does. */
  #checkOffer(): void {
    const { offer, media } = this.#host.state()
    if (!offer) return this.#stopWatching()
    const { mediaState } = this.#contact
    if (mediaState === 'offered' || mediaState === 'transiting') return
    this.#closeOffer()
    if (offer.status !== 'answered') this.#problem({ code: 'withdrawn', what: 'answer' })
    else if (!covers(media, this.#given) && !this.#host.state().problem)
      this.#problem({ code: 'engine_failed', what: 'answer' })
  }

  #closeOffer(): void {
    this.#host.tell({ type: 'offer', offer: null })
    this.#stopWatching()
  }

  #stopWatching(): void {
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  #mediaIs(media: MediaState): void {
    this.#host.tell({ type: 'media', media })
  }

  /** A call that a page load had cut is back, muted and on hold as the contact has left it. */
  #restored({ muted, held }: ContactEvents['restored']): void {
    this.#host.tell({ type: 'muted', kind: 'audio', on: muted.includes('Voice') })
    this.#host.tell({ type: 'muted', kind: 'video', on: muted.includes('Video') })
    this.#host.tell({ type: 'held', on: held })
  }

  /**
   * A call that was hung up here begins unmuted the next time. One that was cut may come back by itself, and
   * stays muted.
   */
  #unmuteEnded(): void {
    const { muted, media } = this.#host.state()
    if (muted.audio && media.Voice?.tx !== true) this.#mute('audio', false)
    if (muted.video && media.Video?.tx !== true) this.#mute('video', false)
  }

  #change(media: PartialMediaState, then = noMatter): void {
    if (Object.keys(media).length === 0) return
    this.#contact
      .mergeAndTransitMedia(media)
      .then(then, (error: unknown) => this.#problem(problemOf(error, 'change')))
  }

  #problem(problem: Problem | null): void {
    this.#host.tell({ type: 'problem', problem })
  }

  #engineMethod(name: string): (() => unknown) | undefined {
    const engine: object | undefined = this.#contact.getMediaEngine(ENGINE)
    const found: unknown = engine && Reflect.get(engine, name)
    return engine && typeof found === 'function'
      ? () => Reflect.apply(found, engine, []) as unknown
      : undefined
  }
}

const noMatter = (): void => undefined
