/** Runs in a page: a conversation of either side in which what needs devices, networks and keys is set by hand. */
import { ContactSession } from '../../apps/ui/src/index.ts'
import type { Conversation } from '../../apps/ui/src/conversation.ts'
import type { ContactData, Slot } from '../../apps/ui/src/sdk.ts'
import { CHAT, FakeContact } from '../apps/fake-contact.ts'
import { picture } from './state-page.ts'

export interface Scene {
  readonly fake: FakeContact
  readonly session: ContactSession
  readonly set: (state: Partial<Conversation>) => void
}

/** As long as a name may be, in two directions. */
export const LONG_NAME = 'מרים בן־דוד Maximiliane von Hohenstein-Wittelsbach (Beratung)'
export const AT = Date.UTC(2026, 0, 1, 9)
const BY = { via: 'net', engine: 'WebRTC' } as const
const BOTH = { tx: true, rx: true, ...BY }
export const ASKED = { tx: 'required', rx: 'required', ...BY } as const
const CODE = { symbols: [31, 47, 19, 28, 39, 37, 9], digits: '2181095913801' }

/** A conversation of Robin and Ada, of which one has said a few words. */
export function sceneOf(role: Slot, record: Partial<ContactData> = {}): Scene {
  const state = record.state ?? 'joined'
  const agent = state === 'queued' ? {} : { agent: { user: 'a1', nick: 'Ada' } }
  const fake = new FakeContact(role, { ...agent, ...record, state })
  const session = new ContactSession(fake.contact)
  const isAgent = role === 'visitor'
  const from = {
    ts: AT,
    from_id: isAgent ? 'a1' : 'v1',
    from_nick: isAgent ? 'Ada' : 'Robin',
    agent: isAgent,
  }
  if (state === 'joined') fake.emit('text', { ...from, id: 'm1', text: 'The oak lamp is back in stock.' })
  let extra: Partial<Conversation> = {}
  const own = Object.getOwnPropertyDescriptor(ContactSession.prototype, 'state')
  Object.defineProperty(session, 'state', { get: () => ({ ...own?.get?.call(session), ...extra }) })
  Object.assign(session.calls, { canMute: () => true, canResume: () => true })
  for (const name of ['canHold', 'canChoose'])
    Object.defineProperty(session.devices, name, { get: () => session.state.callSince !== null })
  const set = (next: Partial<Conversation>): void => void (extra = { ...extra, ...next })
  return { fake, session, set }
}

export const inCall = (media: object = {}): Partial<Conversation> => ({
  callSince: Date.now() - 65_000,
  media: { ...CHAT, Voice: BOTH, ...media },
})
export const withVideo = (): Partial<Conversation> =>
  inCall({ Video: { ...BOTH, data: { rx_stream: picture('#345'), tx_stream: picture('#543') } } })
export const withScreen = (): Partial<Conversation> =>
  inCall({ Screen: { ...BOTH, tx: false, data: { rx_stream: picture('#274') } } })
export const quality = (
  score: number,
  silent: readonly string[] = [],
  isGivenUp = false,
): Partial<Conversation> => ({
  quality: { score, silent, isGivenUp },
})

/** How far the key of the other side is known. */
export function verified(state: NonNullable<Conversation['verification']>['state']): Partial<Conversation> {
  const by = state === 'verified' ? 'user' : null
  return { verification: { state, by, code: state === 'agreeing' ? null : CODE } }
}
