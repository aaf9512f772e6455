import type { ContactError, UnsentEntry } from '../../protocol/index.ts'
import type { AttachHost } from '../attachments/attach-host.ts'
import type { Encryption, SecrecyHost } from '../crypto/interface.ts'
import type { Outbox } from '../log/outbox.ts'
import type { Relay } from '../relay/relay.ts'
import type { TranscriptHost } from '../transcript/transcript.ts'
import type { Delivery } from './event-queue.ts'
import type { SessionState } from './session-state.ts'

/** The other parts of its contact, as the encryption uses them. */
export interface EncryptionParts {
  /** What files and transcript need. */
  readonly host: () => AttachHost & TranscriptHost
  readonly delivery: Delivery
  readonly actor: SecrecyHost['actor']
  readonly place: () => SessionState
  readonly write: (entry: UnsentEntry) => void
  readonly onBroken: (error: ContactError) => void
  /** They are made after the encryption. */
  readonly parts: () => {
    readonly encryption: Encryption | null
    readonly relay: Pick<Relay, 'resume'>
    readonly outbox: Pick<Outbox, 'wake'>
  }
}
