/** The routes by which parties sign in and out. */
import { LIMITS } from '../../../protocol/index.ts'
import { text, count, object, ok, errors, body, inHeader } from './openapi-parts.ts'

const signIn = object({ visitor: text, token: text, expiresInMs: count, refresh: text })
const refresh = object({ refresh: { ...text, minLength: 1, maxLength: 128 } })
const avatar = object({
  base_url: text,
  images: { type: 'array', items: object({ size: text, file: text }) },
})
const agent = [{ agent: [] }]

export const signInPaths = {
  '/v1/visitors': {
    post: {
      summary: 'A new visitor of the page that asks',
      tags: ['sign-in'],
      parameters: [inHeader('Origin', text)],
      responses: { ...ok('Signed in', signIn), ...errors(403, 429, 503) },
    },
  },
  '/v1/visitors/refresh': {
    post: {
      summary: 'The next token of the same visitor',
      tags: ['sign-in'],
      parameters: [inHeader('Origin', text)],
      requestBody: body(refresh),
      responses: { ...ok('Signed in', signIn), ...errors(400, 401, 403, 429, 503) },
    },
  },
  '/v1/visitors/identify': {
    post: {
      summary: 'A visitor whom the site names: by a JWT of its back end',
      tags: ['sign-in'],
      parameters: [inHeader('Origin', text)],
      requestBody: body(object({ identity: { ...text, minLength: 1, maxLength: LIMITS.token } })),
      responses: {
        ...ok('Signed in', object({ visitor: text, token: text, expiresInMs: count })),
        ...errors(400, 401, 403, 404, 429, 503),
      },
    },
  },
  '/v1/visitors/sign-out': {
    post: {
      summary: 'Voids the tokens of a visitor and ends their connections',
      tags: ['sign-in'],
      parameters: [inHeader('Origin', text)],
      requestBody: body(refresh),
      responses: {
        204: { description: 'Signed out, or nobody was signed in' },
        ...errors(400, 403, 429, 503),
      },
    },
  },
  '/v1/dev/agents': {
    post: {
      summary: 'An agent by nick; local use only',
      tags: ['sign-in'],
      requestBody: body(
        object(
          {
            nick: { ...text, minLength: 1, maxLength: LIMITS.nick },
            tags: { type: 'array', items: text, maxItems: LIMITS.tags },
            rights: { type: 'array', items: text },
          },
          ['tags', 'rights'],
        ),
      ),
      responses: {
        ...ok(
          'Signed in',
          object({
            token: text,
            agent: object({ id: text, nick: text, avatar, rights: { type: 'array', items: text } }),
          }),
        ),
        ...errors(400, 403, 404),
      },
    },
  },
  '/v1/agents/sign-in': {
    get: {
      summary:
        'How agents sign in: `nick` in local use, `oidc` at the provider, `token` from an embedding page',
      tags: ['sign-in'],
      responses: ok(
        'The way, and what the console needs for it',
        object(
          {
            way: { enum: ['nick', 'oidc', 'token'] },
            parents: { type: 'array', items: text },
            issuer: text,
            client: text,
            scope: text,
            parameters: { type: 'object', additionalProperties: text },
            token: { enum: ['access', 'id'] },
          },
          ['issuer', 'client', 'scope', 'parameters', 'token'],
        ),
      ),
    },
  },
  '/v1/agents/me': {
    get: {
      summary: 'The agent whose token it is, as the service understands it',
      tags: ['sign-in'],
      security: agent,
      responses: {
        ...ok(
          'The agent',
          object(
            {
              id: text,
              nick: text,
              tags: { type: 'array', items: text },
              rights: { type: 'array', items: text },
              avatar,
            },
            ['avatar'],
          ),
        ),
        ...errors(401, 403, 429, 503),
      },
    },
  },
  '/v1/agents/sign-out': {
    post: {
      summary:
        'Voids a token of an agent by its jti, and ends its connections; 400 where the token has no jti',
      tags: ['sign-in'],
      security: agent,
      responses: { 204: { description: 'Signed out' }, ...errors(400, 401, 403, 429, 503) },
    },
  },
  '/v1/agents/logout': {
    post: {
      summary:
        'Back-channel logout of the provider: voids the tokens of an agent and ends their connections; only with a provider',
      tags: ['sign-in'],
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: object({ logout_token: text }) } },
      },
      responses: { 204: { description: 'Signed out' }, ...errors(400, 401, 404, 429, 503) },
    },
  },
}
