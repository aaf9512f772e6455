import type { Conversation } from './conversation.ts'
import { rowsOf } from './media-plan.ts'
import type { MessageKey } from './messages/en.ts'
import { offerTitle } from './offer-words.ts'
import type { Words } from './words.ts'

/** Name of the other side, as it is addressed in sentences. */
export const peerName = ({ peer, role }: Pick<Conversation, 'peer' | 'role'>, words: Words): string =>
  peer?.nick || words.t(role === 'agent' ? 'visitor' : 'agent')

/** Nothing that the agent writes reaches anybody, though the contact is not over yet. */
export const hasVisitorLeft = ({ peer, role }: Pick<Conversation, 'peer' | 'role'>): boolean =>
  role === 'agent' && peer?.presence === 'gone'

/** How this page is connected, for all that it says of it. */
export const connectionOf = ({
  connection,
  isOffline,
}: Pick<Conversation, 'connection' | 'isOffline'>): Conversation['connection'] =>
  isOffline ? 'offline' : connection

/** Where the conversation is, in one line. */
export function statusText(state: Conversation, words: Words): string {
  const nick = peerName(state, words)
  if (state.stage === 'ended') return words.t(state.ending === 'passed' ? 'noticePassed' : 'statusEnded')
  const connection = connectionOf(state)
  if (connection !== 'online') return words.t(connection === 'offline' ? 'statusOffline' : 'connecting')
  if (state.stage === 'waiting') return words.t(state.isForLater ? 'statusLater' : 'statusWaiting')
  if (state.stage === 'assigned')
    return state.role === 'agent' ? words.t('connecting') : words.t('statusAssigned', { nick })
  if (state.peer?.presence === 'gone') return words.t('statusGone', { nick })
  if (state.peer?.presence === 'away') return words.t('statusAway', { nick })
  return words.t('statusTalking')
}

/** What the other side's offer asks for, in one sentence; empty where there is none. */
export const offerText = (state: Conversation, words: Words): string =>
  state.offer
    ? words.t(offerTitle(rowsOf(state.offer.offer, state.media)), { nick: peerName(state, words) })
    : ''

/** An offer of the other side waits for an answer. */
export const isRinging = ({ offer }: Conversation): boolean => offer?.status === 'asking'

/** What is said of a call that is on its way, for which own devices may be in use; empty where none is. */
export function settingUpText(state: Conversation, words: Words): string {
  if (state.request) return words.t('calling', { nick: peerName(state, words) })
  if (state.offer?.status === 'preparing') return words.t('offerPreparing')
  return state.offer?.status === 'answered' ? words.t('offerAnswered') : ''
}

/** A call that is to stay in sight where its conversation is not shown. */
export const hasLiveCall = ({ callSince, request, offer, isElsewhere }: Conversation): boolean =>
  !isElsewhere && (callSince !== null || request !== null || (offer !== null && offer.status !== 'asking'))

/** The place in the queue, and how long it will probably take. */
export function queueText(
  { position, expectedWaitMs }: NonNullable<Conversation['queue']>,
  words: Words,
): string {
  const place = words.t('queuePlace', { n: position })
  if (expectedWaitMs === undefined) return place
  return `${place} ${
    expectedWaitMs < 60_000
      ? words.t('queueSoon')
      : words.count('queueWait', Math.ceil(expectedWaitMs / 60_000))
  }`
}

/** Why it is over, in one sentence. */
export function endingText({ ending, role }: Conversation, words: Words): string {
  const byVisitor: MessageKey = role === 'visitor' ? 'endedByYou' : 'endedVisitor'
  switch (ending) {
    case 'closed':
      return words.t(role === 'visitor' ? 'endedByYou' : 'endedOther')
    case 'user':
      return words.t(role === 'visitor' ? 'endedByAgent' : 'endedOther')
    case 'vvcu':
    case 'abandon':
    case 'cancel':
      return words.t(byVisitor)
    case 'dissuasion':
      return words.t('endedNobody')
    case 'timeout':
    case 'disconnect':
      return words.t('endedLost')
    case 'passed':
      return words.t('endedPassed')
    case 'refused':
      return words.error('unauthorized')
    case null:
      return words.t('endedOther')
    default:
      return ending satisfies never
  }
}
