import fc from 'fast-check'
import * as valibot from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callArgs, draftSchema } from '../../protocol/call-schema.ts'
import * as checks from '../../protocol/checks.ts'
import { entrySchema } from '../../protocol/entry-schema.ts'
import { fieldValues } from '../../protocol/field-rules.ts'
import { capabilitiesSchema } from '../../protocol/media-schema.ts'
import { agentPushes, agentResults } from '../../protocol/agent-schema.ts'
import { replySchema } from '../../protocol/reply-schema.ts'
import { forgetSources, loadSource } from '../../scripts/load-source.mjs'
import { CAPABILITIES } from '../support/entries.ts'
import { secureBodies } from '../support/sealed-bodies.ts'
import { DESK_ARGS, DESK_RESULTS } from './desk-samples.ts'

type Schema = checks.GenericSchema
type Schemas = Readonly<Record<string, Schema>>

const offer = { Voice: { tx: 'required', rx: 'optional', via: 'net', engine: 'WebRTC' } }
const on = { tx: true, rx: true, via: 'net', engine: 'WebRTC' }
const media = { Sharing: { ...on, engine: 'Native' }, Voice: on }
const channels = { total: 2, vvcu: 1, user: 1 }
const agent = {
  user: 'ada',
  nick: 'Ada',
  avatar: { base_url: 'https://a.example/', images: [{ size: '32', file: 'a.png' }] },
}
const fields = [
  { name: 'mail', desc: 'E-mail', type: 'email', value: 'a@example.org', visible: true, editable: false },
  { name: 'news', type: 'checkbox', checked: true, extra: { of: ['theirs'] } },
]
const visit = { page: { url: 'https://a.example/', title: 'A' }, referrer: '', userAgent: 'x', lang: 'en' }
const record = {
  ...{ id: 'c-1', state: 'joined', created: '2026-01-01', visit, agent, tags: ['lamps'], secure: false },
  visitor: { id: 'v-1', nick: 'Vera', email: 'v@example.org', lang: 'en' },
  data: [
    { name: 'form', desc: 'Form', data: fields.map((one) => ({ ...one, original: 1, editedBy: 'ada' })) },
  ],
  ...{ initialOffer: offer, mediaState: media, transcript: { messages: 1, last: 'x' }, channels },
  ...{ transferredFrom: 'c-0', files: { maxFileSize: 1, types: ['*/*'] }, telephone: true, reason: 'user' },
}
const file = {
  ...{
    id: 'f',
    slot: 'visitor',
    from: { id: 'v-1', nick: 'Vera' },
    originalName: 'a.png',
    mimetype: 'image/png',
  },
  ...{ size: 1, desc: 'd', referenceId: 'r', width: 1, height: 1, sha256: 'x', url: '/f' },
}

/** A body of each type of entry. */
const PARTY: Readonly<Record<string, unknown>> = {
  present: { capabilities: CAPABILITIES, media: { Chat: 'Native' }, after: null },
  capabilities: { capabilities: CAPABILITIES },
  offer: { offer, restore: false, lifetime: 30_000 },
  direct: { target: media, restore: true },
  answer: { ref: 1, answer: { Voice: on } },
  reject: { ref: 1, reason: 'busy' },
  withdraw: { ref: 1, reason: 'timeout' },
  ready: { ref: 1 },
  failed: { ref: 1, code: 'timeout' },
  text: { text: 'x', lang: 'en' },
  link: { url: 'https://a.example/', desc: 'd' },
  action: { code: 'Beep', args: [1, { a: null }] },
  ack: { ref: 'm' },
}
const WRITTEN = [...Object.entries(PARTY), ...secureBodies]
const SERVICE: Readonly<Record<string, unknown>> = {
  assigned: agent,
  joined: agent,
  left: { session: 's', slot: 'agent', vvcu: 'v', user: 'ada', reason: 'timeout', channels },
  declined: { user: 'ada', nick: 'Ada' },
  transferred: { toId: 'c-2', toAgent: 'bob', toTags: ['x'] },
  cleared: { reason: 'user' },
  datachange: { form: 'f', field: 'g', value: 1, original: null, user: 'ada' },
  telephone: { state: 'ended', reason: 'busy' },
  attachment: file,
}
const head = { seq: 1, id: 'm', time: 0 }
const written = { slot: 'visitor', session: 's', counter: 1, from: { id: 'v-1', nick: 'Vera' } }
const ENTRIES = [
  ...WRITTEN.map(([type, body]) => ({
    ...head,
    ...written,
    type,
    body,
  })),
  ...Object.entries(SERVICE).map(([type, body]) => ({ ...head, slot: 'service', type, body })),
]
const DRAFTS = WRITTEN.map(([type, body]) => ({ id: 'm', session: 's', counter: 1, type, body }))
const connected = { visitor: ['s'], agent: [] }
const contact = 'c-1'
const request = {
  nick: 'V',
  lang: 'en',
  tags: ['x'],
  data: [{ name: 'f', data: fields }],
  initialOffer: offer,
}

const RESULTS: Readonly<Record<string, readonly unknown[]>> = {
  'contact.create': [{ contact }],
  'contact.open': [
    { head: 1, counter: 0, record, connected },
    { head: 1, counter: 0, record, connected, same: false },
  ],
  'contact.read': [{ record }],
  'contact.leave': [{ head: 1 }],
  'log.append': [
    {
      appended: [
        { id: 'm', seq: 1 },
        { id: 'n', error: { code: 'left', message: 'x', retryAfterMs: 1 } },
      ],
    },
  ],
  'log.read': [{ entries: ENTRIES.slice(0, 3), head: 1 }],
  'attachment.open': [
    { id: 'f', state: 'open', path: '/p', token: 't', expiresInMs: 1 },
    { id: 'f', state: 'stored', seq: 1, url: '/u' },
  ],
  'ice.servers': [{ iceServers: [{ urls: ['turn:a'], username: 'u', credential: 'c' }], expiresInMs: 1 }],
  'agent.contacts': [{ records: [record], next: 'c-2' }],
  ...DESK_RESULTS,
}
const PUSHES: Readonly<Record<string, readonly unknown[]>> = {
  'log.entries': [{ contact, entries: ENTRIES.slice(9, 12) }],
  'contact.connected': [{ contact, connected }],
  'contact.queue': [{ contact, position: 1, expectedWaitMs: 1 }],
  'link.coming': [{ bytes: 98_304 }],
  'link.drain': [{}],
  'agent.distribution': [
    { id: 'c', nick: 'V', lang: 'en', tags: [], initialOffer: offer, secure: false, expiresInMs: 1 },
  ],
  'agent.withdrawn': [{ id: 'c', reason: 'taken', own: true }],
  'agent.paused': [{ reason: 'expired' }],
  'agent.presence': [{ state: 'ready', media: { Voice: true }, capacity: 1, tags: ['a'] }],
}
const ARGS: Readonly<Record<string, readonly unknown[]>> = {
  'contact.create': [{ request: 'r', contact: { ...request, secure: false, visit } }],
  'contact.open': [{ contact, session: 's', cursor: 3, last: { seq: 3, id: 'a' } }],
  'log.append': [{ contact, session: 's', drafts: [1] }],
  'attachment.open': [{ contact, session: 's', request: 'r', name: 'a', mimetype: 'text/plain', size: 1 }],
  'agent.presence': [{ state: 'ready', media: { Voice: true }, capacity: 1, tags: ['x'] }],
  'agent.transfer': [{ contact, toAgent: 'bob' }],
  ...DESK_ARGS,
}

/** What stands in the place of a member: of another type, too long, too small, of a later version, hostile. */
const others = fc.constantFrom<unknown>(
  ...[undefined, null, true, 0, 1, -1, 1.5, Number.NaN, 2 ** 60, '', 'x', 'of tomorrow', 'off', 'service'],
  ...['x'.repeat(300), 'é'.repeat(20_000), [], [null], ['x'], {}, { tx: true, rx: false }, { reason: 1 }],
  ...[JSON.parse('{"__proto__":1,"constructor":{"a":1},"x":"y"}'), Array.from({ length: 200 }, () => 'x')],
)

type Plain = Record<string, unknown>
/** Every place in a value, as names from its top. */
const placesOf = (value: unknown, above: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [above, ...Object.entries(value).flatMap(([key, member]) => placesOf(member, [...above, key]))]
    : [above]

/** A copy with something else in one place; null takes the member away. */
function changed(
  value: unknown,
  [key, ...below]: readonly string[],
  put: { readonly by: unknown } | null,
): unknown {
  if (key === undefined) return put?.by
  const copy: Plain = Array.isArray(value) ? ([...value] as unknown as Plain) : { ...(value as Plain) }
  if (below.length === 0 && put === null) delete copy[key]
  else
    // Never by assignment: `__proto__` is a name on the wire.
    Object.defineProperty(copy, key, {
      ...{ configurable: true, enumerable: true, writable: true },
      value: changed(Object.hasOwn(copy, key) ? copy[key] : undefined, below, put),
    })
  return copy
}

/** What a schema says in this project's checks. */
function own(schema: Schema, value: unknown): unknown {
  const result = checks.read(schema, value)
  if (!(result instanceof checks.Fault)) return { result }
  const { path, isMissing, isSize, expected } = result
  return { path, isSize, rule: isMissing ? 'is missing' : `must be ${expected}` }
}
/** What it says in valibot. */
function valibots(schema: Schema, value: unknown): unknown {
  const { success, output, issues } = valibot.safeParse(schema, value, { abortEarly: true })
  if (success) return { result: output }
  const [issue] = issues
  const { type, input, expected } = issue
  const isSize = ['max_length', 'max_bytes'].includes(type)
  const rule = input === undefined ? 'is missing' : `must be ${expected ?? `a valid ${type}`}`
  return { path: valibot.getDotPath(issue), isSize, rule }
}

interface Theirs {
  readonly entries: { entrySchema: Schema }
  readonly replies: { replySchema: Schema }
  readonly agents: { agentResults: Schemas; agentPushes: Schemas }
  readonly calls: { callArgs: Schemas; draftSchema: Schema }
  readonly media: { capabilitiesSchema: Schema }
  readonly fields: { fieldValues: Schemas }
}
let theirs: Theirs
beforeAll(async () => {
  const load = async (file: string): Promise<unknown> => loadSource(`protocol/${file}.ts`, { valibot: true })
  const [entries, replies, agents, calls, media, fields] = await Promise.all(
    ['entry-schema', 'reply-schema', 'agent-schema', 'call-schema', 'media-schema', 'field-rules'].map(load),
  )
  theirs = { entries, replies, agents, calls, media, fields } as Theirs
})
afterAll(forgetSources)

const member = (schemas: unknown, name: string): Schema => (schemas as Record<string, Schema>)[name] as Schema
const named = (
  samples: Readonly<Record<string, readonly unknown[]>>,
  ours: unknown,
  valibots: (of: Theirs) => unknown,
): [string, readonly unknown[], Schema, (of: Theirs) => Schema][] =>
  Object.entries(samples).map(([name, values]) => [
    name,
    values,
    member(ours, name),
    (of) => member(valibots(of), name),
  ])
const SUBJECTS: [string, readonly unknown[], Schema, (of: Theirs) => Schema][] = [
  ['an entry', ENTRIES, entrySchema, ({ entries }) => entries.entrySchema],
  ['a draft', DRAFTS, draftSchema, ({ calls }) => calls.draftSchema],
  [
    'a reply',
    [
      { ok: true, value: 1 },
      { ok: false, error: { code: 'left', message: 'x', retryAfterMs: 1 } },
    ],
    replySchema,
    ({ replies }) => replies.replySchema,
  ],
  ['capabilities', [CAPABILITIES], capabilitiesSchema, ({ media }) => media.capabilitiesSchema],
  ...named(RESULTS, agentResults, ({ agents }) => agents.agentResults),
  ...named(PUSHES, agentPushes, ({ agents }) => agents.agentPushes),
  ...named(ARGS, callArgs, ({ calls }) => calls.callArgs),
]

describe('the checks of what comes over the wire', () => {
  it.each(SUBJECTS)(
    'NS-1 SND-306 let pass, make of it and say of a fault what valibot does: %s',
    (_name, samples, ours, of) => {
      const schema = of(theirs)
      for (const sample of samples)
        expect(own(ours, sample)).toEqual({ result: expect.anything() as unknown })
      const cases = fc.constantFrom(...samples).chain((sample) =>
        fc.record({
          sample: fc.constant(sample),
          places: fc.array(fc.constantFrom(...placesOf(sample)), { minLength: 1, maxLength: 2 }),
          by: others,
          added: fc.constantFrom('of tomorrow', 'x', 'reason', '__proto__', 'constructor'),
          how: fc.constantFrom('replaced', 'removed', 'added'),
        }),
      )
      fc.assert(
        fc.property(cases, ({ sample, places, by, added, how }) => {
          let value = sample
          for (const place of places)
            value =
              how === 'added'
                ? changed(value, [...place, added], { by })
                : changed(value, place, how === 'removed' ? null : { by })
          expect(own(ours, value)).toEqual(valibots(schema, value))
        }),
        { numRuns: 1_500 },
      )
    },
  )

  it('NS-1 FORM-1 of what a field holds let pass what valibot does', () => {
    const values = fc.oneof(
      others,
      fc.string(),
      fc.constantFrom(
        ...['1e5', '.5', '1e999', '2024-02-30', '2024-02-29', 'a@b.c', '+4912', 'https://a.b', 'ftp://a.b'],
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(fieldValues)), values, (type, value) => {
        expect(checks.is(member(fieldValues, type), value)).toBe(
          valibot.is(member(theirs.fields.fieldValues, type), value),
        )
      }),
      { numRuns: 3_000 },
    )
  })
})
