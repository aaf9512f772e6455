/** What `--webhook` sends to the organisation's back end. */
import { text, count, object, body, inHeader } from './openapi-parts.ts'

const about = {
  contact: text,
  visitor: object({ id: text, identified: { const: true }, nick: text }, ['identified', 'nick']),
  secure: { type: 'boolean' },
  transferredFrom: text,
}
const form = { type: 'object' } as const
const from = object({ role: { enum: ['visitor', 'agent'] }, id: text, nick: text }, ['nick'])

/** What events say besides what they are about; members that may be missing. */
const EVENTS = {
  created: [
    'A contact was stored',
    { tags: { type: 'array', items: text }, data: { type: 'array', items: form }, lang: text, visit: form },
    ['lang', 'visit'],
  ],
  queued: ['Its visitor waits in the queue, for the first time', {}, []],
  joined: ['The agent joined', { seq: count, agent: object({ id: text, nick: text }) }, []],
  message: [
    'A text, link, action, file or message of the service (without `from`); encrypted where the contact is secure',
    { seq: count, message: object({ id: text, type: text, from, body: form }, ['from']) },
    [],
  ],
  rating: [
    'The visitor has rated the contact, or has given another rating',
    {
      rating: object({ score: { type: 'integer', minimum: 1, maximum: 5 }, comment: text }, ['comment']),
      agent: text,
    },
    ['agent'],
  ],
  ended: [
    'The contact is over, or goes on under another id',
    { seq: count, reason: text, transferredTo: text },
    ['transferredTo'],
  ],
} as const satisfies Record<string, readonly [string, Readonly<Record<string, unknown>>, readonly string[]]>

/** By the type of the event. */
export const webhookEvents = Object.fromEntries(
  Object.entries(EVENTS).map(([name, [summary, more, optional]]) => [
    `contact.${name}`,
    {
      post: {
        summary,
        tags: ['webhooks'],
        parameters: [
          inHeader('webhook-id', text),
          inHeader('webhook-timestamp', text),
          inHeader('webhook-signature', text),
        ],
        requestBody: body(
          object({
            type: { const: `contact.${name}` },
            timestamp: { type: 'string', format: 'date-time' },
            data: object({ ...about, ...more }, ['transferredFrom', ...optional]),
          }),
        ),
        responses: { '2XX': { description: 'Taken; with any other answer it is sent again' } },
      },
    },
  ]),
)
