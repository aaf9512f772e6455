import { engineError } from './errors.ts'
import type { MediaTransceiver } from './media-transceivers.ts'

export interface TrackChangesOptions {
  /** The transceivers of the connection now; none while there is none. */
  readonly lines: () => readonly MediaTransceiver[]
  /** The track that a transceiver is to send; null: none. */
  readonly trackFor: (line: MediaTransceiver) => MediaStreamTrack | null
  /** Brings what is received from the transceivers up to date. */
  readonly receive: (lines: readonly MediaTransceiver[]) => void
}

/** Has each transceiver send and receive what it should: one change of a connection after the other. */
export class TrackChanges {
  readonly #options: TrackChangesOptions
  /** The last change. */
  #change: Promise<void> = Promise.resolve()
  /** The transceivers that it is about. */
  #lines: readonly MediaTransceiver[] = []

  constructor(options: TrackChangesOptions) {
    this.#options = options
  }

  /** Resolves when the last change has been made. @throws `engine_failed` */
  get settled(): Promise<void> {
    return this.#change
  }

  /**
   * Brings the transceivers up to date, after the change that is under way with them. A connection that
   * closes need not
   * settle what is (W3C webrtc, section 5.2.1).
   * @throws `engine_failed` where the browser refuses a track
   */
  sync(): Promise<void> {
    const lines = this.#options.lines()
    const before = lines === this.#lines ? this.#change.catch(() => {}) : Promise.resolve()
    this.#lines = lines
    this.#change = before.then(() => this.#replaceTracks())
    this.#change.catch(() => {})
    return this.#change
  }

  async #replaceTracks(): Promise<void> {
    const { lines: current, trackFor, receive } = this.#options
    const lines = current()
    receive(lines)
    const senders = lines.map((line) => ({ sender: line.transceiver.sender, track: trackFor(line) }))
    try {
      await Promise.all(
        senders
          .filter(({ sender, track }) => sender.track !== track)
          .map(({ sender, track }) => sender.replaceTrack(track)),
      )
    } catch (cause) {
      if (current() === lines) throw engineError('a track could not be sent', cause)
    }
  }
}
