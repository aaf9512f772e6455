import type { Contact, TranscriptMessage } from './sdk.ts'
import { shownBody } from './file-controller.ts'
import type { Body, StoredMessage } from './transcript.ts'

/** Messages that are read of one page of the transcript. */
const PAGE = 200

/**
 * What was said in a contact as the service keeps it, oldest first, `most` messages at most; where it cannot
 * be read, as far as it could.
 */
export async function recalled(contact: Contact, most: number): Promise<StoredMessage[]> {
  const messages: TranscriptMessage[] = []
  try {
    for (let before: string | null | undefined; before !== null && messages.length < most;) {
      const page = await contact.readTranscript({ limit: PAGE, ...(before !== undefined && { before }) })
      messages.push(...page.messages)
      before = page.before
    }
  } catch {
    // What is new comes all the same.
  }
  return messages.toReversed().flatMap((message) => stored(message, isOwn(message, contact)))
}

/** An earlier agent's messages are not those of the agent who has the contact now. */
const isOwn = ({ agent, from_id }: TranscriptMessage, contact: Contact): boolean =>
  agent === (contact.role === 'agent') && (!agent || from_id === contact.data().agent?.user)

function stored(message: TranscriptMessage, own: boolean): StoredMessage[] {
  const body = bodyOf(message)
  if (!body) return []
  const which = { id: message.id, at: message.ts, body }
  if (own) return [{ ...which, kind: 'own', delivery: 'stored', echoed: true }]
  return [{ ...which, kind: 'remote', ...(message.from_nick !== undefined && { nick: message.from_nick }) }]
}

function bodyOf(message: TranscriptMessage): Body | null {
  if (message.type === 'text') return { type: 'text', text: message.text }
  if (message.type === 'link')
    return { type: 'link', url: message.url, ...(message.desc !== undefined && { desc: message.desc }) }
  return message.type === 'attachment' ? shownBody(message.meta) : null
}
