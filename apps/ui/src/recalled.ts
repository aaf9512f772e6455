import type { Contact, TranscriptEvent, TranscriptMessage } from './sdk.ts'
import { shownBody } from './file-controller.ts'
import { shownAction } from './shown-action.ts'
import type { Body, Delivery, Item, StoredItem, StoredMessage } from './transcript.ts'
import { untilDecided } from './until-decided.ts'
import type { Asking } from './until-decided.ts'

/** Messages that are read of one page of the transcript. */
const PAGE = 200

/** Messages at most that are read. */
const MOST = 500

export interface Recalled {
  /** As the service keeps it, oldest first. */
  readonly items: readonly StoredItem[]
  /** Reading was refused, or nobody waits for it any more: there are more. */
  readonly missesStart: boolean
}

/** What was said in a contact, the last 500 messages; asked for as long as the service has not decided. */
export async function recalled(contact: Contact, asking: Asking): Promise<Recalled> {
  const messages: TranscriptMessage[] = []
  const events: TranscriptEvent[] = []
  const kept = (): StoredItem[] => itemsOf(messages, events, contact)
  let before: string | null | undefined
  try {
    while (before !== null && messages.length < MOST) {
      const where = { limit: PAGE, ...(before !== undefined && { before }) }
      const page = await untilDecided(() => contact.readTranscript(where), asking)
      messages.push(...page.messages)
      events.push(...page.events)
      before = page.before
    }
  } catch {
    return { items: kept(), missesStart: true }
  }
  return { items: kept(), missesStart: false }
}

/** Messages with how far the own ones have come, and who joined for the visitor; both are given newest first. */
function itemsOf(
  messages: readonly TranscriptMessage[],
  events: readonly TranscriptEvent[],
  contact: Contact,
): StoredItem[] {
  const isAgent = contact.role === 'agent'
  const reached = new Set<string>()
  let seen: string | undefined
  for (const event of events)
    if (event.type !== 'joined' && event.agent !== isAgent) {
      reached.add(event.ref)
      if (event.type === 'read') seen ??= event.ref
    }
  let isSeen = false
  const items: StoredItem[] = messages.flatMap((message) => {
    isSeen ||= message.id === seen
    const delivery = isSeen ? 'read' : reached.has(message.id) ? 'delivered' : 'stored'
    return stored(message, isOwn(message, contact) && delivery)
  })
  for (const event of isAgent ? [] : events) {
    if (event.type !== 'joined') continue
    const older = items.findIndex(({ at }) => at < event.ts)
    const item = { kind: 'notice', notice: 'noticeJoined', nick: event.nick, at: event.ts } as const
    items.splice(older === -1 ? items.length : older, 0, item)
  }
  return items.toReversed()
}

const shownOf = (messages: readonly TranscriptMessage[]): StoredMessage[] =>
  messages.toReversed().flatMap((message) => stored(message, !message.agent && 'stored'))

/**
 * What a visitor reads of a contact that is over: of files their names, since a page opens those of an open
 * contact only.
 */
export const earlierItems = (messages: readonly TranscriptMessage[]): Item[] =>
  shownOf(messages).map((message, index) => {
    const { body } = message
    const { id: _gone, ...file } = { id: undefined, ...body }
    return {
      ...message,
      body: body.type === 'file' ? file : body,
      key: message.id ?? `e${index}`,
    }
  })

/** An earlier agent's messages are not those of the agent who has the contact now. */
const isOwn = ({ agent, from_id }: TranscriptMessage, contact: Contact): boolean =>
  agent === (contact.role === 'agent') && (!agent || from_id === contact.data().agent?.user)

/** `own`: how far an own message has come; false: it is none. */
function stored(message: TranscriptMessage, own: Delivery | false): StoredMessage[] {
  const body = bodyOf(message)
  if (!body) return []
  const which = { id: message.id, at: message.ts, body }
  if (own) return [{ ...which, kind: 'own', delivery: own, echoed: true }]
  const nick = message.from_nick
  return [
    {
      ...which,
      kind: 'remote',
      ...(nick !== undefined && { nick }),
      ...(message.type === 'notice' && { isService: true }),
    },
  ]
}

function bodyOf(message: TranscriptMessage): Body | null {
  if (message.type === 'text' || message.type === 'notice') return { type: 'text', text: message.text }
  if (message.type === 'link')
    return { type: 'link', url: message.url, ...(message.desc !== undefined && { desc: message.desc }) }
  if (message.type === 'action') return shownAction(message.action_code, message.args)
  // What it tells of an earlier contact is in the transcript itself.
  if (message.type !== 'attachment' || message.meta.kind === 'history') return null
  return shownBody(message.meta)
}
