import type { MediaOffer } from '../../../sdk/index.ts'
import { optional, required } from '../../support/contacts.ts'

export const WEB = { via: 'net', engine: 'WebRTC' }
export const OFFER: MediaOffer = {
  Chat: { ...required, via: 'net', engine: 'Native' },
  Voice: { ...required, ...WEB },
  Video: { ...optional, ...WEB },
  Screen: { tx: 'off', rx: 'optional', ...WEB },
}
