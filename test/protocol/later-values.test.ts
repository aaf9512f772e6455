import { describe, expect, it } from 'vitest'
import {
  ContactError,
  foldContact,
  initialContactState,
  parseDraft,
  parsePush,
  parseReply,
  parseRpc,
} from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'

const LATER = 'of_tomorrow'
const CHANNELS = { total: 0 }

const party = { slot: 'agent', session: 's', counter: 1, from: { id: 'x' } }

const HEAD = { seq: 1, id: 'a', time: 0 }

/** An entry as it is read. */
function read(entry: Readonly<Record<string, unknown>>): Entry | undefined {
  const push = parsePush('log.entries', { contact: 'c', entries: [{ ...HEAD, ...entry }] })
  return push?.name === 'log.entries' ? push.body.entries[0] : undefined
}

/** The body of an entry as it is read. */
const bodyOf = (entry: Readonly<Record<string, unknown>>): unknown => read(entry)?.body

const record = (more: Readonly<Record<string, unknown>>) => ({
  ...{
    id: 'c',
    state: 'joined',
    created: '2026-01-01',
    visit: {},
    visitor: { id: 'v' },
    tags: [],
    data: [],
    mediaState: { Sharing: { tx: false, rx: false } },
  },
  ...{ secure: false, transcript: { messages: 0 }, channels: CHANNELS, ...more },
})

const readRecord = (more: Readonly<Record<string, unknown>>) =>
  parseReply('contact.read', { ok: true, value: { record: record(more) } }).record

describe('values that only a later minor version has', () => {
  it.each([
    [
      'the code of a failure is internal',
      { ...party, type: 'failed', body: { ref: 1, code: LATER } },
      { ref: 1, code: 'internal' },
    ],
    [
      'an offer is taken back',
      { ...party, type: 'withdraw', body: { ref: 1, reason: LATER } },
      { ref: 1, reason: 'withdrawn' },
    ],
    [
      'a party has left without a reason',
      {
        type: 'left',
        slot: 'service',
        body: { session: 's', slot: 'agent', reason: LATER, channels: CHANNELS },
      },
      { session: 's', slot: 'agent', channels: CHANNELS },
    ],
    ['a contact is over without a reason', { type: 'cleared', slot: 'service', body: { reason: LATER } }, {}],
  ])('SND-25 in an entry: %s', (_what, entry, body) => {
    expect(bodyOf(entry)).toStrictEqual(body)
  })

  it.each([
    [
      'a state of the telephone',
      { type: 'telephone', slot: 'service', body: { state: LATER, reason: 'busy' } },
    ],
    ['the slot of a writer', { ...party, slot: LATER, type: 'text', body: { text: 'hello' } }],
    ['the slot of the writer of a later type', { ...party, slot: LATER, type: LATER, body: {} }],
    [
      'the slot of who has left',
      { type: 'left', slot: 'service', body: { session: 's', slot: LATER, channels: CHANNELS } },
    ],
    [
      'the slot of whose file it is',
      {
        type: 'attachment',
        slot: 'service',
        body: {
          id: 'f',
          slot: LATER,
          from: { id: 'x' },
          originalName: 'f',
          mimetype: 'text/plain',
          size: 1,
          sha256: '',
        },
      },
    ],
  ])(
    'SND-25 an entry with one that it stands or falls with takes its place in the log, and means nothing: %s',
    (_what, entry) => {
      const before = initialContactState('visitor')
      const later = read(entry)
      if (!later) throw new Error('nothing was read')
      expect(foldContact(before, later)).toEqual({ state: { ...before, seq: 1 }, fact: { kind: 'none' } })
      expect([later.type, later.body]).toEqual([`later.${entry.type}`, {}])
    },
  )

  it('SND-25 an entry that breaks the protocol is not one of a later version', () => {
    expect(() => read({ type: 'telephone', slot: 'service', body: { state: 1 } })).toThrow(ContactError)
    expect(() => read({ ...party, slot: 'service', type: 'text', body: { text: 'hello' } })).toThrow(
      ContactError,
    )
  })

  it('SND-25 a direction of an offer asks for nothing', () => {
    const offer = (voice: unknown) => ({ Voice: { tx: voice, rx: 'required', via: 'net', engine: 'WebRTC' } })
    expect(bodyOf({ ...party, type: 'offer', body: { offer: offer(LATER), restore: false } })).toEqual({
      offer: offer('off'),
      restore: false,
    })
    expect(readRecord({ initialOffer: offer(LATER) }).initialOffer).toEqual(offer('off'))
    const told = parsePush('agent.distribution', {
      id: 'c',
      tags: [],
      initialOffer: offer(LATER),
      secure: false,
      expiresInMs: 1,
    })
    expect(told?.body).toMatchObject({ initialOffer: offer('off') })
  })

  it('SND-25 why the other side runs no procedure is internal', () => {
    expect(parseRpc({ type: 'refused', id: 'a', code: LATER })).toEqual({
      type: 'refused',
      id: 'a',
      code: 'internal',
    })
    expect(parseRpc({ type: 'refused', id: 'a', code: 'too_large' })).toEqual({
      type: 'refused',
      id: 'a',
      code: 'too_large',
    })
  })

  it('SND-25 in a record: the contact goes on, has no reason, and the field is one of text', () => {
    const field = { name: 'f', type: LATER, value: 'x' }
    const read = readRecord({ state: LATER, reason: LATER, data: [{ name: 'form', data: [field] }] })
    expect(read).toStrictEqual(
      record({ state: 'assigned', data: [{ name: 'form', data: [{ ...field, type: 'text' }] }] }),
    )
  })

  it('SND-25 what an agent is told of its distributions is read', () => {
    expect(parsePush('agent.withdrawn', { id: 'c', reason: LATER })?.body).toStrictEqual({
      id: 'c',
      reason: 'expired',
    })
    expect(parsePush('agent.paused', { reason: LATER })?.body).toStrictEqual({ reason: 'expired' })
    expect(parsePush('agent.presence', { state: LATER })?.body).toStrictEqual({ state: 'paused' })
  })

  it('SND-25 values of this version are read as they are', () => {
    expect(bodyOf({ ...party, type: 'failed', body: { ref: 1, code: 'timeout' } })).toEqual({
      ref: 1,
      code: 'timeout',
    })
    expect(bodyOf({ type: 'cleared', slot: 'service', body: { reason: 'user' } })).toEqual({ reason: 'user' })
    expect(readRecord({ state: 'cleared', reason: 'timeout' })).toEqual(
      record({ state: 'cleared', reason: 'timeout' }),
    )
    expect(() => bodyOf({ type: 'cleared', slot: 'service', body: { reason: 1 } })).toThrow(ContactError)
  })

  it.each([
    ['failed', { ref: 1, code: LATER }],
    ['withdraw', { ref: 1, reason: LATER }],
    ['offer', { offer: { Voice: { tx: LATER, rx: 'off', via: 'net', engine: 'WebRTC' } }, restore: false }],
  ])('SND-25 a party cannot write them: %s', (type, body) => {
    expect(() => parseDraft({ id: 'a', session: 's', counter: 1, type, body })).toThrow(ContactError)
  })
})
