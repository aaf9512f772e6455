/** What calls an agent who looks elsewhere: offered contacts, messages and calls of their contacts. */
import { isRinging, offerText, peerName, showHidden } from '../../ui/src/index.ts'
import type { ContactSession, Waiting, Words } from '../../ui/src/index.ts'
import type { ConsoleModel } from './console-model.ts'
import type { Incoming } from './incoming-offers.ts'

/** Each matter by an id of its own: `contactOf` names the contact that a notification is about. */
const [OFFERED, MESSAGES, CALL] = ['offered:', 'messages:', 'call:']

/** Null: an offered contact, which is not among those of the agent yet. */
export const contactOf = (id: string): string | null =>
  id.startsWith(OFFERED) ? null : id.slice(id.indexOf(':') + 1)

export const newsOf = ({ incoming, sessions }: NewsOf, words: Words): readonly Waiting[] => [
  ...incoming.map((each) => offered(each, words)),
  ...sessions.flatMap((session) => [messages(session, words), call(session, words)]),
]

type NewsOf = Pick<ConsoleModel, 'incoming' | 'sessions'>

const offered = ({ offered: { id, nick }, isAnswered }: Incoming, words: Words): Waiting => ({
  id: OFFERED + id,
  count: isAnswered ? 0 : 1,
  rings: false,
  text: words.t('incomingAnnounced', { nick: nick ?? words.t('visitor') }),
})

const messages = ({ contact, state }: ContactSession, words: Words): Waiting => ({
  id: MESSAGES + contact.id,
  count: state.unread,
  rings: false,
  text: `${showHidden(peerName(state, words))}: ${words.count('unread', state.unread)}`,
  isContinued: true,
})

const call = ({ contact, state }: ContactSession, words: Words): Waiting => ({
  id: CALL + contact.id,
  count: isRinging(state) ? 1 : 0,
  rings: true,
  text: state.isAttended ? '' : showHidden(offerText(state, words)),
})
