/**
 * What outbox, log, relay and facade ask of the encryption of a secure contact. `secrecy.ts` implements it, in a
 * chunk of its own; a contact that is not secure has none.
 */
import type { EncryptionFault } from '../../machines/encryption/index.ts'
import type {
  Clock,
  ContactError,
  ContactState,
  Draft,
  Entry,
  RelayFrame,
  Slot,
  UnsentEntry,
} from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { EncryptionOperations, KeySignature, KeyToSign } from '../api/encryption.ts'
import type { FileEncryption } from '../attachments/file-encryption.ts'
import type { actorOptions } from '../client/clock.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { LogGuard, ReadEntry } from '../log/log-reader.ts'
import type { Waiting } from '../log/waiting-entry.ts'
import type { OpenTabs } from '../client/page-tabs.ts'

declare const sendable: unique symbol
/**
 * What may be handed to the service. In a secure contact it is made only where an entry or a frame is sealed, or is
 * of a kind that never is.
 */
export type Sendable<T> = T & { readonly [sendable]: true }

/** What the outbox asks. */
export interface OutboxSealing {
  /** Id of the key under which is sealed now; null while none may be used. */
  readonly key: string | null
  /** Whether an entry of a type may be sent now. */
  mayGo(type: string): boolean
  /** What of a queue may be sent now, with what the agreement has to write, which is put in its place. */
  going(queue: Waiting[]): readonly Waiting[]
  /**
   * A draft as it is sent: its counter is known.
   * @throws {@link ContactError} `invalid_key` — it is to be sealed, and there is no key
   */
  seal(draft: Draft): Sendable<Draft>
}

/** What the relay asks. */
export interface FrameSealing {
  /** Whether frames may be sent and taken now. */
  readonly mayRelay: boolean
  /**
   * The frame as it is sent, with its number.
   * @throws {@link ContactError} `invalid_key` — it has a body, and there is no key
   */
  sealFrame(to: string, frame: RelayFrame): Sendable<RelayFrame>
  /** The frame as it was written; null for one that does not open. */
  openFrame(from: string, frame: RelayFrame): RelayFrame | null
}

/** The encryption of a contact. */
export interface Encryption extends EncryptionOperations, OutboxSealing, LogGuard, FrameSealing {
  /** Encrypts nothing yet, and nothing any more: another contact or log begins under the page's session. */
  begin(): void
  /** Files of the contact. */
  readonly files: FileEncryption
  /** An entry was read and folded. */
  read(read: ReadEntry): void
  /** What is told of an entry to the application; null: nothing. */
  told(read: ReadEntry): ReadEntry | null
  /**
   * An entry of the log as it is shown later. Null: there is nothing to show; undefined: this page has not its
   * key.
   * @throws {@link ContactError} `tampered`
   */
  readable(contact: string, entry: Entry): Entry | null | undefined
  /**
   * Runs later, or never, what tells of the remote while its key is held. `read`: the entry of which it tells.
   * False: nothing is held.
   */
  whileHeld(run: () => void, read?: ReadEntry): boolean
  /** Something else of this page has found that nothing can be trusted. */
  broken(what: EncryptionFault): void
  /** The user leaves: the keys are erased when this page's part has ended. */
  leave(): void
  /**
   * This page's part has ended. `isOver`: for the party, so that its keys are erased; an agent who has not left
   * keeps them, since the contact may come back under another id.
   */
  end(isOver: boolean): void
}

/** Where the page is in the contact. */
export interface Place {
  readonly id: string
  readonly session: string
  /** Entries up to here are old: they have no events. Null until that is known. */
  readonly seen: number | null
  readonly log: { readonly state: ContactState }
}

/** What the encryption needs of its contact. */
export interface SecrecyHost {
  readonly role: Slot
  readonly service: string
  /** Of the tab. */
  readonly store: KeyValueStore
  readonly actor: ReturnType<typeof actorOptions> & { readonly id: string }
  readonly clock: Clock
  readonly trustedKeys: readonly string[]
  /** How the tabs of the party hear of each other. */
  readonly openTabs: OpenTabs
  /** What was said before a transfer is told to the next agent. */
  readonly shareHistory?: boolean | undefined
  /** Tells it: rejects as `attach` and `readTranscript` of a contact. */
  readonly share: () => Promise<void>
  /** The contact was open on an earlier page of the party. */
  readonly isResumed: boolean
  readonly signKey: ((key: KeyToSign) => KeySignature | Promise<KeySignature>) | undefined
  /** The contact and the session now. */
  readonly place: () => Place
  readonly delivery: Pick<Delivery, 'emit' | 'inTurn'>
  /** Entries and frames that waited may go now, or something of the agreement is due. */
  readonly onChange: () => void
  /** Hands an entry to the outbox. */
  readonly write: (entry: UnsentEntry) => void
  /** An entry that waited for its key may be read now. */
  readonly onRead: () => void
  /** Nothing can be trusted any more. */
  readonly onBroken: (error: ContactError) => void
}
