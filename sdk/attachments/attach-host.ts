import type { Clock } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { Membership } from '../contact/membership.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { Outbox } from '../log/outbox.ts'
import type { BothCapabilities } from './allowed-files.ts'
import type { FileEncryption } from './file-encryption.ts'
import type { Uploader } from './uploader.ts'

/** What files need of their contact. */
export interface AttachHost {
  /** Id of the contact; another one after a transfer. */
  readonly id: string
  readonly session: string
  /** Origin of the service. */
  readonly service: string
  readonly clock: Clock
  readonly inspect?: Inspect | undefined
  readonly link: Pick<ServiceLink, 'call' | 'onState' | 'state'>
  readonly membership: Pick<Membership, 'requirePart' | 'isOver'>
  readonly capabilities: BothCapabilities
  readonly upload: Uploader
  /** What is sent is encrypted. */
  readonly secure: boolean
  /** How files are encrypted and opened; null in a plain contact, and where that cannot be. */
  readonly files: FileEncryption | null
  /** Takes what is told of an encrypted file. */
  readonly outbox: Pick<Outbox, 'add'>
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}
