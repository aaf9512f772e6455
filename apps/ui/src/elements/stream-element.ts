import { LitElement, css, html } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { Playback } from 'duolog/engines'
import type { SoundController } from '../sound-controller.ts'
import { define } from './define.ts'

/** One stream: a picture, or sound alone. Tells `sound` while it should be heard and is not. */
export class StreamElement extends LitElement {
  static override properties = {
    stream: { attribute: false },
    sink: { attribute: false },
    sound: { attribute: false },
    kind: {},
    name: {},
    label: {},
    muted: { type: Boolean },
    mirrored: { type: Boolean, reflect: true },
  }
  static override styles = css`
    :host {
      display: block;
      min-block-size: 0;
      min-inline-size: 0;
    }
    :host([kind='audio']) {
      display: none;
    }
    video {
      display: block;
      inline-size: 100%;
      block-size: 100%;
      object-fit: contain;
      background: #101412;
    }
    :host(.small) video {
      object-fit: cover;
    }
    :host([mirrored]) video {
      transform: scaleX(-1);
    }
  `

  declare stream: MediaStream | null
  /** The speaker; empty: the system's choice. */
  declare sink: string
  declare sound: SoundController | undefined
  declare kind: 'video' | 'audio'
  declare name: string
  declare label: string
  declare muted: boolean
  declare mirrored: boolean
  #playback: Playback | undefined
  /** The picture stands in a window of its own. */
  #isApart = false

  constructor() {
    super()
    this.stream = null
    this.sink = ''
    this.kind = 'video'
    this.name = ''
    this.label = ''
    this.muted = false
    this.mirrored = false
  }

  override render(): TemplateResult {
    return this.kind === 'audio'
      ? html`<audio data-testid=${this.name} aria-label=${this.label}></audio>`
      : html`<video
          playsinline
          data-testid=${this.name}
          aria-label=${this.label}
          .muted=${this.muted}
          @enterpictureinpicture=${() => (this.#isApart = true)}
          @leavepictureinpicture=${() => (this.#isApart = false)}
        ></video>`
  }

  override updated(changed: PropertyValues<this>): void {
    const player = this.#player()
    if (player && changed.has('sink') && player.sinkId !== this.sink) void this.#playOn(player)
    if (!player || !changed.has('stream')) return
    player.muted = this.muted
    void this.#show(player)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate('stream')
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#playback?.play(null)
    this.#isSilent(false)
    // One that is only moved is back by then.
    queueMicrotask(() => this.isConnected || this.#closeWindow())
  }

  /** Plays; inside a click also what the browser has blocked. */
  play(): void {
    const player = this.#player()
    if (this.#playback) void this.#playback.resume()
    else if (player) void this.#show(player)
  }

  /** Loads the SDK's player first: it comes with the engines, which are there where a stream is. */
  async #show(player: HTMLMediaElement): Promise<void> {
    try {
      const { Playback } = await import('duolog/engines')
      this.#playback ??= new Playback(player, (state) => this.#isSilent(state !== 'playing'))
      const stream = this.isConnected ? this.stream : null
      if (!stream) this.#isSilent(false)
      this.#playback.play(stream)
    } catch {
      this.#isSilent(this.isConnected && this.stream !== null)
    }
  }

  /** Shows the picture in a window of its own, above others, or takes it back (Picture-in-Picture, 3). */
  async toggleWindow(): Promise<void> {
    const player = this.#player()
    if (!(player instanceof HTMLVideoElement)) return
    try {
      if (this.#isApart) await document.exitPictureInPicture()
      else await player.requestPictureInPicture()
    } catch {
      return
    }
  }

  /** Browsers leave the window open when its picture is gone. */
  #closeWindow(): void {
    if (this.#isApart) document.exitPictureInPicture().catch(() => {})
  }

  #isSilent(isSilent: boolean): void {
    this.sound?.tell(this, isSilent && !this.muted)
  }

  /** A speaker that is gone leaves the one before; some browsers cannot choose. */
  async #playOn(player: Partial<Pick<HTMLMediaElement, 'setSinkId'>>): Promise<void> {
    try {
      await player.setSinkId?.(this.sink)
    } catch {
      return
    }
  }

  #player(): HTMLMediaElement | null {
    return this.renderRoot.querySelector<HTMLMediaElement>('audio, video')
  }
}

define('duolog-stream', StreamElement)
