import type { TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import { icons } from '../icons.ts'
import { ENGINE, canCall, inCall, isOn } from '../media-plan.ts'
import type { MessageKey } from '../messages/en.ts'
import type { MediaState, MediaStateDetails } from '../sdk.ts'
import { withoutStopping } from '../stopping.ts'

/** A button of a call. */
export interface Control {
  readonly testId: string
  readonly words: MessageKey
  readonly icon: TemplateResult
  readonly run: () => void
  readonly isShown: boolean
  /** It makes an offer: one at a time. */
  readonly asks?: boolean
  readonly isDanger?: boolean
  /** For a switch: whether it is on. */
  readonly isPressed?: boolean
}

/** The buttons of a call in their order, those that are not shown now included. */
export function callControls(
  session: ContactSession,
  state: Conversation,
  openDevices: () => void,
): readonly Control[] {
  const media = withoutStopping(state.media, state.stopping?.media ?? {})
  return [
    ...starting(session, state, media),
    ...muting(session, state, media),
    ...holding(session, state, openDevices),
    ...sharing(session, state, media),
    ...ending(session, media),
  ]
}

/** Whether a medium runs over the telephone or another engine that is not the pages' own. */
const runsElsewhere = (details: MediaStateDetails | undefined): boolean =>
  isOn(details) && details?.engine !== ENGINE

function starting(
  { calls }: ContactSession,
  { local, remote }: Conversation,
  { Voice, Video }: MediaState,
): Control[] {
  return [
    {
      testId: 'call-voice',
      words: isOn(Voice) ? 'turnVoiceOn' : 'callVoice',
      icon: icons.phone,
      run: () => calls.call('voice'),
      asks: true,
      isShown: Voice?.tx !== true && !runsElsewhere(Voice) && canCall('Voice', local, remote),
    },
    {
      testId: 'call-video',
      words: isOn(Voice) ? 'addVideo' : 'callVideo',
      icon: icons.video,
      run: () => calls.call('video'),
      asks: true,
      isShown: Video?.tx !== true && canCall('Video', local, remote),
    },
  ]
}

function muting({ calls }: ContactSession, { muted }: Conversation, { Voice, Video }: MediaState): Control[] {
  return [
    {
      testId: 'mute-audio',
      words: 'mute',
      icon: muted.audio ? icons.micOff : icons.mic,
      run: () => calls.toggleMute('audio'),
      isShown: Voice?.tx === true && calls.canMute('audio'),
      isPressed: muted.audio,
    },
    {
      testId: 'mute-video',
      words: 'hideCamera',
      icon: muted.video ? icons.cameraOff : icons.camera,
      run: () => calls.toggleMute('video'),
      isShown: Video?.tx === true && calls.canMute('video'),
      isPressed: muted.video,
    },
  ]
}

const holding = (
  { devices }: ContactSession,
  { isHeld }: Conversation,
  openDevices: () => void,
): Control[] => [
  {
    testId: 'hold',
    words: 'hold',
    icon: icons.hold,
    run: () => devices.toggleHold(),
    isShown: devices.canHold,
    isPressed: isHeld,
  },
  {
    testId: 'choose-devices',
    words: 'devices',
    icon: icons.devices,
    run: openDevices,
    isShown: devices.canChoose,
  },
]

const sharing = (
  { calls }: ContactSession,
  { local, remote }: Conversation,
  { Screen }: MediaState,
): Control[] => [
  {
    testId: 'share-screen',
    words: 'shareScreen',
    icon: icons.screen,
    run: () => calls.call('screen'),
    asks: true,
    isShown: Screen?.tx !== true && canCall('Screen', local, remote),
  },
  {
    testId: 'stop-screen',
    words: 'stopScreen',
    icon: icons.screenOff,
    run: () => calls.stopScreen(),
    isShown: Screen?.tx === true,
  },
]

const ending = ({ calls }: ContactSession, media: MediaState): Control[] => [
  {
    testId: 'hangup-video',
    words: 'hangUpVideo',
    icon: icons.videoOff,
    run: () => calls.hangUp(['Video']),
    isShown: isOn(media.Video),
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
