/** What only visitors have whom the site names, and those who look back: loaded when it is needed. */
import * as v from '../../protocol/checks.ts'
import { ContactError, LIMITS, isName } from '../../protocol/index.ts'
import type { ContactData, PastContact, Rating } from '../../protocol/index.ts'
import type { ClientOptions } from '../api/client.ts'
import type { TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { askService } from '../link/visitor-tokens.ts'
import type { Asking } from '../link/visitor-tokens.ts'
import { HISTORY } from '../transcript/history.ts'
import { readTranscript } from '../transcript/transcript.ts'
import type { TranscriptHost } from '../transcript/transcript.ts'
import { fromArguments, requireText } from '../values/arguments.ts'
import { readRecord } from './read-record.ts'

type Identity = NonNullable<ClientOptions['identity']>

const answerSchema = v.object({ token: v.string() })

/**
 * The service's token for a visitor whom the site names.
 * @throws {@link ContactError} as `askService`; `invalid_argument` — the identity is no text
 */
export async function tokenFor(given: Identity, asking: Asking): Promise<string> {
  const identity = typeof given === 'function' ? await given() : given
  requireText('sign in', identity, { name: 'identity' })
  const answer = v.read(answerSchema, await askService('/v1/visitors/identify', { identity }, asking))
  if (answer instanceof v.Fault)
    throw new ContactError('offline', 'unable to get a token; what answered is not the service')
  return answer.token
}

/** The newest contact of the visitor that is open, wherever it was begun; null where there is none. */
export async function findOnService(
  link: ServiceLink,
  isLeft: (contact: string) => boolean,
): Promise<ContactData | null> {
  const { contacts } = await link.call('contact.list', {})
  for (const { id, state } of contacts) {
    if (state === 'cleared' || isLeft(id)) continue
    const record = await readRecord(link, id)
    if (record && record.state !== 'cleared') return record
  }
  return null
}

/** As `readTranscript` of a client. @throws {@link ContactError} as there */
export function readEarlier(host: TranscriptHost, options?: TranscriptOptions): Promise<TranscriptPage> {
  requireId('read the transcript', host.id)
  return readTranscript(host, options, unreadable)
}

const unreadable = (): Promise<never> =>
  Promise.reject(new ContactError('not_supported', 'unable to open the file; its contact is over'))

/** A page of the visitor's contacts, the newest first. */
export async function contactsBefore(
  link: ServiceLink,
  before: string | null | undefined,
): Promise<{ contacts: readonly PastContact[]; before: string | null }> {
  if (typeof (before ?? '') !== 'string')
    throw new ContactError('invalid_argument', 'unable to list the contacts; before is no cursor')
  const { contacts, next } = await link.call('contact.list', { ...(before && { before }) })
  return { contacts, before: next ?? null }
}

const RATE = 'rate the contact'

/** As `rate` of a client. @throws {@link ContactError} as there */
export async function rate(link: ServiceLink, contact: string, given: Rating): Promise<void> {
  requireId(RATE, contact)
  const { score, comment } = fromArguments(RATE, () => ({ score: given.score, comment: given.comment }))
  if (!Number.isInteger(score) || score < 1 || score > 5)
    throw new ContactError('invalid_argument', `unable to ${RATE}; score must be 1 to 5`)
  if (comment !== undefined) requireComment(comment)
  await link.call('contact.rate', { contact, score, ...(comment !== undefined && { comment }) })
}

function requireComment(comment: unknown): void {
  requireText(RATE, comment, { name: 'comment' })
  if (comment === '')
    throw new ContactError('invalid_argument', `unable to ${RATE}; comment must not be empty`)
  if (comment.length > LIMITS.note)
    throw new ContactError('too_large', `unable to ${RATE}; comment is longer than ${LIMITS.note} characters`)
}

function requireId(operation: string, id: unknown): void {
  if (!isName(id) || id.startsWith(HISTORY))
    throw new ContactError('invalid_argument', `unable to ${operation}; there is no such id of a contact`)
}
