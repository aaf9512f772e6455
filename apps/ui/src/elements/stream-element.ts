import { LitElement, css, html } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { define } from './define.ts'

/** One stream: a picture, or sound alone. Fires `blocked` when the browser wants a click before it plays sound, `playing` when it plays. */
export class StreamElement extends LitElement {
  static override properties = {
    stream: { attribute: false },
    sink: { attribute: false },
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
  declare kind: 'video' | 'audio'
  declare name: string
  declare label: string
  declare muted: boolean
  declare mirrored: boolean

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
      ? html`<audio autoplay data-testid=${this.name} aria-label=${this.label}></audio>`
      : html`<video autoplay playsinline data-testid=${this.name} aria-label=${this.label} .muted=${this.muted}></video>`
  }

  override updated(changed: PropertyValues<this>): void {
    const player = this.#player()
    if (player && changed.has('sink') && player.sinkId !== this.sink) void this.#playOn(player)
    if (!player || (!changed.has('stream') && !changed.has('kind'))) return
    player.muted = this.muted
    if (player.srcObject !== this.stream) player.srcObject = this.stream
    if (this.stream) void this.play()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    const player = this.#player()
    if (player) player.srcObject = null
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate('stream')
  }

  /** Plays; inside a click also what the browser has blocked. */
  async play(): Promise<void> {
    try {
      await this.#player()?.play()
      this.dispatchEvent(new Event('playing'))
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotAllowedError') this.dispatchEvent(new Event('blocked'))
    }
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

define('parley-stream', StreamElement)
