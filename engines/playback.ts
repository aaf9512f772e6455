/**
 * What a player of remote media does. `blocked`: the browser lets it make no sound before the user has
 * clicked somewhere. `interrupted`: the system has paused it, for a telephone call for example. Both end
 * nothing: {@link Playback.resume}.
 */
export type PlaybackState = 'playing' | 'blocked' | 'interrupted'

/** The part of an audio or video element that playback uses. */
export type Player = Pick<HTMLMediaElement, 'srcObject' | 'play' | 'addEventListener' | 'removeEventListener'>

/**
 * Plays a stream in an element of the page, and tells when the browser or the system does not let it.
 *
 * @example
 * const playback = new Playback(audio, (state) => (button.hidden = state === 'playing'))
 * button.addEventListener('click', () => playback.resume())
 * playback.play(newMedia.Voice?.data?.rx_stream)
 */
export class Playback {
  readonly #player: Player
  readonly #tell: (state: PlaybackState) => void
  readonly #onPlaying = (): void => this.#is('playing')
  readonly #onPause = (): void => void (isLive(this.#player.srcObject) && this.#is('interrupted'))
  readonly #onVisible = (): void => void (this.#state === 'interrupted' && !document.hidden && this.resume())
  #state: PlaybackState | undefined

  /** @param tell Called with each new state. */
  constructor(player: Player, tell: (state: PlaybackState) => void) {
    this.#player = player
    this.#tell = tell
  }

  /** The state; undefined while nothing is to be played. */
  get state(): PlaybackState | undefined {
    return this.#state
  }

  /** Plays this stream from now on; none: stops. */
  play(stream: MediaStream | null | undefined): void {
    if (!stream) return this.#stop()
    this.#player.addEventListener('playing', this.#onPlaying)
    this.#player.addEventListener('pause', this.#onPause)
    globalThis.document?.addEventListener('visibilitychange', this.#onVisible)
    if (this.#player.srcObject !== stream) this.#player.srcObject = stream
    void this.resume()
  }

  /**
   * Tries again, inside a click also what the browser has blocked. What was interrupted is also tried when
   * the page is seen again.
   */
  async resume(): Promise<void> {
    const { srcObject } = this.#player
    if (!srcObject) return
    try {
      await this.#player.play()
    } catch (thrown) {
      const isBlocked = thrown instanceof Error && thrown.name === 'NotAllowedError'
      if (isBlocked && this.#player.srcObject === srcObject) this.#is('blocked')
    }
  }

  #stop(): void {
    this.#player.removeEventListener('playing', this.#onPlaying)
    this.#player.removeEventListener('pause', this.#onPause)
    globalThis.document?.removeEventListener('visibilitychange', this.#onVisible)
    this.#player.srcObject = null
    this.#state = undefined
  }

  #is(state: PlaybackState): void {
    if (state === this.#state) return
    this.#state = state
    this.#tell(state)
  }
}

/** A player also pauses when its stream ends, which is no interruption. */
const isLive = (stream: MediaProvider | null): boolean =>
  stream !== null && !('active' in stream && !stream.active)
