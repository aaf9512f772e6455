import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  definitionOf,
  isUnopened,
  openedEntry,
  parseDraft,
  parsePush,
  parseReply,
  rawEntry,
} from '../../protocol/index.ts'
import type { Draft, Entry, PartyEntry } from '../../protocol/index.ts'
import { agreement, base64, cipher, keyId, sealOf, sealedBodies } from '../support/sealed-bodies.ts'

const ID = keyId(1)
const BODIES = sealedBodies(ID)
const { keyCommit, keyShare, keyReveal } = agreement(ID)
const META = { name: 'a', mimetype: 'text/html', size: 1, key: base64(32) }
const ALL = Object.entries(BODIES)

const draft = (type: string, body: unknown): unknown => ({ id: 'm', session: 's', counter: 1, type, body })
const written = (type: string, body: unknown): Draft['body'] => parseDraft(draft(type, body)).body
const stored = (type: string, body: unknown): unknown => ({
  ...{ seq: 1, id: 'm', time: 5, type, slot: 'visitor', session: 's', counter: 1, from: { id: 'v' }, body },
})
const read = (...entries: readonly unknown[]): readonly Entry[] => {
  const push = parsePush('log.entries', { contact: 'c', entries })
  return push?.name === 'log.entries' ? push.body.entries : []
}
const refusal = (type: string, body: unknown): unknown => {
  try {
    return written(type, body)
  } catch (thrown) {
    return (thrown as { readonly code: unknown }).code
  }
}

describe('sealed bodies', () => {
  it.each(ALL)('ENC-110 %s is taken sealed, and kept as it came', (type, body) => {
    const newer = { ...body, tomorrow: { a: [1, null] }, seal: { ...body.seal, more: 'x' } }
    expect(written(type, newer)).toEqual(newer)
    expect(read(stored(type, newer))[0]).toMatchObject({ type, body })
  })

  it.each(ALL)('ENC-111 the definition of %s names what is encrypted', (type, body) => {
    const { encrypts = {}, isSealed } = definitionOf(type) ?? {}
    expect([type, isSealed]).toEqual([type, true])
    expect(Object.keys(encrypts)).toEqual((body as { encrypted?: unknown }).encrypted ?? [])
  })

  const TEXT = BODIES.text
  it.each([
    ['without a seal', { text: TEXT.text, encrypted: ['text'] }],
    ['a member in clear', { ...TEXT, text: 'Good morning' }],
    ['a member in clear that is not named', { text: 'Good morning', seal: TEXT.seal }],
    ['another member named', { ...TEXT, encrypted: ['text', 'lang'] }],
    ['a member named twice', { ...TEXT, encrypted: ['text', 'text'] }],
    ['a member not named', { ...TEXT, encrypted: [] }],
    ['a key of another size', { ...TEXT, seal: { ...TEXT.seal, key: base64(9) } }],
    ['a MAC of another size', { ...TEXT, seal: { ...TEXT.seal, mac: base64(33) } }],
    ['a position that is none', { ...TEXT, seal: { ...TEXT.seal, read: -1 } }],
    ['a ciphertext too short for one', { ...TEXT, text: base64(72) }],
    ['a ciphertext that is not base64', { ...TEXT, text: `${cipher().slice(0, -4)}a-_=` }],
    ['a ciphertext without its padding', { ...TEXT, text: cipher(74).replaceAll('=', '') }],
  ])('ENC-112 a draft that says it is sealed and is not is refused: %s', (_name, body) => {
    expect(refusal('text', body)).toBe('invalid_argument')
  })

  it.each([
    ['text', 'text', 11_020],
    ['link', 'url', 8292],
    ['link', 'desc', 2148],
    ['action', 'code', 268],
    ['action', 'args', 36_964],
    ['file', 'meta', 11_020],
    ['reject', 'reason', 2148],
  ] as const)('ENC-113 the ciphertext of %s.%s has %i characters at most', (type, member, most) => {
    const body = (length: number): unknown => ({ ...BODIES[type], [member]: 'A'.repeat(length) })
    expect(refusal(type, body(most))).toEqual(body(most))
    expect(refusal(type, body(most + 4))).toBe('too_large')
  })

  it('ENC-114 a sealed body has 64 KiB at most', () => {
    const body = (length: number): unknown => ({ ...TEXT, tomorrow: 'x'.repeat(length) })
    const room = 65_536 - JSON.stringify(body(0)).length
    expect(refusal('text', body(room))).toEqual(body(room))
    expect(refusal('text', body(room + 1))).toBe('invalid_argument')
  })

  it('ENC-115 a link without a description names one member', () => {
    const { desc: _none, ...link } = BODIES.link
    expect(written('link', { ...link, encrypted: ['url'] })).toEqual({ ...link, encrypted: ['url'] })
    expect(refusal('link', link)).toBe('invalid_argument')
    expect(refusal('link', { ...BODIES.link, encrypted: ['url', 'url'] })).toBe('invalid_argument')
  })

  it('ENC-116 what encrypts nothing has no encrypted members, and its plain members are checked', () => {
    expect(refusal('ready', { ...BODIES.ready, encrypted: ['ref'] })).toBe('invalid_argument')
    expect(refusal('ready', { ...BODIES.ready, ref: 0 })).toBe('invalid_argument')
  })

  it('ENC-117 the entries of the agreement have keys, hashes and signatures of their sizes', () => {
    expect(written('keyCommit', { ...keyCommit, resume: [ID] })).toEqual({ ...keyCommit, resume: [ID] })
    const signed = { ...keyShare(3), resume: ID, signer: base64(32), signature: base64(64) }
    expect(written('keyShare', signed)).toEqual(signed)
    const newer = { ...keyReveal(4), tomorrow: 1 }
    expect(written('keyReveal', newer)).toEqual(newer)
    for (const [type, body] of [
      ['keyCommit', { commit: base64(31) }],
      ['keyCommit', { ...keyCommit, resume: Array.from({ length: 5 }, () => ID) }],
      ['keyShare', { ...signed, signature: base64(63) }],
      ['keyReveal', { ref: 4, key: base64(32) }],
    ] as const)
      expect([type, ['invalid_argument', 'too_large'].includes(refusal(type, body) as string)]).toEqual([
        type,
        true,
      ])
  })

  it('ENC-118 a reader takes a body that is no whole sealed one as a plain one, or as one without meaning', () => {
    const clear = { text: 'Good morning', encrypted: ['text'], seal: sealOf(ID) }
    const [plain, none] = read(stored('text', clear), { ...Object(stored('action', BODIES.text)), seq: 2 })
    expect([plain?.type, plain?.body]).toEqual(['text', { text: 'Good morning' }])
    expect([none?.type, none?.body]).toEqual(['later.action', {}])
  })

  it('ENC-119 a reader has each entry as it came, before members were dropped', () => {
    const raw = { ...Object(stored('text', { ...TEXT, tomorrow: 1 })), beside: true }
    const later = { seq: 2, id: 'n', time: 5, type: 'tomorrow', slot: 'service', body: { a: 1 } }
    const entries = [
      ...read(raw, later),
      ...parseReply('log.read', { ok: true, value: { entries: [raw, later], head: 2 } }).entries,
    ]
    expect(entries.map(rawEntry)).toEqual([raw, later, raw, later])
    expect(rawEntry({ ...entries[0] } as Entry)).toBeUndefined()
  })
})

describe('an opened entry', () => {
  const entryOf = (type: string): PartyEntry => read(stored(type, BODIES[type as 'text']))[0] as PartyEntry

  it('ENC-120 reads as the same entry without encryption', () => {
    const entry = entryOf('text')
    expect(isUnopened(entry)).toBe(true)
    const opened = openedEntry(entry, { text: 'Good morning' })
    expect(opened).toEqual({ ...entry, body: { text: 'Good morning', lang: 'en' } })
    expect(opened && isUnopened(opened)).toBe(false)
  })

  it.each([
    ['text', { text: 7 }],
    ['text', { text: '' }],
    ['text', { text: 'x'.repeat(8193) }],
    ['text', { text: 'a\0b' }],
    ['link', { url: 'javascript:alert(1)' }],
    ['link', { url: 'https://user:secret@a.example/' }],
    ['action', { code: 'Beep', args: 'none' }],
    ['action', { code: 'Beep', args: JSON.parse('[{"__proto__":1}]') as unknown }],
    ['action', { code: 'Beep', args: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown }],
    ['file', { meta: { name: 'a', mimetype: 'text/html', size: -1, key: base64(32) } }],
    ['file', { meta: { name: 'a', mimetype: 'text/html', size: 1, key: base64(31) } }],
    ['file', { meta: { ...META, name: '\u0001'.repeat(1024), desc: '\u0001'.repeat(341) } }],
  ])('ENC-121 is refused where a plain one would be: %s %j', (type, members) => {
    expect(openedEntry(entryOf(type), members)).toBeNull()
  })

  it('ENC-122 never throws, whatever was encrypted', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL),
        fc.dictionary(fc.string(), fc.anything()),
        fc.anything(),
        (one, more, any) => {
          const [type, body] = one
          const names = (body as { readonly encrypted?: readonly string[] }).encrypted ?? []
          openedEntry(entryOf(type), { ...more, ...Object.fromEntries(names.map((name) => [name, any])) })
        },
      ),
    )
  })
})
