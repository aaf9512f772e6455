/**
 * A service that agrees on a key with each page in the name of the other, and passes on what it has read and
 * sealed anew: nobody notices but who compares codes.
 */
import { randomBytes } from 'node:crypto'
import type { Draft, PartyEntry, Slot } from '../../protocol/index.ts'
import { otherSlot } from '../../protocol/index.ts'
import { commitOf, deriveKey, keyPair, sharedSecret } from '../../sdk/crypto/agreement.ts'
import type { AgreedKey, KeyPair } from '../../sdk/crypto/agreement.ts'
import { base64, fromBase64 } from '../../sdk/crypto/bytes.ts'
import type { Bytes } from '../../sdk/crypto/bytes.ts'
import { firstHead, nextHead } from '../../sdk/crypto/chain.ts'
import type { RawEntry } from '../../sdk/crypto/chain.ts'
import { opened, sealedDraft } from '../../sdk/crypto/entry-sealing.ts'
import type { Attack, Raw } from './hostile-service.ts'

const bytesOf = (text: unknown): Bytes => {
  const bytes = fromBase64(String(text))
  if (!bytes) throw new Error('it is no base64')
  return bytes
}
const random = (length: number): Bytes => Uint8Array.from(randomBytes(length))

/** What one page believes: its log, and the key that it has agreed on with the man in the middle. */
interface Side {
  readonly told: Map<number, Raw>
  readonly heads: Bytes[]
  /** The key pair with which it is answered. */
  readonly pair: KeyPair
  key: AgreedKey | null
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
  #told: Bytes = new Uint8Array()
  #share: Raw | null = null

  /** `isLate`: he commits to nothing, and chooses his key when he has seen the agent's. */
  constructor(contact: string, { isLate = false } = {}) {
    this.#contact = contact
    this.#isLate = isLate
    const side = (): Side => ({
      ...{ told: new Map<number, Raw>(), heads: [firstHead(contact)] },
      ...{ pair: keyPair(random(32)), key: null },
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
    const shown = entry.slot === otherSlot(to) ? this.#inTheNameOf(entry, to) : entry
    told.set(entry.seq, shown)
    heads[entry.seq] = nextHead(heads[entry.seq - 1] as Bytes, shown as unknown as RawEntry)
    return shown
  }

  #inTheNameOf(entry: Raw, to: Slot): Raw {
    const { pair } = this.#sides[to]
    if (entry.type === 'keyCommit') {
      this.#commit = entry
      const { publicKey } = pair
      this.#told = this.#isLate ? random(32) : commitOf(this.#contact, String(entry['session']), publicKey)
      return { ...entry, body: { commit: base64(this.#told) } }
    }
    if (entry.type === 'keyShare') {
      this.#share = entry
      return { ...entry, body: { ...entry.body, key: base64(pair.publicKey) } }
    }
    if (entry.type === 'keyReveal') this.#agree(entry)
    return entry.type === 'present' ? entry : this.#sealedAnew(entry, to)
  }

  /** The visitor has revealed its key: both are known now. */
  #agree(reveal: Raw): void {
    const [commit, share] = [this.#commit, this.#share]
    if (!commit || !share) throw new Error('there is nothing to agree on')
    const { visitor, agent } = this.#sides
    const visitorSession = String(commit['session'])
    const between = {
      contact: this.#contact,
      visitorSession,
      agentSession: String(share['session']),
      resumed: null,
    }
    const visitorKey = bytesOf(reveal.body['key'])
    visitor.key = deriveKey(sharedSecret(visitor.pair, visitorKey), {
      ...between,
      ...{ commit: bytesOf(commit.body['commit']), agentKey: visitor.pair.publicKey, visitorKey },
    })
    const agentKey = bytesOf(share.body['key'])
    agent.key = deriveKey(sharedSecret(agent.pair, agentKey), {
      ...between,
      ...{ commit: this.#told, agentKey, visitorKey: agent.pair.publicKey },
    })
  }

  #sealedAnew(entry: Raw, to: Slot): Raw {
    const slot = otherSlot(to)
    const [from, key] = [this.#sides[slot].key, this.#sides[to].key]
    const seal = entry.body['seal'] as { readonly read: number } | undefined
    if (!from || !key || !seal) return entry
    const { id, type } = entry
    const [session, counter] = [String(entry['session']), Number(entry['counter'])]
    const place = { contact: this.#contact, slot, session, counter, id, type }
    const plain =
      type === 'keyReveal'
        ? this.#reveal(entry)
        : opened(entry as unknown as PartyEntry, place, () => from[slot])
    if (!plain) throw new Error(`${type} does not open`)
    this.read.push(JSON.stringify(plain.body))
    const pen = { contact: this.#contact, slot, key: key.id, keys: key[slot], random }
    const head = this.#sides[to].heads[seal.read] as Bytes
    const draft = { id, session, counter, type, body: plain.body } as unknown as Draft
    return {
      ...entry,
      body: sealedDraft(draft, pen, { read: seal.read, head }).body as unknown as Raw['body'],
    }
  }

  #reveal(entry: Raw): { readonly body: unknown } {
    return { body: { ref: entry.body['ref'], key: base64(this.#sides.agent.pair.publicKey) } }
  }
}
