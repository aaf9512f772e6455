import type { CallName, Calls } from '../../../protocol/index.ts'
import type { AttachmentService } from '../attachments/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import type { OpenSession } from '../cluster/session-openings.ts'
import type { ContactService } from '../contacts/index.ts'
import type { DeskService } from '../desk/desk-service.ts'
import type { IceOptions } from '../ice/ice-servers.ts'
import type { LogService } from '../log/log-service.ts'
import type { AgentPresenceService } from '../queue/agent-presence.ts'
import type { AgentService } from '../queue/agent-service.ts'
import type { Relay } from '../relay/relay.ts'
import type { Caller } from './caller.ts'
import type { Channel, ReadEntries } from './channel.ts'
import type { Hub } from './hub.ts'

export interface CallParts {
  readonly contacts: ContactService
  readonly log: LogService
  readonly agents: AgentService
  readonly presence: AgentPresenceService
  readonly desk: DeskService
  readonly hub: Hub
  readonly relay: Relay
  readonly clock: ServiceClock
  readonly ice: IceOptions
  readonly attachments: AttachmentService
  /** Null: Voice goes over no telephone. `opened`: somebody has come, or come back. */
  readonly telephony: { readonly opened: (contact: string) => void } | null
  /** A page that has opened a contact hears what it is told from now on. */
  readonly onStarted: (contact: string) => void
  /** The connection of a channel is gone. */
  readonly onLost: (channel: Channel) => void
  /** A session was opened here that the node `from` had, which may be this one. */
  readonly onMoved: (session: OpenSession, from: string) => void
  readonly readerOf: (contact: string) => ReadEntries
  readonly onFault: (thrown: unknown) => void
}

/** What a call gives, and what is done once the reply has been sent. */
export interface Outcome<N extends CallName> {
  readonly value: Calls[N]['result']
  readonly afterReply?: () => void
}

export type Handlers = {
  readonly [N in CallName]: (caller: Caller, args: Calls[N]['args']) => Promise<Outcome<N>>
}
