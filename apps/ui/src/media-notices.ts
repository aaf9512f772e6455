import { CALL_MEDIA, inCall, isOn } from './media-plan.ts'
import type { CallMedium } from './media-plan.ts'
import type { NoticeKey } from './messages/en.ts'
import type { MediaState } from './sdk.ts'

const ON: Readonly<Record<CallMedium, NoticeKey>> = {
  Voice: 'noticeVoiceOn',
  Video: 'noticeVideoOn',
  Screen: 'noticeScreenOn',
}
const OFF: Readonly<Record<CallMedium, NoticeKey>> = {
  Voice: 'noticeVoiceOff',
  Video: 'noticeVideoOff',
  Screen: 'noticeScreenOff',
}
const UNSENT: Readonly<Partial<Record<CallMedium, NoticeKey>>> = {
  Voice: 'noticeVoiceUnsent',
  Video: 'noticeVideoUnsent',
}

/** What to say of a call that was shown as `on`, as it stands now. */
export const noticesSince = (on: readonly CallMedium[], after: MediaState): NoticeKey[] =>
  mediaNotices(asShown(on, after), after, CALL_MEDIA)

/** Media of which a page knows that they were on. */
export const asShown = (on: readonly CallMedium[], { Sharing }: MediaState): MediaState => ({
  Sharing,
  ...Object.fromEntries(on.map((medium) => [medium, SHOWN])),
})

/** What was transmitted is not known of it. */
const SHOWN = { tx: false, rx: true, via: 'net', engine: '' } as const

/**
 * What to say of a change: a video call is not a voice call besides, and a call that is over is over once.
 * What is sent no longer, and is not `stopping` by the user's word, has lost its device.
 */
export function mediaNotices(
  before: MediaState,
  after: MediaState,
  stopping: readonly string[],
): NoticeKey[] {
  const on = CALL_MEDIA.filter((medium) => isOn(after[medium]) && !isOn(before[medium]))
  const off = CALL_MEDIA.filter((medium) => !isOn(after[medium]) && isOn(before[medium]))
  const unsent = CALL_MEDIA.filter(
    (medium) => before[medium]?.tx && !after[medium]?.tx && after[medium]?.rx && !stopping.includes(medium),
  ).flatMap((medium) => UNSENT[medium] ?? [])
  const started = on.includes('Video') ? on.filter((medium) => medium !== 'Voice') : on
  const ended: NoticeKey[] =
    off.length > 1 && !inCall(after) ? ['noticeCallOff'] : off.map((medium) => OFF[medium])
  return [...started.map((medium) => ON[medium]), ...unsent, ...ended]
}
