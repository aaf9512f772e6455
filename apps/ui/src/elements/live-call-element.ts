import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { CallClock } from '../call-clock.ts'
import type { ContactSession } from '../contact-session.ts'
import { icons } from '../icons.ts'
import { isOn, streamOf } from '../media-plan.ts'
import { ObserverController } from '../observable.ts'
import { showHidden } from '../safe-text.ts'
import type { MediaState } from '../sdk.ts'
import { hasLiveCall, peerName } from '../status.ts'
import { withoutStopping } from '../stopping.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import { liveSigns } from './peer-signs.ts'
import './stream-element.ts'

/**
 * A call whose conversation is not shown, from when own devices may be in use: how long it lasts, sound that
 * waits for a click, mute, hang up, and the way back, which fires `open-call`.
 */
class LiveCallElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    audible: { type: Boolean },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
      }
      .call {
        display: flex;
        align-items: center;
        justify-content: flex-end;
        flex-wrap: wrap;
        gap: 4px;
        padding: 6px 6px 6px 8px;
        border: 1px solid var(--p-line);
        border-radius: 28px;
        background: #101412;
        color: #f2f6f4;
        box-shadow: var(--p-shadow);
      }
      .back {
        border-color: transparent;
        min-inline-size: 0;
        flex: 1;
        justify-content: flex-start;
      }
      /* As wide as the rest: long words wrap. */
      .signs {
        flex: none;
        inline-size: 0;
        min-inline-size: 100%;
        font-size: 13px;
      }
      .signs p {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 2px 14px;
      }
      .resume {
        max-inline-size: 100%;
        overflow-wrap: anywhere;
      }
      .nick {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        max-inline-size: 160px;
      }
      .time {
        font-variant-numeric: tabular-nums;
      }
      button.icon[aria-pressed='true'] {
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      @media (max-width: 600px) {
        .resume {
          order: 1;
          flex: 1 0 100%;
        }
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  /** Plays what the other side says: where no other element of the page does. */
  declare audible: boolean
  readonly #clock = new CallClock(this, () => this.session?.state.callSince ?? null)
  readonly #watching = new ObserverController(this)

  constructor() {
    super()
    this.audible = false
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) this.#watching.watch(this.session)
  }

  override render(): TemplateResult | typeof nothing {
    const { session, words } = this
    if (!session || !words || !hasLiveCall(session.state)) return nothing
    const { state } = session
    const nick = peerName(state, words)
    const media = withoutStopping(state.media, state.stopping?.media ?? {})
    return html`
      <div class="call" role="region" aria-label=${words.t('liveCall', { nick })} data-testid="live-call">
        <div class="signs" role="status" data-testid="live-peer-muted">
          ${liveSigns(state, words, nick).map(({ icon, text }) => html`<p>${icon}<span>${text}</span></p>`)}
        </div>
        ${this.#back(media, nick, words)}
        ${state.isSilent ? resume(session, words.t('resumeAudio', { nick })) : nothing}
        ${mute(session, media, words)}
        ${state.request ? end('live-cancel', { icon: icons.close, label: words.t('cancel'), run: () => session.calls.cancel() }) : nothing}
        ${state.callSince === null ? nothing : end('live-hangup', { icon: icons.hangUp, label: words.t('hangUpAll'), run: () => session.calls.hangUp() })}
        ${this.audible ? this.#sounds(session, nick) : nothing}
      </div>
    `
  }

  /** The way back to the conversation, with how long the call lasts. */
  #back(media: MediaState, nick: string, words: Words): TemplateResult {
    const isEnding = this.session?.state.stopping?.isCall === true
    const shown = [isOn(media.Video) ? icons.video : icons.phone, ...(media.Screen?.tx ? [icons.screen] : [])]
    return html`<button
      class="back"
      data-testid="open-call"
      @click=${() => this.dispatchEvent(new Event('open-call'))}
    >
      ${shown}<bdi class="nick">${showHidden(nick)}</bdi
      ><span class="time" data-testid="call-time">${isEnding ? words.t('endingCall') : this.#clock.text}</span
      ><span class="hidden-text">${words.t('openCall')}</span>
    </button>`
  }

  /** What the other side says, and the sound of their screen. */
  #sounds({ sound, state: { media, devices } }: ContactSession, label: string): TemplateResult[] {
    const play = (name: string, stream: MediaStream | null): TemplateResult =>
      html`<duolog-stream
        kind="audio"
        .name=${name}
        .label=${label}
        .stream=${stream}
        .sink=${devices?.chosen.audiooutput ?? ''}
        .sound=${sound}
      ></duolog-stream>`
    const screen = streamOf(media.Screen, 'rx')
    return [
      ...(isOn(media.Voice) ? [play('live-audio', streamOf(media.Voice, 'rx'))] : []),
      ...(screen && screen.getAudioTracks().length > 0 ? [play('live-screen-audio', screen)] : []),
    ]
  }
}

interface End {
  readonly icon: TemplateResult
  readonly label: string
  readonly run: () => void
}

const end = (testId: string, { icon, label, run }: End): TemplateResult =>
  html`<button class="icon danger" data-testid=${testId} aria-label=${label} title=${label} @click=${run}>
    ${icon}
  </button>`

const mute = ({ calls, state }: ContactSession, { Voice }: MediaState, words: Words): TemplateResult =>
  html`<button
    class="icon"
    ?hidden=${Voice?.tx !== true || !calls.canMute('audio')}
    data-testid="live-mute"
    aria-pressed=${String(state.muted.audio)}
    aria-label=${words.t('mute')}
    title=${words.t('mute')}
    @click=${() => calls.toggleMute('audio')}
  >
    ${state.muted.audio ? icons.micOff : icons.mic}
  </button>`

const resume = ({ sound }: ContactSession, label: string): TemplateResult =>
  html`<button class="primary resume" data-testid="live-resume-audio" @click=${() => sound.resume()}>
    ${icons.sound}${label}
  </button>`

define('duolog-live-call', LiveCallElement)
