import type { CallHost } from './call-host.ts'
import { carrierOf, operationOf } from './engine-operations.ts'
import { CALL_MEDIA } from './media-plan.ts'
import type { CallMedium } from './media-plan.ts'
import type { MuteController } from './mute-controller.ts'
import { codeOf, problemOf } from './problems.ts'
import type { Contact, ErrorCode, MediaState } from './sdk.ts'
import { COMES_BACK_MS, changeFor, isEnding } from './stopping.ts'
import type { Extent, Stopping } from './stopping.ts'

/** The other side has begun something first: its end is waited for. */
const AGAIN: ReadonlySet<ErrorCode> = new Set(['glare', 'withdrawn'])
/** Nothing is on any more. */
const OVER: ReadonlySet<ErrorCode> = new Set(['peer_left', 'left', 'not_joined'])

export interface MediaStopsOptions {
  readonly mutes: MuteController
  /** Rejects the offer that is shown. */
  readonly decline: () => void
}

/**
 * Ends media that the own user has ended. Nobody has to agree: what this side sends stops at once, and the
 * contact is changed as soon as it can be, also when the service is out of reach, an offer stands or the page
 * is loaded anew meanwhile.
 */
export class MediaStops {
  readonly #contact: Contact
  readonly #host: CallHost
  readonly #options: MediaStopsOptions
  #isChanging = false
  /** What is to stop was ended on an earlier page. */
  #isKept: boolean

  constructor(contact: Contact, host: CallHost, options: MediaStopsOptions) {
    this.#isKept = host.state().stopping !== null
    this.#contact = contact
    this.#host = host
    this.#options = options
  }

  /** Ends media in both directions; all of them: the call. */
  hangUp(which: readonly CallMedium[]): void {
    this.#stop(which, 'both')
  }

  stopSending(medium: CallMedium): void {
    this.#stop([medium], 'tx')
  }

  /** The user agrees to these media, or asks for them: they are not to stop any more. */
  forget(media: readonly string[]): void {
    const { stopping } = this.#host.state()
    if (!stopping || isEnding(stopping)) return
    const left = Object.entries(stopping.media).filter(([medium]) => !media.includes(medium))
    this.#show(left.length > 0 ? { ...stopping, media: Object.fromEntries(left) } : null)
  }

  /** Changes the contact if that is possible now; for a whole call, ends the offer that stands. */
  look(): void {
    const { stopping } = this.#host.state()
    if (!stopping || this.#isChanging) return
    if ((stopping.keptUntil ?? Number.POSITIVE_INFINITY) < this.#host.now()) return this.#done()
    const { mediaState } = this.#contact
    if (mediaState === 'idle') return this.#change(stopping)
    if (!stopping.isCall) return
    if (mediaState === 'offering') this.#contact.withdrawOffer()
    else if (mediaState === 'offered' && isEnding(stopping)) this.#options.decline()
  }

  /** Whether an offer of the other side is rejected, since the call ends: it may have been to bring it back. */
  refuses(): boolean {
    const refuses = isEnding(this.#host.state().stopping)
    if (refuses) this.#isKept = false
    return refuses
  }

  /** What a page load had cut is back, or does not come back any more. */
  restored(): void {
    this.#isKept = false
    this.look()
  }

  #stop(which: readonly CallMedium[], extent: Extent): void {
    const { stopping, media } = this.#host.state()
    const added = Object.fromEntries(
      which.map((medium) => [medium, stopping?.media[medium] === 'both' ? 'both' : extent]),
    )
    const isCall = stopping?.isCall === true || which.length === CALL_MEDIA.length
    this.#isKept = false
    this.#show({ media: { ...stopping?.media, ...added }, isCall })
    this.look()
    for (const medium of which) this.#silence(medium, media)
  }

  /** Gives the device back, or mutes where the engine does not do that. */
  #silence(medium: CallMedium, media: MediaState): void {
    const end = operationOf(this.#contact, carrierOf(media, medium), 'endCapture')
    if (end) return void end(medium)
    if (medium !== 'Screen' && media[medium]?.tx)
      this.#options.mutes.set(medium === 'Voice' ? 'audio' : 'video', true)
  }

  #change(stopping: Stopping): void {
    const { media } = this.#host.state()
    const change = changeFor(media, stopping.media)
    if (Object.keys(change).length === 0) return this.#nothingOn(stopping)
    this.#isChanging = true
    this.#contact.mergeAndTransitMedia(change).then(
      () => this.#changed(null),
      (error: unknown) => this.#changed(error),
    )
  }

  #changed(error: unknown): void {
    this.#isChanging = false
    const code = error === null ? null : codeOf(error)
    // The state has changed meanwhile, of which an event tells.
    if (code === 'invalid_state') return
    if (code !== null && AGAIN.has(code)) return this.look()
    this.#done()
    if (code !== null && !OVER.has(code))
      this.#host.tell({ type: 'problem', problem: problemOf(error, 'change') })
  }

  /** Where a page load has cut it, it may come back by itself yet. */
  #nothingOn(stopping: Stopping): void {
    if (!this.#isKept) this.#done()
    else if (stopping.keptUntil === undefined)
      this.#show({ ...stopping, keptUntil: this.#host.now() + COMES_BACK_MS })
  }

  #done(): void {
    this.#isKept = false
    this.#show(null)
    this.#options.mutes.callEnded()
  }

  #show(stopping: Stopping | null): void {
    if (stopping !== this.#host.state().stopping) this.#host.tell({ type: 'stopping', stopping })
  }
}
