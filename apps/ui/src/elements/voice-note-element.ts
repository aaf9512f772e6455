import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons } from '../icons.ts'
import type { MessageKey } from '../messages/en.ts'
import { ObserverController } from '../observable.ts'
import { base } from '../styles.ts'
import { VoiceRecorder, browserWorld } from '../voice-recorder.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

/** The recording is over: with the file, or with null where it was given up. */
export class VoiceNoteEvent extends Event {
  readonly file: File | null

  constructor(file: File | null) {
    super('voice-note')
    this.file = file
  }
}

/** Records a voice message as long as it is on the page. Loaded when somebody asks for it. */
class VoiceNoteElement extends LitElement {
  static override properties = { words: { attribute: false } }
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        gap: 8px;
        padding: 10px 12px;
      }
      .time {
        font-variant-numeric: tabular-nums;
        display: inline-flex;
        align-items: center;
        gap: 6px;
      }
      .time svg {
        color: var(--p-danger);
      }
      meter {
        flex: 1;
        min-inline-size: 60px;
      }
      meter::-webkit-meter-optimum-value {
        background: var(--p-accent);
      }
      meter::-moz-meter-bar {
        background: var(--p-accent);
      }
      p {
        flex: 1 0 100%;
        margin: 0;
      }
      .rest {
        flex: 1;
      }
    `,
  ]

  declare words: Words | undefined
  readonly #recorder = new VoiceRecorder(browserWorld())
  readonly #watch = new ObserverController(this)
  #timer: ReturnType<typeof setInterval> | undefined

  override connectedCallback(): void {
    super.connectedCallback()
    this.#watch.watch(this.#recorder)
    this.addEventListener('keydown', this.#key)
    void this.#recorder.start()
    this.#timer = setInterval(this.#look, LOOK_MS)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.removeEventListener('keydown', this.#key)
    clearInterval(this.#timer)
    this.#recorder.cancel()
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    const { phase } = this.#recorder
    const isThere = phase === 'recording' || phase === 'full'
    return html`
      ${this.#said(words)}
      ${
        isThere
          ? html`<span class="time" role="timer" data-testid="voice-note-time">
                ${icons.mic}${timeText(this.#recorder.lastsMs)}
              </span>
              <meter min="0" max="1" .value=${this.#recorder.level} aria-hidden="true"></meter>`
          : html`<span class="rest"></span>`
      }
      <button type="button" data-testid="voice-note-cancel" @click=${() => this.#over(null)}>
        ${words.t('cancel')}
      </button>
      ${
        isThere
          ? html`<button
              class="primary icon flips"
              type="button"
              data-testid="voice-note-send"
              aria-label=${words.t('voiceNoteSend')}
              title=${words.t('voiceNoteSend')}
              @click=${this.#send}
            >
              ${icons.send}
            </button>`
          : nothing
      }
    `
  }

  /** What is going on, and what went wrong. */
  #said(words: Words): TemplateResult {
    const { phase, failure } = this.#recorder
    const key = SAID[phase]
    return html`<p role="status" class=${phase === 'recording' ? 'hidden-text' : ''} ?hidden=${!key}>
        ${key ? words.t(key) : ''}
      </p>
      <p role="alert" ?hidden=${failure === null} data-testid="voice-note-failure">
        ${failure ? words.error(failure) : ''}
      </p>`
  }

  override focus(): void {
    this.renderRoot.querySelector('button')?.focus()
  }

  /** Time and level move while it records, which it does in sight alone. */
  readonly #look = (): void => {
    const { phase } = this.#recorder
    this.#recorder.tick(this.checkVisibility())
    if (phase === 'asking' && this.#recorder.phase === 'over') this.#over(null)
    if (phase === 'recording') this.requestUpdate()
  }

  /** Escape gives the recording up, and not the panel. */
  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    this.#over(null)
  }

  readonly #send = (): void => void this.#recorder.finish().then((file) => this.#over(file))

  #over(file: File | null): void {
    if (!file) this.#recorder.cancel()
    this.dispatchEvent(new VoiceNoteEvent(file))
  }
}

const SAID: Readonly<Partial<Record<VoiceRecorder['phase'], MessageKey>>> = {
  asking: 'voiceNoteAsking',
  recording: 'voiceNoteRecording',
  full: 'voiceNoteFull',
}

/** How often the time, the level and whether it is in sight are looked at. */
const LOOK_MS = 100

/** Minutes and seconds. */
const timeText = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`

define('duolog-voice-note', VoiceNoteElement)
