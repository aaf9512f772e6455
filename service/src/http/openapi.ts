import {
  text,
  count,
  object,
  json,
  ok,
  errors,
  body,
  inPath,
  inQuery,
  inHeader,
  page,
} from './openapi-parts.ts'
import { backEndPaths } from './openapi-back-end.ts'
import { webhookEvents } from './openapi-webhooks.ts'
import { signInPaths } from './openapi-sign-in.ts'

const status = object({ status: text })
const admin = [{ admin: [] }]
const upload = [{ upload: [] }]
const resumable = inHeader('Tus-Resumable', { const: '1.0.0' })
const noVersion = { 412: { description: 'The request names no version of tus' } }
const offset = { 'Upload-Offset': { schema: count } }
const file = { schema: { type: 'string', format: 'binary' } }

const paths = {
  ...backEndPaths,
  ...signInPaths,
  '/v1/avatars/{file}': {
    get: {
      summary: 'A picture with initials',
      tags: ['pages'],
      parameters: [inPath('file', 'As an avatar names it')],
      responses: {
        200: { description: 'The picture', content: { 'image/svg+xml': {} } },
        ...errors(400, 404),
      },
    },
  },
  '/v1/uploads/{id}': {
    parameters: [inPath('id', 'From the call attachment.open')],
    head: {
      summary: 'How far an upload has come',
      tags: ['files'],
      security: upload,
      parameters: [resumable],
      responses: {
        200: { description: 'The offset', headers: { ...offset, 'Upload-Length': { schema: count } } },
        ...noVersion,
        ...errors(400, 401, 403, 410),
      },
    },
    patch: {
      summary: 'More bytes',
      tags: ['files'],
      security: upload,
      parameters: [resumable, inHeader('Upload-Offset', count)],
      requestBody: { required: true, content: { 'application/offset+octet-stream': file } },
      responses: {
        204: { description: 'Taken', headers: offset },
        ...noVersion,
        ...errors(400, 401, 403, 409, 410, 413, 415, 507),
      },
    },
    delete: {
      summary: 'Gives an upload up',
      tags: ['files'],
      security: upload,
      parameters: [resumable],
      responses: { 204: { description: 'Given up' }, ...noVersion, ...errors(400, 401, 403, 410) },
    },
    options: {
      summary: 'What the service speaks of tus',
      tags: ['files'],
      responses: { 204: { description: 'tus 1.0.0, extension termination' }, ...errors(400, 403) },
    },
  },
  '/v1/attachments/{id}': {
    get: {
      summary: 'A file, always as a download; byte ranges are served',
      tags: ['files'],
      parameters: [
        inPath('id', 'With its query, from the entry or the call attachment.url'),
        inQuery('until'),
        inQuery('party'),
        inQuery('mac'),
      ],
      responses: {
        200: { description: 'The file', content: { '*/*': file } },
        206: { description: 'A part of it', content: { '*/*': file } },
        ...errors(400, 403, 404, 410, 416),
      },
    },
  },
  '/v1/admin/visitors/{visitor}': {
    get: {
      summary: 'All that is kept of a visitor',
      tags: ['operation'],
      security: admin,
      parameters: [inPath('visitor', 'Its id')],
      responses: {
        200: {
          description: 'A line of JSON for the visitor, and for each contact and entry',
          content: { 'application/x-ndjson': {} },
        },
        ...errors(400, 401, 404, 503),
      },
    },
    delete: {
      summary: 'Removes everything of a visitor; 400 for an id that no visitor can have',
      tags: ['operation'],
      security: admin,
      parameters: [inPath('visitor', 'Its id')],
      responses: { ...ok('Removed', object({ contacts: count })), ...errors(400, 401, 404, 409, 503) },
    },
  },
  '/v1/admin/contacts/{contact}/hold': {
    parameters: [inPath('contact', 'Its id')],
    put: {
      summary:
        'Puts a contact under a legal hold: it is not removed, neither when it is old nor with its visitor',
      tags: ['operation'],
      security: admin,
      responses: { 204: { description: 'Held' }, ...errors(400, 401, 404, 503) },
    },
    delete: {
      summary: 'Releases a legal hold',
      tags: ['operation'],
      security: admin,
      responses: { 204: { description: 'Released' }, ...errors(400, 401, 404, 503) },
    },
  },
  '/v1/admin/revocations': {
    post: {
      summary:
        'Voids all tokens of a party up to now, or one by its jti, and ends the connections that were made with them; 400 for an id that no party can have',
      tags: ['operation'],
      security: admin,
      requestBody: body(object({ use: { enum: ['visitor', 'agent', 'token'] }, id: text })),
      responses: { 204: { description: 'Revoked, everywhere within 5 s' }, ...errors(400, 401, 404, 503) },
    },
  },
  '/v1/admin/signing-keys': {
    post: {
      summary:
        'Signs tokens with a new key from now on; with `voids`, those that were signed before are refused from then on',
      tags: ['operation'],
      security: admin,
      requestBody: body(object({ voids: { type: 'boolean' } }, ['voids'])),
      responses: { 204: { description: 'Changed' }, ...errors(400, 401, 404, 503) },
    },
  },
  '/v1/openapi.json': {
    get: {
      summary: 'This description',
      tags: ['operation'],
      responses: ok('OpenAPI 3.1', { type: 'object' }),
    },
  },
  '/healthz': {
    get: { summary: 'Whether the process lives', tags: ['operation'], responses: ok('It does', status) },
  },
  '/readyz': {
    get: {
      summary: 'Whether it can work',
      tags: ['operation'],
      responses: { ...ok('It can', status), ...ok('The store is out', status, '503') },
    },
  },
  '/metrics': {
    get: {
      summary: 'Numbers for Prometheus',
      tags: ['operation'],
      security: [...admin, {}],
      responses: { 200: { description: 'Text format 0.0.4', content: { 'text/plain': {} } }, ...errors(401) },
    },
  },
  '/': { get: page('Where to go') },
  '/widget.js': { get: page('The loader of the widget, for one tag on any page') },
  '/sdk/{path}': { get: page('The SDK, readable from every origin') },
  '/visitor/{path}': { get: page("The visitor's demo page") },
  '/agent/{path}': { get: page("The agent's console") },
  '/inspector/{path}': { get: page('The inspector; local use only') },
}

const wireError = object({ error: object({ code: text, message: text }) })
const rateError = object({
  error: object({ code: { const: 'rate_limited' }, message: text, retryAfterMs: count }),
})

/** The HTTP routes, for machines. A test holds it to the routes that there are. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Duolog contact service',
    version: '1.0',
    description:
      'The HTTP side of the wire protocol. Contacts themselves go over Socket.IO at /v1/link: see docs/protocol.md.',
    license: { name: 'Apache-2.0' },
  },
  paths,
  webhooks: webhookEvents,
  components: {
    responses: {
      Error: { description: 'What went wrong. The codes are in docs/errors.md', content: json(wireError) },
      TooMany: {
        description: 'The party or its address did it too often. It may be done again after `retryAfterMs`',
        headers: { 'Retry-After': { description: 'The same in seconds, rounded up', schema: count } },
        content: json(rateError),
      },
    },
    securitySchemes: {
      admin: { type: 'http', scheme: 'bearer', description: 'The administration token' },
      agent: { type: 'http', scheme: 'bearer', description: 'The token of an agent' },
      backEnd: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token of the identity provider with the right contacts:read, to write contacts:write',
      },
      upload: {
        type: 'http',
        scheme: 'bearer',
        description: 'The token of one upload, from attachment.open',
      },
    },
  },
} as const
