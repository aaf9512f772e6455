/**
 * A service that agrees on a key with each page in the name of the other, and passes on what it has read and
 * sealed anew: nobody notices but who compares codes. Written from docs/encryption/protocol.md with Node's own
 * cryptography, as an attacker would: nothing of the product is in it.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Attack, Raw } from './hostile-service.ts'

type Slot = 'agent' | 'visitor'
const other = (slot: Slot): Slot => (slot === 'agent' ? 'visitor' : 'agent')

const lp = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}
const u32 = (number: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
const u64 = (number: number): Buffer => Buffer.concat([u32(0), u32(number)])
const sha = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha512').update(Buffer.concat(parts)).digest()
const half = (...parts: readonly Uint8Array[]): Buffer => sha(...parts).subarray(0, 32)
const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer =>
  createHmac('sha512', key).update(Buffer.concat(parts)).digest().subarray(0, 32)
const label = (name: string): Buffer => Buffer.from(`duolog/1 ${name}`)
const bytesOf = (text: unknown): Buffer => Buffer.from(String(text), 'base64')

/** RFC 8785, of what JSON.parse gives. */
const canonical = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).join()}]`
    : value !== null && typeof value === 'object'
      ? `{${Object.entries(value)
          .toSorted(([one], [next]) => (one < next ? -1 : 1))
          .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
          .join()}}`
      : JSON.stringify(value)

/** What an entry adds to the chain: the service makes the address of a file for each reader. */
const chained = (entry: Raw): string => {
  const { url: _, ...body } = entry.body
  return canonical(entry.type === 'attachment' ? { ...entry, body } : entry)
}

interface Direction {
  readonly seal: Buffer
  readonly mac: Buffer
  readonly cipher: Buffer
}
interface Key extends Readonly<Record<Slot, Direction>> {
  readonly id: Buffer
}
interface Pair {
  readonly secret: KeyObject
  readonly open: Buffer
}

function freshPair(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  return {
    secret: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    open: raw(publicKey),
  }
}
const raw = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-32)
/** Section 8 of RFC 8410: the 12 bytes before a key of X25519. */
const keyOf = (open: Buffer): KeyObject =>
  createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), open]),
    format: 'der',
    type: 'spki',
  })

/** Section 4. */
function schedule(
  secret: Buffer,
  {
    contact,
    sessions,
    commit,
    agentKey,
    visitorKey,
  }: Readonly<Record<'agentKey' | 'commit' | 'visitorKey', Buffer>> & {
    readonly contact: string
    readonly sessions: readonly [visitor: string, agent: string]
  },
): Key {
  const names = [contact, ...sessions].map(lp)
  const salt = sha(label('keys'), ...names, commit, agentKey, visitorKey, Buffer.alloc(8))
  const expand = (name: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha512', Buffer.concat([secret, Buffer.alloc(32)]), salt, label(name), length))
  const direction = (name: string): Direction => {
    const bytes = expand(name, 96)
    return { seal: bytes.subarray(0, 32), mac: bytes.subarray(32, 64), cipher: bytes.subarray(64) }
  }
  return { id: expand('id', 8), visitor: direction('visitor'), agent: direction('agent') }
}

/** Section 1. */
const tagOf = (mac: Buffer, aad: Buffer, rest: Buffer): Buffer => hmac(mac, aad, rest, u64(aad.length * 8))
function opened(text: unknown, { mac, cipher }: Direction, aad: Buffer): Buffer {
  const bytes = bytesOf(text)
  if (!tagOf(mac, aad, bytes.subarray(9, -32)).equals(bytes.subarray(-32)))
    throw new Error('it does not open')
  const decipher = createDecipheriv('aes-256-cbc', cipher, bytes.subarray(9, 25))
  return Buffer.concat([decipher.update(bytes.subarray(25, -32)), decipher.final()])
}
function closed(
  plaintext: Buffer,
  slot: Slot,
  { key, aad }: { readonly key: Key; readonly aad: Buffer },
): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key[slot].cipher, iv)
  const rest = Buffer.concat([iv, cipher.update(plaintext), cipher.final()])
  const version = Buffer.from([slot === 'agent' ? 0x11 : 0x10])
  return Buffer.concat([version, key.id, rest, tagOf(key[slot].mac, aad, rest)]).toString('base64')
}

/** What one page believes: its log, and the key that it has agreed on with the man in the middle. */
interface Side {
  readonly told: Map<number, Raw>
  readonly heads: Buffer[]
  /** The key pair with which it is answered. */
  readonly pair: Pair
  key: Key | null
}

/** One man in the middle of one contact. */
export class ManInTheMiddle implements Attack {
  /** What was said, as he has read it. */
  readonly read: string[] = []
  readonly #sides: Readonly<Record<Slot, Side>>
  readonly #contact: string
  readonly #isLate: boolean
  #commit: Raw | null = null
  /** What the agent believes that the visitor has committed to. */
  #told: Buffer = Buffer.alloc(0)
  #share: Raw | null = null

  /** `isLate`: he commits to nothing, and chooses his key when he has seen the agent's. */
  constructor(contact: string, { isLate = false } = {}) {
    this.#contact = contact
    this.#isLate = isLate
    const side = (): Side => ({
      ...{ told: new Map<number, Raw>(), heads: [half(label('log'), lp(contact))] },
      ...{ pair: freshPair(), key: null },
    })
    this.#sides = { visitor: side(), agent: side() }
  }

  entries = (entries: readonly Raw[], to: Slot): readonly Raw[] =>
    entries.map((entry) => this.#tell(entry, to))

  /** Frames are not passed on: nobody is told of that. */
  push: NonNullable<Attack['push']> = (push) => (push.name === 'relay.frame' ? null : push)

  #tell(entry: Raw, to: Slot): Raw {
    const { told, heads } = this.#sides[to]
    const known = told.get(entry.seq)
    if (known) return known
    const shown = entry.slot === other(to) ? this.#inTheNameOf(entry, to) : entry
    told.set(entry.seq, shown)
    heads[entry.seq] = half(heads[entry.seq - 1] ?? Buffer.alloc(0), Buffer.from(chained(shown)))
    return shown
  }

  #inTheNameOf(entry: Raw, to: Slot): Raw {
    const { open } = this.#sides[to].pair
    if (entry.type === 'keyCommit') {
      this.#commit = entry
      const hidden = half(label('commit'), lp(this.#contact), lp(String(entry['session'])), open)
      this.#told = this.#isLate ? randomBytes(32) : hidden
      return { ...entry, body: { commit: this.#told.toString('base64') } }
    }
    if (entry.type === 'keyShare') {
      this.#share = entry
      return { ...entry, body: { ...entry.body, key: open.toString('base64') } }
    }
    if (entry.type === 'keyReveal') this.#agree(entry)
    return entry.type === 'present' ? entry : this.#sealedAnew(entry, to)
  }

  /** The visitor has revealed its key: both are known now. */
  #agree(reveal: Raw): void {
    const [commit, share] = [this.#commit, this.#share]
    if (!commit || !share) throw new Error('there is nothing to agree on')
    const { visitor, agent } = this.#sides
    const contact = this.#contact
    const sessions = [String(commit['session']), String(share['session'])] as const
    const [visitorKey, agentKey] = [bytesOf(reveal.body['key']), bytesOf(share.body['key'])]
    const secretOf = ({ pair: { secret } }: Side, theirs: Buffer): Buffer =>
      diffieHellman({ privateKey: secret, publicKey: keyOf(theirs) })
    visitor.key = schedule(secretOf(visitor, visitorKey), {
      ...{ contact, sessions, visitorKey },
      ...{ commit: bytesOf(commit.body['commit']), agentKey: visitor.pair.open },
    })
    agent.key = schedule(secretOf(agent, agentKey), {
      ...{ contact, sessions, agentKey },
      ...{ commit: this.#told, visitorKey: agent.pair.open },
    })
  }

  /** Section 2. */
  #sealedAnew(entry: Raw, to: Slot): Raw {
    const slot = other(to)
    const [from, key] = [this.#sides[slot].key, this.#sides[to].key]
    const { seal: before, ...members } = entry.body
    const { read } = Object(before) as { readonly read?: number }
    const head = this.#sides[to].heads[read ?? -1]
    if (!from || !key || read === undefined || !head) return entry
    const [session, counter] = [String(entry['session']), Number(entry['counter'])]
    const start = [lp(this.#contact), Buffer.from([slot === 'agent' ? 1 : 0]), lp(session), u32(counter)]
    const place = Buffer.concat([...start, lp(entry.id), lp(entry.type)])
    const body: Record<string, unknown> = { ...members }
    for (const name of (body['encrypted'] as readonly string[] | undefined) ?? []) {
      const aad = Buffer.concat([label('field'), place, lp(name)])
      const plaintext = opened(body[name], from[slot], aad)
      this.read.push(plaintext.subarray(1).toString())
      body[name] = closed(plaintext, slot, { key, aad })
    }
    if (entry.type === 'keyReveal') body['key'] = this.#sides.agent.pair.open.toString('base64')
    const seal = { key: key.id.toString('base64'), read }
    const digest = half(Buffer.from(canonical({ ...body, seal })))
    const mac = hmac(key[slot].seal, label('entry'), place, u32(read), head, digest).toString('base64')
    return { ...entry, body: { ...body, seal: { ...seal, mac } } }
  }
}
