/**
 * Follows how a connection gathers its first own addresses: wrong TURN credentials give no error but here
 * (W3C WebRTC, section 4.8.2, RTCPeerConnectionIceErrorEvent).
 */
export class Gathering {
  readonly #onNothing: (reason: string) => void
  #found = false
  #trouble: string | undefined

  /** @param onNothing Called when the browser has finished and found no address at all. */
  constructor(onNothing: (reason: string) => void) {
    this.#onNothing = onNothing
  }

  /** What the browser said of a server last. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  watch(connection: RTCPeerConnection, signal: AbortSignal): void {
    const listen = (name: string, run: (event: Event) => void): void =>
      connection.addEventListener(name, run, { signal })
    listen(
      'icecandidate',
      (event) => (this.#found ||= Boolean((event as RTCPeerConnectionIceEvent).candidate?.candidate)),
    )
    listen('icecandidateerror', (event) => {
      const { errorCode, errorText } = event as RTCPeerConnectionIceErrorEvent
      this.#trouble = `${errorCode} ${errorText}`.trim().slice(0, 128)
    })
    listen('icegatheringstatechange', () => {
      if (connection.iceGatheringState === 'complete' && !this.#found)
        this.#onNothing(
          `no TURN server gave an address${this.#trouble === undefined ? '' : `: ${this.#trouble}`}`,
        )
    })
  }
}
