import { createHash, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as v from 'valibot'
import { ContactError, isName } from '../../../protocol/index.ts'
import { isPossible, isVisitorId } from '../auth/possible-ids.ts'
import type { Revoked } from '../auth/revocations.ts'
import type { Metrics } from './metrics.ts'

export interface AdminParts {
  readonly metrics: Metrics
  readonly adminToken: string | null
  readonly local: boolean
  /** Removes everything of a visitor; gives the ids of the contacts that are gone. */
  readonly erase: (visitor: string) => Promise<readonly string[]>
  /** All that is kept of a visitor, piece by piece. */
  readonly exported: (visitor: string) => AsyncGenerator
  /** Sets or releases the legal hold of a contact. */
  readonly hold: (contact: string, isHeld: boolean) => Promise<void>
  /** Voids tokens, and ends the connections that were made with them. */
  readonly revoke: (revoked: Revoked) => Promise<void>
  /** Signs with a new key from now on; `voids`: what was signed before is refused from then on. */
  readonly rotateKeys: (voids: boolean) => Promise<void>
}

const revokedSchema = v.object({
  use: v.picklist(['visitor', 'agent', 'token']),
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
})

async function* linesOf(first: unknown, rest: AsyncGenerator): AsyncGenerator<string> {
  yield `${JSON.stringify(first)}\n`
  for await (const piece of rest) yield `${JSON.stringify(piece)}\n`
}

const rotationSchema = v.object({ voids: v.optional(v.boolean(), false) })

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** For those who run the service, with a bearer token. */
export async function adminRoutes(
  app: FastifyInstance,
  { metrics, adminToken, local, erase, hold, revoke, rotateKeys, exported }: AdminParts,
): Promise<void> {
  const admit: Admit = (request) => {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (adminToken === null || given === undefined || !timingSafeEqual(digest(given), digest(adminToken)))
      throw new ContactError(
        'unauthorized',
        'unable to answer the request; it needs the administration token',
      )
  }
  app.get('/metrics', async (request, reply) => {
    if (!local || adminToken !== null) admit(request)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text())
  })
  if (adminToken === null) return
  tokenRoutes(app, admit, { revoke, rotateKeys })
  visitorRoutes(app, admit, { erase, exported })
  holdRoutes(app, admit, { hold })
}

/** @throws {@link ContactError} `unauthorized`: the request does not have the administration token. */
type Admit = (request: FastifyRequest) => void

function tokenRoutes(
  app: FastifyInstance,
  admit: Admit,
  { revoke, rotateKeys }: Pick<AdminParts, 'revoke' | 'rotateKeys'>,
): void {
  app.post('/v1/admin/revocations', async (request, reply) => {
    admit(request)
    const revoked = v.safeParse(revokedSchema, request.body)
    if (!revoked.success)
      throw new ContactError(
        'invalid_argument',
        'unable to revoke; give `use` (visitor, agent or token) and `id`',
      )
    if (!isPossible(revoked.output)) throw impossible('revoke', revoked.output.use)
    await revoke(revoked.output)
    return reply.status(204).send()
  })
  app.post('/v1/admin/signing-keys', async (request, reply) => {
    admit(request)
    const asked = v.safeParse(rotationSchema, request.body ?? {})
    if (!asked.success)
      throw new ContactError('invalid_argument', 'unable to change the keys; `voids` must be true or false')
    await rotateKeys(asked.output.voids)
    return reply.status(204).send()
  })
}

function visitorRoutes(
  app: FastifyInstance,
  admit: Admit,
  { erase, exported }: Pick<AdminParts, 'erase' | 'exported'>,
): void {
  app.get<{ Params: { visitor: string } }>('/v1/admin/visitors/:visitor', async (request, reply) => {
    admit(request)
    const pieces = exported(request.params.visitor)
    const first = isName(request.params.visitor) ? await pieces.next() : null
    if (!first || first.done)
      throw new ContactError('not_found', 'unable to export; nothing is kept of this visitor')
    return reply.type('application/x-ndjson').send(Readable.from(linesOf(first.value, pieces)))
  })
  app.delete<{ Params: { visitor: string } }>('/v1/admin/visitors/:visitor', (request) => {
    admit(request)
    const { visitor } = request.params
    if (!isVisitorId(visitor)) throw impossible('erase', 'visitor')
    return erase(visitor).then((contacts) => ({ contacts: contacts.length }))
  })
}

const FORMS = {
  visitor: ': it is `v-` and letters, or `i-` and what the site names the visitor',
  agent: '',
  token: '',
}

/** Otherwise a slip would look like success. */
const impossible = (what: 'revoke' | 'erase', use: Revoked['use']): ContactError =>
  new ContactError('invalid_argument', `unable to ${what}; no ${use} can have this id${FORMS[use]}`)

function holdRoutes(app: FastifyInstance, admit: Admit, { hold }: Pick<AdminParts, 'hold'>): void {
  app.route<{ Params: { contact: string } }>({
    method: ['PUT', 'DELETE'],
    url: '/v1/admin/contacts/:contact/hold',
    handler: async (request, reply) => {
      admit(request)
      const { contact } = request.params
      if (!isName(contact))
        throw new ContactError('not_found', 'unable to change the hold; there is no such contact')
      await hold(contact, request.method === 'PUT')
      return reply.status(204).send()
    },
  })
}
