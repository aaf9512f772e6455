/** What the encryption machine decides, and what the user is shown and says of it (encryption.md section 6). */
import { createActor } from 'xstate'
import { encryptionMachine } from '../../machines/encryption/index.ts'
import type { EncryptionActor, EncryptionEvent, EncryptionFault } from '../../machines/encryption/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ContactState, Verification } from '../../protocol/index.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { comparedCode } from './agreement.ts'
import { fromBase64 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import type { SecrecyHost } from './interface.ts'
import type { KeyRing } from './key-ring.ts'

export interface TrustOptions {
  readonly host: Pick<SecrecyHost, 'actor' | 'delivery' | 'place'>
  readonly ring: KeyRing
  /** Messages may be written and read from now on. */
  readonly onSecured: () => void
  /** The other party has the key as well. */
  readonly onConfirmed: () => void
  /** Nothing can be trusted any more. */
  readonly onBroken: (error: ContactError) => void
}

/** How far a contact's key is trusted. */
export class Trust {
  readonly #options: TrustOptions
  readonly #actor: EncryptionActor
  #error: ContactError | null = null
  /** What tells of the remote, with the code of the key under which it was written. */
  #held: { readonly code: string | undefined; readonly run: () => void }[] = []
  /** As the application was told last. */
  #told = ''

  constructor(options: TrustOptions) {
    const { host, ring } = options
    this.#options = options
    this.#actor = createActor(encryptionMachine, { ...host.actor, input: { verified: ring.verified } })
    this.#told = JSON.stringify(this.verification)
    this.#listen()
    this.#actor.start()
    this.tell({ type: 'crypto.loaded' })
  }

  get verification(): Verification {
    const { value, context } = this.#actor.getSnapshot()
    const kept = context.key && this.#options.ring.get(context.key.id)
    const code = kept ? comparedCode(fromBase64(kept.code) as Bytes) : null
    if (value === 'broken') return { state: 'broken', code: null, by: null }
    if (value === 'held') return { state: 'changed', code, by: null }
    if (!this.isSecured) return { state: 'agreeing', code: null, by: null }
    const by = context.key?.by ?? null
    return { state: by ? 'verified' : 'unverified', code, by }
  }

  /** Whether messages may be written and read. */
  get isSecured(): boolean {
    return this.#actor.getSnapshot().matches('secured')
  }

  /** Why nothing can be trusted any more; null while it can. */
  get error(): ContactError | null {
    return this.#error
  }

  tell(event: EncryptionEvent): void {
    this.#actor.send(event)
  }

  /** An entry was read: both parties may have a session that holds the slot from now on, or no more. */
  heard({ before, after }: Pick<ReadEntry, 'after' | 'before'>): void {
    if (areBoth(before) !== areBoth(after)) this.tell({ type: areBoth(after) ? 'peer.came' : 'peer.left' })
  }

  /** Nothing can be trusted any more: what was found, and why where that says more. */
  break(what: EncryptionFault, error?: ContactError): void {
    this.#error ??= error ?? null
    this.tell({ type: 'tampering.found', what })
  }

  /** @throws {@link ContactError} as of the operation */
  verify(matches: boolean, digits?: string): void {
    this.requireWhole()
    if (typeof matches !== 'boolean')
      throw new ContactError('invalid_argument', 'unable to compare the code; matches must be true or false')
    if (this.verification.code === null)
      // §5
      throw new ContactError('invalid_key', 'unable to compare the code; no key is agreed on')
    this.#requireCode('compare the code', digits)
    this.tell({ type: matches ? 'user.matches' : 'user.differs' })
  }

  /** @throws {@link ContactError} as of the operation */
  acceptKey(digits?: string): void {
    this.requireWhole()
    if (!this.#actor.getSnapshot().matches('held'))
      throw new ContactError('invalid_state', 'unable to accept the key; it has not changed')
    this.#requireCode('accept the key', digits)
    this.tell({ type: 'user.accepts' })
  }

  /** As of `Encryption`. */
  whileHeld(run: () => void, read?: ReadEntry): boolean {
    const { ring } = this.#options
    const { value, context } = this.#actor.getSnapshot()
    if (value !== 'held' && !(read?.isLate && !this.isSecured)) return false // §6
    const code = ring.get(read?.key ?? context.key?.id ?? '')?.code
    this.#held.push({ code, run })
    if (read) ring.hold(read.entry.seq)
    return true
  }

  /** What is held is of a contact that does not go on. */
  dropHeld(): void {
    this.#held = []
  }

  /**
   * What was written under the key that may be used now is told. A key that goes on from another has its code: it
   * is as authentic. What was written under any other key is not told: nobody has accepted that one.
   */
  #release(): void {
    const { ring } = this.#options
    const now = ring.get(this.#actor.getSnapshot().context.key?.id ?? '')?.code
    for (const { code, run } of this.#held.splice(0)) if (code === now) run()
  }

  /**
   * Nothing is held any more, and all that was has been read again: from here on the next page of the tab tells
   * what this one has not.
   */
  released(): void {
    const { host, ring } = this.#options
    const { seen, log } = host.place()
    if (this.isSecured && log.state.seq >= (seen ?? Infinity) && ring.heldFrom !== null)
      host.delivery.inTurn(() => ring.hold(null), true)
  }

  /** @throws {@link ContactError} `tampered`, `no_crypto` — why nothing can be trusted any more */
  requireWhole(): void {
    if (this.#error) throw this.#error // §5
  }

  end(): void {
    this.#actor.stop()
  }

  /** What the user says is of the key that was shown, where the application tells which that was. */
  #requireCode(operation: string, digits: string | undefined): void {
    if (digits === undefined) return
    if (typeof digits !== 'string')
      throw new ContactError('invalid_argument', `unable to ${operation}; digits must be a text`)
    if (digits !== this.verification.code?.digits)
      // §6
      throw new ContactError('invalid_key', `unable to ${operation}; the key has other digits now`)
  }

  #listen(): void {
    const { host, ring, onSecured, onConfirmed, onBroken } = this.#options
    const { delivery } = host
    this.#actor.on('stalled', () =>
      delivery.emit(
        'error',
        new ContactError('timeout', 'unable to agree on a key; the other page has not answered yet'),
      ),
    )
    this.#actor.on('verified', ({ id, by }) => ring.change(id, { verified: by }))
    this.#actor.on('accepted', () => ring.change(null, { verified: null }))
    this.#actor.on('confirmed', onConfirmed)
    this.#actor.on('broken', ({ what }) => {
      this.#held = []
      onBroken((this.#error ??= errorOf(what)))
    })
    this.#actor.subscribe(() => {
      const now = JSON.stringify(this.verification)
      if (now === this.#told) return
      this.#told = now
      delivery.emit('verification', this.verification)
      if (!this.isSecured) return
      this.#release()
      onSecured()
    })
  }
}

const areBoth = ({ shared: { session } }: ContactState): boolean =>
  session.visitor !== null && session.agent !== null

function errorOf(what: EncryptionFault): ContactError {
  if (what === 'service')
    return new ContactError('no_crypto', 'unable to go on; the service does not know encryption') // §5
  if (what === 'people') return new ContactError('tampered', 'unable to go on; the codes differ') // §6
  return new ContactError('tampered', 'unable to go on; the contact was tampered with') // §5
}
