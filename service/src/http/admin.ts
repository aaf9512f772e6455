import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ContactError } from '../../../protocol/index.ts'
import type { Metrics } from './metrics.ts'

export interface AdminParts {
  readonly metrics: Metrics
  readonly adminToken: string | null
  readonly local: boolean
  /** Removes everything of a visitor; gives the ids of the contacts that are gone. */
  readonly erase: (visitor: string) => Promise<readonly string[]>
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** For those who run the service, with a bearer token. */
export async function adminRoutes(app: FastifyInstance, { metrics, adminToken, local, erase }: AdminParts): Promise<void> {
  const admit = (request: FastifyRequest): void => {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (adminToken === null || given === undefined || !timingSafeEqual(digest(given), digest(adminToken)))
      throw new ContactError('unauthorized', 'unable to answer the request; it needs the administration token')
  }
  app.get('/metrics', (request, reply) => {
    if (!local || adminToken !== null) admit(request)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text())
  })
  if (adminToken === null) return
  app.delete<{ Params: { visitor: string } }>('/v1/admin/visitors/:visitor', (request) => {
    admit(request)
    return erase(request.params.visitor).then((contacts) => ({ contacts: contacts.length }))
  })
}
