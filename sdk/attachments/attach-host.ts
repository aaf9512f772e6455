import type { Clock } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { Membership } from '../contact/membership.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { BothCapabilities } from './allowed-files.ts'
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
  readonly link: Pick<ServiceLink, 'call' | 'onState'>
  readonly membership: Pick<Membership, 'requirePart' | 'isOver'>
  readonly capabilities: BothCapabilities
  readonly upload: Uploader
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}
