import type { TemplateResult } from 'lit'
import { isBad, qualityText } from '../call-quality.ts'
import type { Conversation } from '../conversation.ts'
import { icons } from '../icons.ts'
import { settingUpText } from '../status.ts'
import type { Words } from '../words.ts'

export interface PeerSign {
  readonly icon: TemplateResult
  readonly text: string
}

/** What the other side sends silence or black of. */
export function peerSigns({ media, peerMuted }: Conversation, words: Words, nick: string): PeerSign[] {
  const isMuted = (medium: 'Voice' | 'Video'): boolean =>
    media[medium]?.rx === true && peerMuted.includes(medium)
  return [
    ...(isMuted('Voice') ? [{ icon: icons.micOff, text: words.t('peerMuted', { nick }) }] : []),
    ...(isMuted('Video') ? [{ icon: icons.cameraOff, text: words.t('peerCameraOff', { nick }) }] : []),
  ]
}

/** Who has put the call on hold. */
export function holdSigns({ isHeld, isHeldByPeer }: Conversation, words: Words, nick: string): PeerSign[] {
  if (isHeld) return [{ icon: icons.hold, text: words.t('onHold') }]
  return isHeldByPeer ? [{ icon: icons.hold, text: words.t('heldByPeer', { nick }) }] : []
}

/** All that must be seen of a call while the conversation is not open. */
export function liveSigns(state: Conversation, words: Words, nick: string): PeerSign[] {
  const { quality } = state
  const settingUp = settingUpText(state, words)
  return [
    ...(settingUp ? [{ icon: icons.phone, text: settingUp }] : []),
    ...holdSigns(state, words, nick),
    ...peerSigns(state, words, nick),
    ...(quality && isBad(quality) ? [{ icon: icons.alert, text: qualityText(quality, nick, words) }] : []),
  ]
}
