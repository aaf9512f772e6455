import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons } from '../icons.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

/** Height of a picture in the conversation, at most. */
const PICTURE_PX = 240

/**
 * A picture in the conversation, which opens large. Where its size is known its room is there before it has
 * come.
 * Fires `unreadable` where the browser cannot show it.
 */
class PictureElement extends LitElement {
  static override properties = {
    url: {},
    name: {},
    width: { type: Number },
    height: { type: Number },
    words: { attribute: false },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        max-inline-size: 100%;
        margin-block-end: 6px;
      }
      img {
        display: block;
        max-inline-size: 100%;
        max-block-size: ${PICTURE_PX}px;
        border-radius: 8px;
      }
      .sized :is(.open, .open img) {
        inline-size: 100%;
        block-size: 100%;
      }
      .sized {
        max-inline-size: 100%;
      }
      .open {
        display: block;
        padding: 0;
        border: 0;
        border-radius: 8px;
        background: transparent;
        cursor: zoom-in;
      }
      dialog {
        max-inline-size: 100vw;
        max-block-size: 100dvh;
        padding: 0;
        border: 0;
        background: transparent;
        cursor: zoom-out;
      }
      dialog::backdrop {
        background: rgb(10 14 12 / 88%);
      }
      dialog img {
        max-inline-size: 96vw;
        max-block-size: 92dvh;
        object-fit: contain;
      }
      dialog button {
        position: fixed;
        inset-block-start: 12px;
        inset-inline-end: 12px;
        background: #101412;
        color: #f2f6f4;
      }
    `,
  ]

  /** Empty until it is known. */
  declare url: string
  declare name: string
  /** Pixels; undefined where it is not known. */
  declare width: number | undefined
  declare height: number | undefined
  declare words: Words | undefined

  constructor() {
    super()
    this.url = ''
    this.name = ''
  }

  override render(): TemplateResult {
    const { width, height } = this
    return html`<div class=${width && height ? 'sized' : ''}>
      ${this.url && this.words ? this.#picture(this.words) : nothing}
    </div>`
  }

  override updated(): void {
    const picture = this.renderRoot.querySelector<HTMLElement>('.sized')
    const { width, height } = this
    if (!picture || !width || !height) return
    picture.style.aspectRatio = `${width} / ${height}`
    picture.style.inlineSize = `${width * Math.min(1, PICTURE_PX / height)}px`
  }

  #picture(words: Words): TemplateResult {
    const { url, name } = this
    const [open, close] = [words.t('openPicture', { name }), words.t('close')]
    return html`<button
        class="open"
        aria-haspopup="dialog"
        title=${open}
        data-testid="open-picture"
        @click=${() => this.#dialog()?.showModal()}
      >
        <img
          crossorigin="anonymous"
          src=${url}
          alt=${open}
          data-testid="file-preview"
          @error=${() => this.dispatchEvent(new Event('unreadable'))}
        />
      </button>
      <dialog
        aria-label=${name}
        data-testid="large-picture"
        @click=${() => this.#dialog()?.close()}
        @keydown=${(event: Event) => event.stopPropagation()}
      >
        <img crossorigin="anonymous" src=${url} alt=${name} />
        <button class="icon" autofocus aria-label=${close} title=${close} data-testid="close-picture">
          ${icons.close}
        </button>
      </dialog>`
  }

  #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }
}

define('duolog-picture', PictureElement)
