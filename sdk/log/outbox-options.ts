import type { Appended, Clock, Draft, UnsentEntry } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { OutboxSealing, Sendable } from '../crypto/interface.ts'

/** What an outbox needs of its contact. */
export interface OutboxOptions {
  readonly contact: string
  /** The session that writes now. */
  readonly session: () => string
  readonly clock: Clock
  readonly inspect?: Inspect | undefined
  /** Hands drafts to the service; rejects with `offline` or `timeout` where the outcome is unknown. */
  readonly append: (drafts: readonly Sendable<Draft>[]) => Promise<readonly Appended[]>
  /**
   * The last number of the session that the service has stored, after everything stored by then has been
   * read.
   */
  readonly count?: () => Promise<number>
  /** Of a secure contact. */
  readonly sealing?: OutboxSealing | null
  /** Keeps the messages that are still to be sent over a page load. */
  readonly keep: (entries: readonly UnsentEntry[]) => void
}
