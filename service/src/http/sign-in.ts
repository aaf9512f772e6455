import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { ContactError, LIMITS } from '../../../protocol/index.ts'
import { rightsSchema, tagSchema } from '../auth/claims.ts'
import type { Identity } from '../auth/identities.ts'
import type { OriginRule } from '../auth/origins.ts'
import type { Revoked } from '../auth/revocations.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Visitors } from '../auth/visitors.ts'
import { networkOf } from '../limits/client-address.ts'
import { agentSignInRoutes, countFailures } from './agent-sign-in.ts'
import type { AgentSignInParts } from './agent-sign-in.ts'
import { avatarOf, drawAvatar } from './avatar.ts'

export interface SignInParts extends AgentSignInParts {
  readonly visitors: Visitors
  readonly tokens: Tokens
  readonly origins: OriginRule
  /** Local use: agents sign in by their nick, and a request may come without an origin. */
  readonly local: boolean
  readonly rates: RateLimits
  /** Reads who a visitor is, as the site says; null: it says nothing. */
  readonly identify: ((identity: string) => Promise<Identity>) | null
  /** Voids the tokens of a party, and ends its connections. */
  readonly revoke: (revoked: Revoked) => Promise<void>
}

const nickSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.nick),
  v.regex(/^[^\p{Cc}\p{Cf}\p{Cs}]+$/u),
)
const agentSchema = v.object({
  nick: nickSchema,
  tags: v.optional(v.pipe(v.array(tagSchema), v.maxLength(LIMITS.tags)), []),
  rights: rightsSchema,
})
const refreshSchema = v.object({ refresh: v.pipe(v.string(), v.minLength(1), v.maxLength(128)) })

const identitySchema = v.object({ identity: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.token)) })

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

function bodyOf<S extends v.GenericSchema>(schema: S, request: FastifyRequest): v.InferOutput<S> {
  const result = v.safeParse(schema, request.body)
  if (!result.success)
    throw new ContactError(
      'invalid_argument',
      `unable to sign in; ${v.getDotPath(result.issues[0]) ?? 'the body'} is missing or malformed`,
    )
  return result.output
}

/** Routes under `/v1`: who wants to connect gets a token here. */
export async function signInRoutes(app: FastifyInstance, parts: SignInParts): Promise<void> {
  const { tokens, origins, local } = parts
  await app.register(cors, {
    origin: (origin, done) => done(null, origins.allows(origin)),
    methods: ['GET', 'POST'],
    allowedHeaders: ['content-type', 'authorization'],
    maxAge: 600,
  })
  visitorRoutes(app, parts)
  agentSignInRoutes(app, parts)
  app.get<{ Params: { file: string } }>('/avatars/:file', async (request, reply) => {
    const picture = drawAvatar(request.params.file)
    if (picture === null)
      throw new ContactError('not_found', 'unable to draw the picture; there is none of this name')
    return reply
      .headers({
        'content-type': 'image/svg+xml',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=86400',
      })
      .send(picture)
  })
  if (!local) return
  app.post('/dev/agents', (request) => {
    checkedOrigin(request, parts)
    return signInAgent(tokens, {
      ...bodyOf(agentSchema, request),
      baseUrl: `${request.protocol}://${request.host}`,
    })
  })
}

function visitorRoutes(app: FastifyInstance, parts: SignInParts): void {
  const { visitors, rates, revoke } = parts
  const originOf = (request: FastifyRequest): string => checkedOrigin(request, parts)
  /**
   * Whose failures count, before the store is asked: a token of the service's own making is heard even where
   * its address has failed too often.
   */
  const counted = (refresh: string, { ip }: FastifyRequest): string =>
    visitors.isSealed(refresh) ? digest(refresh) : networkOf(ip)
  const count = (visitor: string): void => rates.take('refreshes', visitor)
  app.post('/visitors', (request) => {
    const origin = originOf(request)
    rates.take('newVisitors', networkOf(request.ip))
    return visitors.create(origin)
  })
  app.post('/visitors/refresh', (request) => {
    const origin = originOf(request)
    const { refresh } = bodyOf(refreshSchema, request)
    rates.check('failedSignIns', counted(refresh, request))
    return visitors.refresh(refresh, origin, count).catch((thrown: unknown) => {
      if (thrown instanceof ContactError && thrown.code === 'unauthorized')
        rates.take('failedSignIns', counted(refresh, request))
      throw thrown
    })
  })
  identityRoute(app, parts)
  app.post('/visitors/sign-out', async (request, reply) => {
    const origin = originOf(request)
    const { refresh } = bodyOf(refreshSchema, request)
    rates.check('failedSignIns', counted(refresh, request))
    const visitor = await visitors.visitorOf(refresh, origin, count)
    if (visitor === null) rates.take('failedSignIns', counted(refresh, request))
    else await revoke({ use: 'visitor', id: visitor })
    return reply.status(204).send()
  })
}

/** A visitor whom the site names. */
function identityRoute(app: FastifyInstance, parts: SignInParts): void {
  const { visitors, rates, identify } = parts
  const signIn = async (origin: string, request: FastifyRequest) => {
    const { identity } = bodyOf(identitySchema, request)
    if (!identify)
      throw new ContactError('not_found', 'unable to sign in; the service knows no identities of visitors')
    const known = await countFailures(parts, request, () => identify(identity))
    rates.take('refreshes', known.id)
    return visitors.identified(known, origin)
  }
  app.post('/visitors/identify', (request) => signIn(checkedOrigin(request, parts), request))
}

function checkedOrigin({ headers: { origin } }: FastifyRequest, { origins, local }: SignInParts): string {
  if (origin === undefined && local) return ''
  if (!origins.allows(origin))
    throw new ContactError('forbidden', 'unable to sign in; this origin is not allowed')
  return origin
}

/** The same nick is the same agent: a console that is loaded again finds its contacts. */
async function signInAgent(
  tokens: Tokens,
  { nick, tags, rights, baseUrl }: v.InferOutput<typeof agentSchema> & { baseUrl: string },
) {
  const id = `a-${createHash('sha256').update(nick).digest('base64url').slice(0, 16)}`
  const avatar = avatarOf(nick, baseUrl)
  return {
    token: await tokens.issueAgent({ id, nick, tags, avatar, rights }),
    agent: { id, nick, avatar, rights },
  }
}
