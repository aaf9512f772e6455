/** Entries of a secure contact that somebody makes up, and a reader of them. */
import fc from 'fast-check'
import { ContactError, initialContactState, parsePush } from '../../protocol/index.ts'
import type { Draft, Entry } from '../../protocol/index.ts'
import { deriveKey, keyPair } from '../../sdk/crypto/agreement.ts'
import { random } from '../../sdk/crypto/bytes.ts'
import type { Bytes } from '../../sdk/crypto/bytes.ts'
import { firstHead, nextHead } from '../../sdk/crypto/chain.ts'
import { sealedDraft } from '../../sdk/crypto/entry-sealing.ts'
import { KeyRing, keptKey } from '../../sdk/crypto/key-ring.ts'
import { SealedLog } from '../../sdk/crypto/log-guard.ts'
import { SealedReader } from '../../sdk/crypto/sealed-reader.ts'
import { memoryStore } from '../../sdk/client/page-storage.ts'
import { TestClock } from '../../testing/index.ts'
import type { Raw } from './lying-service.ts'

const CONTACT = 'contact-1'
const KEY = deriveKey(new Uint8Array(32).fill(1), {
  ...{ contact: CONTACT, visitorSession: 'v', agentSession: 'a', resumed: null },
  ...{ commit: new Uint8Array(32), agentKey: new Uint8Array(32), visitorKey: new Uint8Array(32) },
})

/** What stands in the place of a real contact and the other party's key. */
export const MADE_UP = { contact: CONTACT, pair: keyPair(new Uint8Array(32).fill(7)) } as const

/** How the author of an entry numbers it, and what it has read by then. */
export interface Authored {
  readonly counter: number
  readonly read: number
}

const inOrder = (count: number): readonly Authored[] =>
  Array.from({ length: count }, (_, at) => ({ counter: at + 1, read: at }))

/** A log of texts of the visitor, as many as are named or as the author has numbered. */
export function sealedTexts(authored: number | readonly Authored[], text = 'a text'): readonly Raw[] {
  const pen = { contact: CONTACT, slot: 'visitor', key: KEY.id, keys: KEY.visitor, random } as const
  const entries: Raw[] = []
  const heads = [firstHead(CONTACT)]
  for (const { counter, read } of typeof authored === 'number' ? inOrder(authored) : authored) {
    const seq = entries.length + 1
    const draft = {
      id: `m-${seq}`,
      type: 'text',
      body: { text },
      session: 'v',
      counter,
    } as Draft
    const [last, head] = [heads.at(-1) as Bytes, heads[read] as Bytes]
    const sealed = sealedDraft(draft, pen, { read, head })
    const entry = { ...sealed, seq, time: 0, slot: 'visitor', from: { id: 'visitor-1' } } as unknown as Raw
    entries.push(entry)
    heads.push(nextHead(last, entry as never))
  }
  return entries
}

/** A page of the agent that has the key and has read nothing yet. */
export function readerOf(): SealedReader {
  const ring = new KeyRing(CONTACT, { service: 's', store: memoryStore() })
  ring.add(keptKey(KEY, { contact: CONTACT, since: 0, verified: null }))
  return new SealedReader({
    ...{ role: 'agent', contact: CONTACT, ring, log: new SealedLog(CONTACT, ring), clock: new TestClock() },
    ...{
      delivery: { emit: () => true } as never,
      logOf: () => undefined,
      onConfirmed: () => {},
      onRead: () => {},
    },
    place: () => ({ id: CONTACT, session: 'a', seen: 0, log: { state: stateOf() } }),
  })
}

/** A contact whose parties have agreed on the key. */
export const stateOf = () =>
  ({
    ...initialContactState('agent', { secure: true }),
    keys: { name: 'agreed', id: KEY.id, since: 0 },
  }) as const

/** What a page does with an entry that the service sends: the code of what is thrown, or whether it is told. */
export function readBy(reader: SealedReader, raw: Raw): string {
  try {
    const push = parsePush('log.entries', { contact: CONTACT, entries: [raw] })
    const entry = push?.name === 'log.entries' ? (push.body.entries[0] as Entry) : null
    if (!entry || !reader.check(entry, stateOf())) return 'untold'
    const state = stateOf()
    const read = { entry, fact: { kind: 'none' }, before: state, after: state, answered: null } as const
    return reader.open(read as never).isUntold === true ? 'untold' : 'told'
  } catch (thrown) {
    return thrown instanceof ContactError ? thrown.code : `not a ContactError: ${String(thrown)}`
  }
}

const INSIDE = ['text', 'seal', 'encrypted', 'more'] as const
const AROUND = ['id', 'seq', 'time', 'slot', 'session', 'counter', 'from', 'type', 'body'] as const

/** An entry with some of it changed: members, parts of a text, or members of the seal. */
export function changes(entry: Raw): fc.Arbitrary<Raw> {
  const junk = fc.oneof(fc.jsonValue(), fc.string(), fc.nat(), fc.base64String()) as fc.Arbitrary<never>
  const text = entry.body['text'] as string
  const near = fc
    .tuple(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }))
    .map(([at, by]) => text.slice(0, at) + by + text.slice(at + by.length))
  return fc.oneof(
    fc.tuple(fc.constantFrom(...AROUND), junk).map(([name, value]) => ({ ...entry, [name]: value })),
    fc
      .tuple(fc.constantFrom(...INSIDE), junk)
      .map(([name, value]) => ({ ...entry, body: { ...entry.body, [name]: value } })),
    near.map((changed) => ({ ...entry, body: { ...entry.body, text: changed } })),
    fc.tuple(fc.constantFrom('key', 'read', 'mac', 'more'), junk).map(([name, value]) => ({
      ...entry,
      body: { ...entry.body, seal: { ...Object(entry.body['seal']), [name]: value } },
    })),
  )
}
