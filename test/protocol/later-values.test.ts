import { describe, expect, it } from 'vitest'
import { ContactError, parseDraft, parsePush, parseReply } from '../../protocol/index.ts'

const LATER = 'of_tomorrow'
const CHANNELS = { total: 0 }

const party = { slot: 'agent', session: 's', counter: 1, from: { id: 'x' } }

/** The body of an entry as it is read. */
function bodyOf(entry: Readonly<Record<string, unknown>>): unknown {
  const push = parsePush('log.entries', { contact: 'c', entries: [{ seq: 1, id: 'a', time: 0, ...entry }] })
  return push?.name === 'log.entries' ? push.body.entries[0]?.body : null
}

const record = (more: Readonly<Record<string, unknown>>) => ({
  ...{ id: 'c', state: 'joined', created: '2026-01-01', visit: {}, visitor: { id: 'v' }, tags: [], data: [], mediaState: { Sharing: { tx: false, rx: false } } },
  ...{ secure: false, transcript: { messages: 0 }, channels: CHANNELS, ...more },
})

const readRecord = (more: Readonly<Record<string, unknown>>) => parseReply('contact.read', { ok: true, value: { record: record(more) } }).record

describe('values that only a later minor version has', () => {
  it.each([
    ['the code of a failure is internal', { ...party, type: 'failed', body: { ref: 1, code: LATER } }, { ref: 1, code: 'internal' }],
    ['an offer is taken back', { ...party, type: 'withdraw', body: { ref: 1, reason: LATER } }, { ref: 1, reason: 'withdrawn' }],
    [
      'a party has left without a reason',
      { type: 'left', slot: 'service', body: { session: 's', slot: 'agent', reason: LATER, channels: CHANNELS } },
      { session: 's', slot: 'agent', channels: CHANNELS },
    ],
    ['a contact is over without a reason', { type: 'cleared', slot: 'service', body: { reason: LATER } }, {}],
  ])('SND-25 in an entry: %s', (_what, entry, body) => {
    expect(bodyOf(entry)).toStrictEqual(body)
  })

  it('SND-25 in a record: the contact goes on, has no reason, and the field is one of text', () => {
    const field = { name: 'f', type: LATER, value: 'x' }
    const read = readRecord({ state: LATER, reason: LATER, data: [{ name: 'form', data: [field] }] })
    expect(read).toStrictEqual(record({ state: 'assigned', data: [{ name: 'form', data: [{ ...field, type: 'text' }] }] }))
  })

  it('SND-25 what an agent is told of its distributions is read', () => {
    expect(parsePush('agent.withdrawn', { id: 'c', reason: LATER })?.body).toStrictEqual({ id: 'c', reason: 'expired' })
    expect(parsePush('agent.paused', { reason: LATER })?.body).toStrictEqual({ reason: 'expired' })
  })

  it('SND-25 values of this version are read as they are', () => {
    expect(bodyOf({ ...party, type: 'failed', body: { ref: 1, code: 'timeout' } })).toEqual({ ref: 1, code: 'timeout' })
    expect(bodyOf({ type: 'cleared', slot: 'service', body: { reason: 'user' } })).toEqual({ reason: 'user' })
    expect(readRecord({ state: 'cleared', reason: 'timeout' })).toEqual(record({ state: 'cleared', reason: 'timeout' }))
    expect(() => bodyOf({ type: 'cleared', slot: 'service', body: { reason: 1 } })).toThrow(ContactError)
  })

  it.each([
    ['failed', { ref: 1, code: LATER }],
    ['withdraw', { ref: 1, reason: LATER }],
  ])('SND-25 a party cannot write them: %s', (type, body) => {
    expect(() => parseDraft({ id: 'a', session: 's', counter: 1, type, body })).toThrow(ContactError)
  })
})
