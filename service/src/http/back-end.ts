/** What the organisation's back end reads of contacts, and writes into them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as v from 'valibot'
import { ContactError, LIMITS, hasNul, isName, wellFormed } from '../../../protocol/index.ts'
import { shownName } from '../auth/provider.ts'
import type { BackEndReader, ServiceMessage, WrittenMessage } from '../contacts/index.ts'
import { agentOf } from './agent-sign-in.ts'
import type { AgentSignInParts } from './agent-sign-in.ts'
import { noteAsker } from './askers.ts'

export interface BackEndParts extends AgentSignInParts {
  readonly contacts: Pick<BackEndReader, 'list' | 'read' | 'transcript'>
  /** Writes a message of the service. */
  readonly write: (contact: string, message: ServiceMessage) => Promise<WrittenMessage>
}

/** The rights of a token that reads all contacts, and that writes into them. */
export const READ_RIGHT = 'contacts:read'
export const WRITE_RIGHT = 'contacts:write'
/** Items of a page: the standard, and the most. */
export const PAGE_SIZES = { standard: 50, most: 200 } as const

const number = (least: number, most: number, standard: number) =>
  v.optional(
    v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number), v.minValue(least), v.maxValue(most)),
    String(standard),
  )
const limit = number(1, PAGE_SIZES.most, PAGE_SIZES.standard)
const listSchema = v.object({
  visitor: v.optional(v.custom<string>(isName)),
  before: v.optional(v.string()),
  limit,
})
/** Characters of an id that the back end gives. */
export const MESSAGE_ID = 120
/** As over the link: half a character becomes U+FFFD. */
const anyText = v.pipe(v.string(), v.transform(wellFormed))
const shown = (most: number) => v.pipe(anyText, v.maxLength(most))
/** Without what is not seen, as the names of all parties; one of which nothing is left is none. */
const nickSchema = v.pipe(
  v.string(),
  v.maxLength(LIMITS.nick),
  v.transform((nick) => shownName(nick)),
)
const messageSchema = v.object({
  id: v.exactOptional(v.pipe(shown(MESSAGE_ID), v.custom<string>(isName))),
  text: v.pipe(
    anyText,
    v.minLength(1),
    v.maxBytes(LIMITS.textBytes),
    v.check((text) => !hasNul(text)),
  ),
  lang: v.exactOptional(shown(LIMITS.lang)),
  nick: v.exactOptional(nickSchema),
})
const transcriptSchema = v.object({ after: number(0, Number.MAX_SAFE_INTEGER, 0), limit })

type OfContact = FastifyRequest<{ Params: { contact: string } }>

/** Routes under `/v1/contacts`, for tokens of the provider with the rights. */
export async function backEndRoutes(app: FastifyInstance, parts: BackEndParts): Promise<void> {
  const { contacts } = parts
  const admit = async (request: FastifyRequest, right = READ_RIGHT): Promise<void> => {
    const { id, rights } = await agentOf(parts, request)
    noteAsker(request, `agent ${id}`)
    if (!rights.includes(right))
      throw new ContactError(
        'forbidden',
        `unable to answer the request; the token does not have the right ${right}`,
      )
    parts.rates.take('otherCalls', id)
  }
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  app.get('/contacts', (request) =>
    admit(request).then(() => contacts.list(checked(listSchema, request.query))),
  )
  app.get('/contacts/:contact', (request: OfContact) =>
    admit(request).then(() => contacts.read(contactOf(request))),
  )
  app.get('/contacts/:contact/transcript', (request: OfContact) =>
    admit(request).then(() =>
      contacts.transcript(contactOf(request), checked(transcriptSchema, request.query)),
    ),
  )
  app.post('/contacts/:contact/messages', async (request: OfContact, reply) => {
    await admit(request, WRITE_RIGHT)
    const { nick, ...message } = checked(messageSchema, request.body)
    const written = await parts.write(contactOf(request), { ...message, ...(nick && { nick }) })
    return reply.status(201).send(written)
  })
}

function contactOf({ params: { contact } }: OfContact): string {
  if (!isName(contact))
    throw new ContactError('not_found', 'unable to answer the request; there is no such contact')
  return contact
}

function checked<S extends v.GenericSchema>(schema: S, given: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, given)
  if (!result.success) throw refusalOf(result.issues[0])
  return result.output
}

function refusalOf(issue: v.BaseIssue<unknown>): ContactError {
  const what = v.getDotPath(issue) ?? 'what it says'
  return issue.type === 'max_bytes'
    ? new ContactError(
        'too_large',
        `unable to answer the request; ${what} is longer than ${String(issue.requirement)} bytes`,
      )
    : new ContactError('invalid_argument', `unable to answer the request; ${what} is malformed`)
}
