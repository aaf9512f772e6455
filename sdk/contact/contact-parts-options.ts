import type { MakeDataPipe } from '../../engines/eager.ts'
import type { Clock, ContactData, MediaCapabilities, Slot } from '../../protocol/index.ts'
import type { Inspect, KeyValueStore, Log } from '../api/client.ts'
import type { Uploader } from '../attachments/uploader.ts'
import type { TellLeave } from '../client/pending-leaves.ts'
import type { Encryption } from '../crypto/interface.ts'
import type { EditField } from '../forms/edit-host.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { LateEnginesOptions } from '../media/late-engines.ts'
import type { ContactTelephone } from '../media/phone.ts'
import type { EncryptionParts } from './encryption-parts.ts'
import type { End } from './membership.ts'
import type { SavedState } from './saved-state.ts'

/** What the parts of a contact are made of. */
export interface ContactPartsOptions {
  readonly link: ServiceLink
  readonly role: Slot
  readonly record: ContactData
  readonly capabilities: MediaCapabilities
  /** How data channels connect directly; null where that cannot be. */
  readonly pipes: () => Promise<MakeDataPipe | null>
  readonly clock: Clock
  readonly log: Log
  readonly inspect?: Inspect | undefined
  /** Shows the log of a contact to an observer. */
  readonly show: ((contact: string) => (read: ReadEntry) => void) | undefined
  /** Milliseconds that an own offer stands; the usual time without. */
  readonly offerLifetime?: number | undefined
  /** Origin of the service. */
  readonly service: string
  readonly upload: Uploader
  /** What attaches engines that are not the page's own. */
  readonly enginesCode?: LateEnginesOptions['enginesCode']
  /** Where Voice can go over a telephone. */
  readonly telephone: ContactTelephone | undefined
  /** Makes the encryption; null of a contact that is not secure, or where the code for it is not there. */
  readonly encrypt: ((parts: EncryptionParts) => Encryption) | null
  readonly editField: EditField
  /** What this tab has saved of a contact. */
  readonly saved: (contact: string) => SavedState
  /** Entries older than this page emit no events; without it, all entries do. */
  readonly resumed: boolean
  /** The contact goes on under another id. */
  readonly onMove: (contact: string) => void
  /** For all pages: which requests of the remote were carried out, what is muted and on hold. */
  readonly seen: KeyValueStore
  /** Tells the service that a session has ended. */
  readonly leave: TellLeave
  /** This page holds nothing of the contact any more. */
  readonly onEnd: (how: End) => void
}
