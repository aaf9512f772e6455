import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { FileAddress } from '../file-controller.ts'
import { icons } from '../icons.ts'
import { showHidden } from '../safe-text.ts'
import { base } from '../styles.ts'
import type { AttachmentBody } from '../transcript.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

/**
 * A file that can be listened to, such as a voice message. It is got when somebody wants to hear it; the player is the
 * browser's own, which the keyboard and screen readers know. Loaded with the first such file.
 */
class AudioElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    file: { attribute: false },
    address: { state: true },
    isGone: { state: true },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        margin-block-start: 4px;
      }
      button {
        color: inherit;
      }
      audio {
        display: block;
        inline-size: 300px;
        max-inline-size: 100%;
        block-size: 40px;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  declare file: AttachmentBody | undefined
  /** Null until somebody wants to listen. */
  declare address: FileAddress | null
  declare isGone: boolean
  #isAsking = false

  constructor() {
    super()
    this.address = null
    this.isGone = false
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#release()
  }

  override render(): TemplateResult | typeof nothing {
    const { words, file, address } = this
    if (!words || !file) return nothing
    const name = showHidden(file.name)
    if (address)
      return html`<audio
        controls
        autoplay
        crossorigin="anonymous"
        src=${address.url}
        aria-label=${name}
        data-testid="file-player"
        @error=${this.#lost}
      ></audio>`
    return html`<button
        class="plain"
        data-testid="file-play"
        aria-label=${words.t('playAudio', { name })}
        @click=${this.#play}
      >
        ${icons.play}${words.t('play')}
      </button>
      <small role="alert">${this.isGone ? words.t('fileGone') : ''}</small>`
  }

  readonly #play = async (): Promise<void> => {
    const { file, session } = this
    if (!file?.id || !session || this.#isAsking) return
    this.#isAsking = true
    try {
      const address = await session.files.address(file.id)
      if (!this.isConnected) return address.release()
      this.address = address
      this.isGone = false
      await this.updateComplete
      this.renderRoot.querySelector('audio')?.focus()
    } catch {
      this.#lost()
    } finally {
      this.#isAsking = false
    }
  }

  readonly #lost = (): void => {
    this.#release()
    this.isGone = true
  }

  #release(): void {
    this.address?.release()
    this.address = null
  }
}

define('duolog-audio', AudioElement)
