/** What applications offer. */
import type { MediaOffer } from '../../protocol/index.ts'

export const VOICE = { via: 'net', engine: 'WebRTC' } as const
const CHAT = { Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' } } as const
/** Both talk. */
export const TALK: MediaOffer = { ...CHAT, Voice: { tx: 'required', rx: 'required', ...VOICE } }
/** Nothing that needs a device. */
export const WRITE: MediaOffer = { ...CHAT }
/** Both talk, over the telephone. */
export const PHONE: MediaOffer = {
  ...CHAT,
  Voice: { tx: 'required', rx: 'required', via: 'pstn', engine: 'Native' },
}
/** Both talk and are seen, Video over an engine beside the one of Voice. */
export const LOOK: MediaOffer = {
  ...TALK,
  Video: { tx: 'required', rx: 'required', via: 'net', engine: 'Other' },
}
/** Both talk, and I show my screen over that engine. */
export const SHOW: MediaOffer = {
  ...TALK,
  Screen: { tx: 'required', rx: 'off', via: 'net', engine: 'Other' },
}
/** I talk, you may. */
export const SPEAK: MediaOffer = { ...CHAT, Voice: { tx: 'required', rx: 'optional', ...VOICE } }
