/**
 * This page's part in the agreement on a key (encryption.md section 3): what it writes follows from the fold.
 * Key pairs are new for each commit and each share, are never stored and never used twice.
 */
import { ContactError } from '../../protocol/index.ts'
import type { ContactState, KeyPhase, PartyEntry, Slot, UnsentEntry } from '../../protocol/index.ts'
import type { KeySignature } from '../api/encryption.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { randomName } from '../values/random-id.ts'
import { isSigned } from './agent-signature.ts'
import { commitOf, deriveKey, keyPair, sharedSecret } from './agreement.ts'
import type { AgreedKey, KeyPair } from './agreement.ts'
import { base64, fromBase64 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { equalBytes } from './hash.ts'
import type { KeyRing } from './key-ring.ts'

/** A key that two sessions have agreed on. */
export interface Agreement {
  readonly key: AgreedKey
  /** Id of the key that it goes on from. */
  readonly resumed: string | null
  readonly isSigned: boolean
  /** Session of the other party. */
  readonly peer: string
}

/** What the agreement needs of its contact. */
export interface HandshakeHost {
  readonly role: Slot
  readonly contact: string
  /** The session that writes now. */
  readonly session: () => string
  readonly ring: KeyRing
  readonly random: (length: number) => Bytes
  /** Keys of the organisation: an agent's key has to be signed by one of them, where there are any. */
  readonly trustedKeys: readonly string[]
  /** Has a share signed; null: none is wanted, or it could not be had in time. */
  readonly sign: ((commit: string, key: string) => Promise<KeySignature | null>) | null
  /** Something else is due now. */
  readonly onDue: () => void
}

interface Commit {
  /** Number of its entry; null until it was read back. */
  readonly ref: number | null
  readonly id: string
  readonly pair: KeyPair
  readonly commit: Bytes
}
/** A commit as the agent has read it, and the share that answers it. */
interface Share {
  readonly ref: number
  readonly commit: Bytes
  readonly visitor: string
  readonly pair: KeyPair
  readonly resumed: string | null
  readonly body: Extract<UnsentEntry, { type: 'keyShare' }>['body'] | null
  /** Id of the entry that was written, and its number once it was read back. */
  readonly id: string | null
  readonly seq: number | null
}

const refused = (reason: string): ContactError =>
  new ContactError('tampered', `unable to agree on a key; ${reason}`)
const bytesOf = (text: string): Bytes => fromBase64(text) ?? new Uint8Array()

/** A party's part in the agreement of one contact under one session. */
export class Handshake {
  readonly #host: HandshakeHost
  #commit: Commit | null = null
  #share: Share | null = null
  /** The reveal that is to be written, or was. */
  #reveal: Extract<UnsentEntry, { type: 'keyReveal' }> | null = null
  /** Own entries that were written and not read back. */
  readonly #unread = new Set<string>()
  /** The newest commit that counts. */
  #committed: Extract<PartyEntry, { type: 'keyCommit' }> | null = null

  constructor(host: HandshakeHost) {
    this.#host = host
  }

  /** What is to be written now. `isPresenting`: with the announcement of this session. */
  due({ keys, shared }: ContactState, isPresenting: boolean): readonly UnsentEntry[] {
    const { role, session } = this.#host
    const holds = shared.session[role] === session()
    if (!keys || (!holds && !isPresenting) || this.#unread.size > 0) return []
    const entry =
      role === 'agent'
        ? this.#shareDue(keys)
        : keys.name === 'none' || !holds
          ? this.#commitDue()
          : this.#revealDue(keys)
    if (!entry) return []
    this.#unread.add(entry.id)
    return [entry]
  }

  /** The entries of the agreement were refused: they never were in the log. */
  forget(): void {
    this.#unread.clear()
  }

  /**
   * An entry was read. Returns a key that it completes.
   * @throws {@link ContactError} `tampered`
   */
  read({ entry, after }: ReadEntry): Agreement | null {
    const { role } = this.#host
    this.#unread.delete(entry.id)
    const { keys } = after
    const counts = keys && ('ref' in keys ? keys.ref : 'since' in keys ? keys.since : null) === entry.seq
    if (entry.type === 'keyCommit') this.#readCommit(entry, counts === true)
    if (entry.type === 'keyShare' && entry.id === this.#share?.id)
      this.#share = counts ? { ...this.#share, seq: entry.seq } : null
    if (!counts) return null
    if (entry.type === 'keyShare' && role === 'visitor') return this.#readShare(entry)
    if (entry.type === 'keyReveal' && role === 'agent') return this.#readReveal(entry)
    return null
  }

  #commitDue(): UnsentEntry {
    const { contact, session, random, ring } = this.#host
    const pair = keyPair(random(32))
    const commit = commitOf(contact, session(), pair.publicKey)
    const id = randomName()
    this.#commit = { ref: null, id, pair, commit }
    const { resumable } = ring
    const body = { commit: base64(commit), ...(resumable.length > 0 && { resume: resumable }) }
    return { id, type: 'keyCommit', body }
  }

  #readCommit(entry: Extract<PartyEntry, { type: 'keyCommit' }>, counts: boolean): void {
    if (counts) this.#committed = entry
    if (entry.id === this.#commit?.id) this.#commit = counts ? { ...this.#commit, ref: entry.seq } : null
  }

  /** The agent answers a commit: with a signature, where one is wanted, as soon as that is there. */
  #shareDue(keys: KeyPhase): UnsentEntry | null {
    if (keys.name !== 'committed' || this.#committed?.seq !== keys.ref) return null
    if (this.#share?.ref !== keys.ref) this.#prepareShare(this.#committed)
    const share = this.#share
    if (!share?.body || share.id !== null) return null
    const id = randomName()
    this.#share = { ...share, id }
    return { id, type: 'keyShare', body: share.body }
  }

  #prepareShare({ seq: ref, session, body }: Extract<PartyEntry, { type: 'keyCommit' }>): void {
    const { ring, random, sign } = this.#host
    const pair = keyPair(random(32))
    const resumed = body.resume?.find((id) => ring.resumed(id) !== null) ?? null
    const key = base64(pair.publicKey)
    const plain = { ref, key, ...(resumed !== null && { resume: resumed }) }
    const commit = bytesOf(body.commit)
    const share = { ref, commit, visitor: session, pair, resumed, id: null, seq: null }
    this.#share = { ...share, body: sign ? null : plain }
    sign?.(body.commit, key).then(
      (signature) => {
        if (this.#share?.pair !== pair) return
        this.#share = { ...share, body: { ...plain, ...signature } }
        this.#host.onDue()
      },
      () => {},
    )
  }

  #revealDue(keys: KeyPhase): UnsentEntry | null {
    const reveal = this.#reveal
    return keys.name === 'shared' && reveal?.body.ref === keys.ref ? reveal : null
  }

  /** The visitor knows the key, and reveals its own. */
  #readShare(entry: Extract<PartyEntry, { type: 'keyShare' }>): Agreement | null {
    const { contact, session, ring, trustedKeys } = this.#host
    const commit = this.#commit
    if (!commit || commit.ref !== entry.body.ref) return null
    this.#commit = null
    const { key: theirs, resume, signer, signature } = entry.body
    const resumed = resume === undefined ? null : ring.resumed(resume)
    if (resume !== undefined && !resumed) throw refused('it goes on from an unknown key') // §3
    const signed =
      trustedKeys.length > 0 &&
      signer !== undefined &&
      signature !== undefined &&
      isSigned(
        {
          ...{ contact, agent: entry.from.id, agentSession: entry.session },
          ...{ commit: commit.commit, agentKey: bytesOf(theirs) },
        },
        { signer, signature },
        trustedKeys,
      )
    const goesOn = resume !== undefined && ring.get(resume)?.verified === 'organisation'
    if (trustedKeys.length > 0 && !signed && (!goesOn || signature !== undefined))
      throw new ContactError('tampered', SIGNATURE) // §6
    const key = deriveKey(sharedSecret(commit.pair, bytesOf(theirs)), {
      ...{ contact, visitorSession: session(), agentSession: entry.session, resumed },
      ...{ commit: commit.commit, agentKey: bytesOf(theirs), visitorKey: commit.pair.publicKey },
    })
    const body = { ref: entry.seq, key: base64(commit.pair.publicKey) }
    this.#reveal = { id: randomName(), type: 'keyReveal', body } as Extract<
      UnsentEntry,
      { type: 'keyReveal' }
    >
    return { key, resumed: resume ?? null, isSigned: signed, peer: entry.session }
  }

  /** The agent reckons with the commit and the sessions that stood when it wrote the share. */
  #readReveal(entry: Extract<PartyEntry, { type: 'keyReveal' }>): Agreement | null {
    const { contact, session, ring } = this.#host
    const share = this.#share
    if (!share || share.seq !== entry.body.ref) return null
    this.#share = null
    const visitorKey = bytesOf(entry.body.key)
    if (!equalBytes(commitOf(contact, share.visitor, visitorKey), share.commit))
      throw refused('what was revealed is not what was committed to') // §3
    const key = deriveKey(sharedSecret(share.pair, visitorKey), {
      ...{ contact, visitorSession: share.visitor, agentSession: session() },
      ...{ commit: share.commit, agentKey: share.pair.publicKey, visitorKey },
      resumed: ring.resumed(share.resumed ?? undefined),
    })
    if (key.id !== entry.body.seal.key) throw refused('the other party has another key') // §5
    return { key, resumed: share.resumed, isSigned: false, peer: share.visitor }
  }
}

/** The message of an agreement whose signature is missing or wrong. */
export const SIGNATURE = 'unable to agree on a key; the organisation has not signed it' // §6
