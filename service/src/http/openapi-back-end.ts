/** The routes by which the organisation's back end reads contacts, and writes into them. */
import { LIMITS } from '../../../protocol/index.ts'
import { text, count, object, ok, errors, inPath, body } from './openapi-parts.ts'
import { MESSAGE_ID, PAGE_SIZES } from './back-end.ts'

const time = { type: 'string', format: 'date-time' } as const
const optional = (name: string, schema: unknown, description: string) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})
const limit = optional(
  'limit',
  { type: 'integer', minimum: 1, maximum: PAGE_SIZES.most, default: PAGE_SIZES.standard },
  'Items of the page',
)
const contact = inPath('contact', 'Its id')
const security = [{ backEnd: [] }]
const listed = object(
  {
    ...{ id: text, state: text, created: time, ended: time, visitor: text, nick: text, agent: text },
    ...{ tags: { type: 'array', items: text }, messages: count },
  },
  ['ended', 'nick', 'agent'],
)
const record = {
  ...object({ id: text, state: text, created: time, ended: time, transferredTo: text }, [
    'ended',
    'transferredTo',
  ]),
  description: 'The members that a reader of the list looks for, and all others of contact-data.json',
}
const from = object({ role: { enum: ['visitor', 'agent'] }, id: text, nick: text }, ['nick'])
const message = object({ seq: count, id: text, type: text, time, from, body: { type: 'object' } }, ['from'])

export const backEndPaths = {
  '/v1/contacts': {
    get: {
      summary: 'Contacts, the newest first',
      tags: ['contacts'],
      security,
      parameters: [
        optional('visitor', text, 'Only those of this visitor'),
        optional('before', text, '`next` of the page before'),
        limit,
      ],
      responses: {
        ...ok('A page', object({ contacts: { type: 'array', items: listed }, next: text }, ['next'])),
        ...errors(400, 401, 403, 429, 503),
      },
    },
  },
  '/v1/contacts/{contact}': {
    get: {
      summary: 'A contact, as its visitor sees it: docs/schema/contact-data.json',
      tags: ['contacts'],
      security,
      parameters: [contact],
      responses: { ...ok('The record', record), ...errors(400, 401, 403, 404, 429, 503) },
    },
  },
  '/v1/contacts/{contact}/transcript': {
    get: {
      summary: 'What was written, the oldest first; encrypted where the contact is secure',
      tags: ['contacts'],
      security,
      parameters: [contact, optional('after', count, '`next` of the page before'), limit],
      responses: {
        ...ok('A page', object({ messages: { type: 'array', items: message }, next: count }, ['next'])),
        ...errors(400, 401, 403, 404, 429, 503),
      },
    },
  },
  '/v1/contacts/{contact}/messages': {
    post: {
      summary: 'Writes a message of the service, which both parties see; not into a secure contact',
      tags: ['contacts'],
      security,
      parameters: [contact],
      requestBody: body(
        object(
          {
            id: { type: 'string', pattern: '^[A-Za-z0-9._:-]+$', maxLength: MESSAGE_ID },
            text: {
              type: 'string',
              minLength: 1,
              maxLength: LIMITS.textBytes,
              description: `At most ${LIMITS.textBytes} bytes in UTF-8, so fewer characters where some have several bytes; a longer one is answered with 413`,
            },
            lang: { type: 'string', maxLength: LIMITS.lang },
            nick: { type: 'string', maxLength: LIMITS.nick },
          },
          ['id', 'lang', 'nick'],
        ),
      ),
      responses: {
        ...ok(
          'It is in the log; sent again with its `id`, it is not written again',
          object({ id: text, seq: count, time }),
          '201',
        ),
        ...errors(400, 401, 403, 404, 409, 413, 429, 503),
      },
    },
  },
}
