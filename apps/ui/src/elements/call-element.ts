import { LitElement, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { CallClock } from '../call-clock.ts'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import { icons } from '../icons.ts'
import { isOn, streamOf } from '../media-plan.ts'
import type { CallMedium } from '../media-plan.ts'
import type { MessageKey } from '../messages/en.ts'
import type { MediaState } from '../sdk.ts'
import { peerName } from '../status.ts'
import { withoutStopping } from '../stopping.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { callStyle } from './call-style.ts'
import { define } from './define.ts'
import './quality-element.ts'
import { holdSigns, peerSigns } from './peer-signs.ts'
import type { PeerSign } from './peer-signs.ts'
import { StreamElement } from './stream-element.ts'

interface Tile {
  readonly name: 'remote-screen' | 'remote-video' | 'local-screen' | 'local-video'
  readonly stream: MediaStream | null
  readonly label: string
  readonly isMuted: boolean
}

const INTERRUPTED: Readonly<Partial<Record<CallMedium, MessageKey>>> = {
  Voice: 'interruptedVoice',
  Video: 'interruptedVideo',
}

/** What is seen and heard of a call. */
class CallElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    state: { attribute: false },
    words: { attribute: false },
  }
  static override styles = [base, callStyle]

  declare session: ContactSession | undefined
  declare state: Conversation | undefined
  declare words: Words | undefined
  readonly #clock = new CallClock(this, () => this.state?.callSince ?? null)

  override render(): TemplateResult | typeof nothing {
    const { state, words } = this
    if (!state || !words || state.callSince === null || state.isElsewhere) return nothing
    const nick = peerName(state, words)
    const media = withoutStopping(state.media, state.stopping?.media ?? {})
    const tiles = tilesOf(media, words, nick)
    const [first] = tiles
    return html`
      <section class=${first ? 'pictures' : 'voice-only'} aria-label=${words.t('call')} data-testid="call">
        ${
          first
            ? nothing
            : html`<p class="talking">
                ${icons.sound}<span
                  >${words.t(state.stopping?.isCall ? 'endingCall' : 'inVoiceCall', { nick })}</span
                >
              </p>`
        }
        ${repeat(
          tiles,
          ({ name }) => name,
          (tile, index) => this.#tile(tile, index),
        )}
        ${first?.name.startsWith('remote') && document.pictureInPictureEnabled ? this.#windowButton(words) : nothing}
        ${isOn(media.Voice) ? this.#voice(media.Voice, state, nick) : nothing}
        ${this.#top(state, words, nick)} ${state.stopping?.isCall ? nothing : this.#notes(state, words, nick)}
      </section>
      <div class="interruptions" role="status">
        ${state.stopping?.isCall ? nothing : state.interrupted.map((medium) => this.#interruption(medium, words, nick))}
      </div>
    `
  }

  #voice(voice: Conversation['media']['Voice'], { devices }: Conversation, nick: string): TemplateResult {
    return html`<duolog-stream
      kind="audio"
      name="remote-audio"
      .label=${nick}
      .stream=${streamOf(voice, 'rx')}
      .sink=${devices?.chosen.audiooutput ?? ''}
      .sound=${this.session?.sound}
    ></duolog-stream>`
  }

  /** What stands over the pictures. */
  #top(state: Conversation, words: Words, nick: string): TemplateResult {
    return html`<div class="top">
      ${state.stopping?.isCall ? nothing : this.#signs(state, words, nick)}
      <div class="meter">
        <span class="time" aria-hidden="true">${this.#clock.text}</span>
        <duolog-quality
          ?hidden=${!state.quality}
          .quality=${state.quality}
          .nick=${nick}
          .words=${words}
        ></duolog-quality>
      </div>
    </div>`
  }

  /** What is muted here and at the other side. */
  #signs(state: Conversation, words: Words, nick: string): TemplateResult {
    const isMuted = state.muted.audio && this.session?.calls.canMute('audio') === true
    return html`<div class="signs">
      ${isMuted ? sign({ icon: icons.micOff, text: words.t('muted') }) : nothing}
      <div class="signs" role="status" data-testid="peer-muted">
        ${peerSigns(state, words, nick).map(sign)}
      </div>
    </div>`
  }

  #notes(state: Conversation, words: Words, nick: string): TemplateResult {
    const held = holdSigns(state, words, nick)
    return html`
      <p class="held" role="status" ?hidden=${held.length === 0}>
        ${held.map(({ icon, text }) => html`${icon} ${text}`)}
      </p>
      ${
        state.isSilent
          ? html`<button
              class="primary resume"
              data-testid="resume-audio"
              @click=${() => this.session?.sound.resume()}
            >
              ${icons.sound}${words.t('resumeAudio', { nick })}
            </button>`
          : nothing
      }
    `
  }

  #interruption(medium: CallMedium, words: Words, nick: string): TemplateResult | typeof nothing {
    const key = INTERRUPTED[medium]
    const calls = this.session?.calls
    if (!key || !calls) return nothing
    return html`<p class="interrupted" data-testid="interrupted">
      ${icons.alert}<span>${words.t(key, { nick })}</span>
      ${
        calls.canResume(medium)
          ? html`<button
              class="plain"
              data-testid="resume-capture"
              @click=${() => calls.resumeCapture(medium)}
            >
              ${words.t('useAgain')}
            </button>`
          : nothing
      }
    </p>`
  }

  /** The other side's picture stays in sight while the visitor looks at another page or program. */
  #windowButton(words: Words): TemplateResult {
    return html`<button
      class="icon window"
      data-testid="picture-in-picture"
      aria-label=${words.t('pictureInPicture')}
      title=${words.t('pictureInPicture')}
      @click=${this.#toggleWindow}
    >
      ${icons.picture}
    </button>`
  }

  readonly #toggleWindow = (): void => {
    const main = this.renderRoot.querySelector('.main')
    if (main instanceof StreamElement) void main.toggleWindow()
  }

  #tile({ name, stream, label, isMuted }: Tile, index: number): TemplateResult {
    return html`<duolog-stream
      class="tile ${index === 0 ? 'main' : `small s${index}`}"
      kind="video"
      name=${name}
      .label=${label}
      .stream=${stream}
      ?muted=${isMuted}
      ?mirrored=${name === 'local-video'}
      .sink=${this.state?.devices?.chosen.audiooutput ?? ''}
      .sound=${this.session?.sound}
    ></duolog-stream>`
  }
}

const sign = ({ icon, text }: PeerSign): TemplateResult =>
  html`<p class="sign">${icon}<span>${text}</span></p>`

function tilesOf({ Screen, Video }: MediaState, words: Words, nick: string): Tile[] {
  const remoteScreen = streamOf(Screen, 'rx')
  const wanted: (Tile & { readonly isOn: boolean })[] = [
    {
      name: 'remote-screen',
      isOn: Screen?.rx === true,
      stream: remoteScreen,
      label: words.t('remoteScreen', { nick }),
      isMuted: remoteScreen?.getAudioTracks().length === 0,
    },
    {
      name: 'remote-video',
      isOn: Video?.rx === true,
      stream: streamOf(Video, 'rx'),
      label: words.t('remoteVideo', { nick }),
      isMuted: true,
    },
    {
      name: 'local-screen',
      isOn: Screen?.tx === true,
      stream: streamOf(Screen, 'tx'),
      label: words.t('localScreen'),
      isMuted: true,
    },
    {
      name: 'local-video',
      isOn: Video?.tx === true,
      stream: streamOf(Video, 'tx'),
      label: words.t('localVideo'),
      isMuted: true,
    },
  ]
  return wanted.filter((tile) => tile.isOn)
}

define('duolog-call', CallElement)
