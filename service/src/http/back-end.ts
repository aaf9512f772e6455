/** What the organisation's back end reads of contacts. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as v from 'valibot'
import { ContactError, isName } from '../../../protocol/index.ts'
import type { BackEndReader } from '../contacts/index.ts'
import { agentOf } from './agent-sign-in.ts'
import type { AgentSignInParts } from './agent-sign-in.ts'
import { noteAsker } from './askers.ts'

export interface BackEndParts extends AgentSignInParts {
  readonly contacts: Pick<BackEndReader, 'list' | 'read' | 'transcript'>
}

/** The right of a token that reads all contacts. */
export const READ_RIGHT = 'contacts:read'
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
const transcriptSchema = v.object({ after: number(0, Number.MAX_SAFE_INTEGER, 0), limit })

type OfContact = FastifyRequest<{ Params: { contact: string } }>

/** Routes under `/v1/contacts`, for tokens of the provider with the right. */
export async function backEndRoutes(app: FastifyInstance, parts: BackEndParts): Promise<void> {
  const { contacts } = parts
  const admit = async (request: FastifyRequest): Promise<void> => {
    const { id, rights } = await agentOf(parts, request)
    noteAsker(request, `agent ${id}`)
    if (!rights.includes(READ_RIGHT))
      throw new ContactError(
        'forbidden',
        `unable to answer the request; the token does not have the right ${READ_RIGHT}`,
      )
    parts.rates.take('otherCalls', id)
  }
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  app.get('/contacts', (request) => admit(request).then(() => contacts.list(queryOf(listSchema, request))))
  app.get('/contacts/:contact', (request: OfContact) =>
    admit(request).then(() => contacts.read(contactOf(request))),
  )
  app.get('/contacts/:contact/transcript', (request: OfContact) =>
    admit(request).then(() => contacts.transcript(contactOf(request), queryOf(transcriptSchema, request))),
  )
}

function contactOf({ params: { contact } }: OfContact): string {
  if (!isName(contact))
    throw new ContactError('not_found', 'unable to answer the request; there is no such contact')
  return contact
}

function queryOf<S extends v.GenericSchema>(schema: S, request: FastifyRequest): v.InferOutput<S> {
  const result = v.safeParse(schema, request.query)
  if (!result.success)
    throw new ContactError(
      'invalid_argument',
      `unable to answer the request; ${v.getDotPath(result.issues[0]) ?? 'the query'} is malformed`,
    )
  return result.output
}
