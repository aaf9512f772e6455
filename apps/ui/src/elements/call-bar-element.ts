import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import { icons } from '../icons.ts'
import { ENGINE, canCall, inCall, isOn } from '../media-plan.ts'
import type { CallKind } from '../media-plan.ts'
import type { MediaStateDetails } from '../sdk.ts'
import { peerName } from '../status.ts'
import { withoutStopping } from '../stopping.ts'
import { base } from '../styles.ts'
import type { MessageKey } from '../messages/en.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import './devices-element.ts'
import type { DevicesElement } from './devices-element.ts'

interface Control {
  readonly testId: string
  readonly words: MessageKey
  readonly icon: TemplateResult
  readonly run: () => void
  readonly isShown: boolean
  /** It asks the other side for something: one question at a time. */
  readonly asks?: boolean
  readonly isDanger?: boolean
  /** For a switch: whether it is on. */
  readonly isPressed?: boolean
}

/** Buttons of a call. */
class CallBarElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    state: { attribute: false },
    words: { attribute: false },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
      }
      .bar {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        gap: 4px;
        padding: 6px 10px;
      }
      button.icon {
        color: var(--p-accent);
      }
      button.icon[aria-pressed='true'] {
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      button.icon.danger {
        color: var(--p-on-danger);
      }
      .push {
        flex: 1;
      }
      .calling {
        flex: 1 0 auto;
        font-size: 14px;
        color: var(--p-muted);
        padding-inline: 6px;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare state: Conversation | undefined
  declare words: Words | undefined

  override render(): TemplateResult | typeof nothing {
    const { session, state, words } = this
    if (!session || !state || !words) return nothing
    const isHere = state.stage === 'talking' && state.peer?.presence === 'here'
    if (state.stage !== 'talking' || state.isElsewhere || (!isHere && !inCall(state.media))) return nothing
    const isEnding = state.stopping?.isCall === true
    const shown = controls(
      session,
      { ...state, media: withoutStopping(state.media, state.stopping?.media ?? {}) },
      () => void this.renderRoot.querySelector<DevicesElement>('duolog-devices')?.open(),
    ).filter(({ isShown, asks }) => isShown && !(asks && state.request) && !isEnding)
    const said = isEnding
      ? words.t('endingCall')
      : state.request
        ? words.t('calling', { nick: peerName(state, words) })
        : ''
    return html`
      <div class="bar" role="group" aria-label=${words.t('call')} data-testid="call-bar">
        ${shown.map((control) => this.#button(control, words))}
        <span class="calling" role="status" ?hidden=${!said}>${said}</span>
        <duolog-devices .desk=${session.devices} .devices=${state.devices} .words=${words}></duolog-devices>
        ${state.request && !isEnding ? html`<button data-testid="cancel-call" @click=${() => session.calls.cancel()}>${words.t('cancel')}</button>` : nothing}
      </div>
    `
  }

  #button({ testId, words: key, icon, run, isDanger, isPressed }: Control, words: Words): TemplateResult {
    const label = words.t(key)
    const pressed = isPressed === undefined ? nothing : String(isPressed)
    return html`<button
      class="icon ${isDanger ? 'danger' : ''}"
      data-testid=${testId}
      aria-label=${label}
      title=${label}
      aria-pressed=${pressed}
      @click=${run}
    >
      ${icon}
    </button>`
  }
}

/** Whether a medium runs over the telephone, or whatever else is not the pages' own. */
const isElsewhere = (details: MediaStateDetails | undefined): boolean =>
  isOn(details) && details?.engine !== ENGINE

function controls(
  { calls, devices }: ContactSession,
  state: Conversation,
  openDevices: () => void,
): Control[] {
  const { media, local, remote, muted } = state
  const call = (kind: CallKind) => (): void => calls.call(kind)
  const [voice, video] = [isOn(media.Voice), isOn(media.Video)]
  const [sends, shows, shares] = [
    media.Voice?.tx === true,
    media.Video?.tx === true,
    media.Screen?.tx === true,
  ]
  return [
    {
      testId: 'call-voice',
      words: voice ? 'turnVoiceOn' : 'callVoice',
      icon: icons.phone,
      run: call('voice'),
      asks: true,
      isShown: !sends && !isElsewhere(media.Voice) && canCall('Voice', local, remote),
    },
    {
      testId: 'call-video',
      words: voice ? 'addVideo' : 'callVideo',
      icon: icons.video,
      run: call('video'),
      asks: true,
      isShown: !shows && canCall('Video', local, remote),
    },
    {
      testId: 'mute-audio',
      words: 'mute',
      icon: muted.audio ? icons.micOff : icons.mic,
      run: () => calls.toggleMute('audio'),
      isShown: sends && calls.canMute('audio'),
      isPressed: muted.audio,
    },
    {
      testId: 'mute-video',
      words: 'hideCamera',
      icon: muted.video ? icons.cameraOff : icons.camera,
      run: () => calls.toggleMute('video'),
      isShown: shows && calls.canMute('video'),
      isPressed: muted.video,
    },
    {
      testId: 'hold',
      words: 'hold',
      icon: icons.hold,
      run: () => devices.toggleHold(),
      isShown: devices.canHold,
      isPressed: state.isHeld,
    },
    {
      testId: 'choose-devices',
      words: 'devices',
      icon: icons.devices,
      run: openDevices,
      isShown: devices.canChoose,
    },
    {
      testId: 'share-screen',
      words: 'shareScreen',
      icon: icons.screen,
      run: call('screen'),
      asks: true,
      isShown: !shares && canCall('Screen', local, remote),
    },
    {
      testId: 'stop-screen',
      words: 'stopScreen',
      icon: icons.screenOff,
      run: () => calls.stopScreen(),
      isShown: shares,
    },
    {
      testId: 'hangup-video',
      words: 'hangUpVideo',
      icon: icons.videoOff,
      run: () => calls.hangUp(['Video']),
      isShown: video,
    },
    {
      testId: 'hangup',
      words: 'hangUpAll',
      icon: icons.hangUp,
      run: () => calls.hangUp(),
      isShown: inCall(media),
      isDanger: true,
    },
  ]
}

define('duolog-call-bar', CallBarElement)
