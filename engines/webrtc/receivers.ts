import type { Environment } from './environment.ts'
import type { MediaTransceiver, WebRtcMedium } from './media-transceivers.ts'

/**
 * The remote streams of the media that are received. A stream stays the same object while its medium is on,
 * also over a new connection.
 */
export class Receivers {
  readonly #environment: Environment
  /** On hold nothing that is received is played. */
  isHeld = false
  readonly #streams = new Map<WebRtcMedium, MediaStream>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  stream = (medium: WebRtcMedium): MediaStream | undefined => this.#streams.get(medium)

  /** Brings the streams to what the lines give of the media that are received. */
  sync(lines: readonly MediaTransceiver[], receiving: ReadonlySet<WebRtcMedium>): void {
    for (const { medium, transceiver } of lines)
      transceiver.receiver.track.enabled = receiving.has(medium) && !this.isHeld
    for (const medium of [...this.#streams.keys()]) if (!receiving.has(medium)) this.#drop(medium)
    if (lines.length === 0) return
    for (const medium of receiving) {
      const tracks = lines
        .filter((line) => line.medium === medium)
        .map(({ transceiver }) => transceiver.receiver.track)
      replaceTracks(this.#streamFor(medium), tracks)
    }
  }

  #streamFor(medium: WebRtcMedium): MediaStream {
    const known = this.#streams.get(medium)
    if (known) return known
    const { implementation } = this.#environment
    if (!implementation) throw new TypeError('no MediaStream')
    const stream = new implementation.MediaStream()
    this.#streams.set(medium, stream)
    return stream
  }

  #drop(medium: WebRtcMedium): void {
    const stream = this.#streams.get(medium)
    this.#streams.delete(medium)
    if (stream) replaceTracks(stream, [])
  }
}

function replaceTracks(stream: MediaStream, tracks: readonly MediaStreamTrack[]): void {
  const before = stream.getTracks()
  for (const track of before) if (!tracks.includes(track)) stream.removeTrack(track)
  for (const track of tracks) if (!before.includes(track)) stream.addTrack(track)
}
