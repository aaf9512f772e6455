import type { EngineControls, EngineEvent } from '../media-engine.ts'
import type { ControlSignal } from './signals.ts'

const NONE: EngineControls = { muted: [], held: false }

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join()

export interface ControlNoticesOptions {
  /** Tells the other side over the attempt that is made. */
  readonly send: (notice: ControlSignal) => void
  /** The other side holds the call or goes on, or has muted or unmuted something. */
  readonly heard: (event: Extract<EngineEvent, { readonly type: 'remote_held' | 'remote_muted' }>) => void
}

/**
 * Tells the other side whether this one holds the call and what it has muted, also over a next connection; and
 * hears it of the other.
 */
export class ControlNotices {
  readonly #options: ControlNoticesOptions
  #own = NONE
  /** The other side was told of one in this call, and may have missed its end. */
  #hasHeld = false
  #hasMuted = false
  #there = NONE

  constructor(options: ControlNoticesOptions) {
    this.#options = options
  }

  /** What this side has muted and holds now. */
  tell(own: EngineControls, isMade: boolean): void {
    const before = this.#own
    this.#own = own
    if (!isMade) return
    if (own.held !== before.held) this.#tellHeld()
    if (!isSame(own.muted, before.muted)) this.#tellMuted()
  }

  /** A new connection is made. */
  made(): void {
    if (this.#own.held || this.#hasHeld) this.#tellHeld()
    if (this.#own.muted.length > 0 || this.#hasMuted) this.#tellMuted()
  }

  /** A notice of the other side. */
  receive(notice: ControlSignal): void {
    if (notice.type === 'muted') return this.#mutedThere(notice.media)
    const held = notice.type === 'hold'
    if (held === this.#there.held) return
    this.#there = { ...this.#there, held }
    this.#options.heard({ type: 'remote_held', on: held })
  }

  /** The call is over: the next one begins anew. */
  forget(): void {
    this.#hasHeld = this.#hasMuted = false
    this.#there = NONE
  }

  #mutedThere(muted: readonly string[]): void {
    if (isSame(muted, this.#there.muted)) return
    this.#there = { ...this.#there, muted }
    this.#options.heard({ type: 'remote_muted', muted })
  }

  #tellHeld(): void {
    this.#hasHeld ||= this.#own.held
    this.#options.send({ type: this.#own.held ? 'hold' : 'resume' })
  }

  #tellMuted(): void {
    this.#hasMuted ||= this.#own.muted.length > 0
    this.#options.send({ type: 'muted', media: this.#own.muted })
  }
}
