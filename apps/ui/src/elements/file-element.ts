import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { FileAddress } from '../file-controller.ts'
import { icons } from '../icons.ts'
import { showHidden } from '../safe-text.ts'
import { base } from '../styles.ts'
import type { AttachmentBody } from '../transcript.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import './picture-element.ts'

/** Images that every browser shows, and that are no documents. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** What browsers play. */
const AUDIO = /^audio\/(?:webm|ogg|mp4|mpeg|aac|wav|x-m4a)$/
const isAudio = ({ id, mimetype }: AttachmentBody): boolean => id !== undefined && AUDIO.test(mimetype)
/** Larger ones are shown when they have been saved. */
const PREVIEW_BYTES = 8 * 1024 * 1024
/** After a click on a link the browser has begun to read what it saves. */
const READING_MS = 10_000

/**
 * A file in the conversation: its name and size, a picture of it where it is one, and how to save it or to
 * stop sending it.
 */
class FileElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    file: { attribute: false },
    item: {},
    progress: { attribute: false },
    preview: { state: true },
    isGone: { state: true },
    isSaving: { state: true },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        white-space: normal;
      }
      .file {
        display: grid;
        grid-template-columns: auto 1fr auto;
        align-items: center;
        gap: 4px 10px;
        min-inline-size: 190px;
      }
      .name {
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      small {
        display: block;
      }
      button {
        background: transparent;
        color: inherit;
      }
      [aria-busy='true'] {
        opacity: 0.5;
        cursor: progress;
      }
      progress {
        grid-column: 1 / -1;
        inline-size: 100%;
        accent-color: currentColor;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  declare file: AttachmentBody | undefined
  /** Key of the message. */
  declare item: string
  /** 0 to 1; null when it is not being sent. */
  declare progress: number | null
  /**
   * Address of the picture; empty until it is known: its room is there from the start. Null: there is none.
   */
  declare preview: string | null
  declare isGone: boolean
  /** The file is being got: the next click waits for that. */
  declare isSaving: boolean
  #asked: string | undefined
  /** Addresses that this element has asked for. */
  readonly #held: FileAddress[] = []

  constructor() {
    super()
    this.item = ''
    this.progress = null
    this.preview = null
    this.isGone = false
    this.isSaving = false
  }

  override willUpdate(_changed: PropertyValues<this>): void {
    const { file, session } = this
    if (file && isAudio(file)) void import('./audio-element.ts').catch(() => {})
    if (
      !file?.id ||
      !session ||
      this.#asked === file.id ||
      !SHOWN.has(file.mimetype) ||
      file.size > PREVIEW_BYTES
    )
      return
    this.#asked = file.id
    this.preview = ''
    session.files.address(file.id).then(
      (address) => (this.preview = this.#hold(address)),
      () => this.#noPreview(),
    )
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#asked = undefined
    this.preview = null
    for (const { release } of this.#held.splice(0)) release()
  }

  /** Keeps an address as long as the element is on the page. */
  #hold(address: FileAddress): string | null {
    if (!this.isConnected) address.release()
    else this.#held.push(address)
    return this.isConnected ? address.url : null
  }

  override render(): TemplateResult | typeof nothing {
    const { file, words } = this
    if (!file || !words) return nothing
    const name = showHidden(file.name)
    const size = words.size(file.size)
    return html`
      ${
        this.preview === null
          ? nothing
          : html`<duolog-picture
              .url=${this.preview}
              .name=${name}
              .width=${file.width}
              .height=${file.height}
              .words=${words}
              @unreadable=${this.#noPreview}
            ></duolog-picture>`
      }
      <div class="file">
        ${icons.file}
        <span
          ><span class="name" dir="auto" data-testid="file-name">${name}</span
          ><small dir="auto">${size}</small></span
        >
        ${this.#button(name, size, words)}
        ${this.progress === null ? nothing : this.#progressBar(this.progress, name, words)}
      </div>
      ${
        isAudio(file) && file.id
          ? html`<duolog-audio .session=${this.session} .words=${words} .file=${file}></duolog-audio>`
          : nothing
      }
      ${
        this.isGone
          ? html`<small role="alert" data-testid="file-gone">${words.t('fileGone')}</small>`
          : nothing
      }
    `
  }

  #progressBar(progress: number, name: string, words: Words): TemplateResult {
    return html`<progress
      max="1"
      .value=${progress}
      aria-label=${words.t('uploading', { name })}
      data-testid="file-progress"
    ></progress>`
  }

  #button(name: string, size: string, words: Words): TemplateResult | typeof nothing {
    if (this.progress !== null) {
      const label = words.t('cancelUpload', { name })
      return html`<button
        class="icon"
        data-testid="cancel-upload"
        aria-label=${label}
        title=${label}
        @click=${() => this.session?.files.cancel(this.item)}
      >
        ${icons.close}
      </button>`
    }
    if (!this.file?.id) return nothing
    return html`<button
      class="icon"
      data-testid="download"
      aria-label=${words.t('downloadFile', { name, size })}
      title=${words.t('download')}
      aria-busy=${this.isSaving}
      @click=${this.#save}
    >
      ${icons.save}
    </button>`
  }

  readonly #noPreview = (): void => {
    this.preview = null
  }

  /** Addresses of files get old: each download asks for its own. */
  readonly #save = async (): Promise<void> => {
    const { file, session } = this
    if (!file?.id || !session || this.isSaving) return
    this.isSaving = true
    try {
      const { url, release } = await session.files.address(file.id)
      const link = document.createElement('a')
      link.href = url
      link.download = file.name
      link.rel = 'noopener noreferrer'
      link.target = '_blank'
      link.click()
      setTimeout(release, READING_MS)
      this.isGone = false
    } catch {
      this.isGone = true
    }
    this.isSaving = false
  }
}

define('duolog-file', FileElement)
