import type { CannedReply } from '../../../protocol/index.ts'
import type { FileOptions } from '../attachments/index.ts'
import type { BusOptions } from '../bus/open-bus.ts'
import type { IdentityOptions } from '../auth/identities.ts'
import type { ProviderOptions } from '../auth/provider.ts'
import type { PageFolders } from '../http/pages.ts'
import type { IceOptions } from '../ice/ice-servers.ts'
import type { StrategyName, Tuning } from '../queue/strategy.ts'
import type { Retention } from '../store/retention.ts'
import type { WebhookOptions } from '../webhooks/webhook-service.ts'

/** What a person can choose when starting the service. */
export interface Options {
  /** 0: any free one. */
  readonly port: number
  readonly host: string
  readonly data: string
  readonly databaseUrl: string | null
  /** NATS between several nodes; null: a single node. */
  readonly bus: BusOptions | null
  /** Name of this node among several. */
  readonly nodeName: string
  /** Long polling, which needs a load balancer that routes by `sid` where there are several nodes. */
  readonly polling: boolean
  readonly mode: 'local' | 'production'
  /** Local use on an address that other machines reach. */
  readonly openSignIn: boolean
  /** Pages that may use the service; in local use all of this machine may. */
  readonly origins: readonly string[]
  readonly ice: IceOptions
  /** Proxies of one's own before the service, whose word on where a request comes from is taken. */
  readonly proxies: number
  /** Open connections of all kinds. */
  readonly maxConnections: number
  /** At a stop: from telling load balancers that it goes to sending connections away. */
  readonly drainWaitMs: number
  /** At a stop: in this time at most connections are asked to go to another node; 0: they are ended. */
  readonly drainTimeMs: number
  /** Several nodes in production also where no standby of PostgreSQL is synchronous. */
  readonly allowAsyncStore: boolean
  /** Connections to PostgreSQL. */
  readonly poolSize: number
  /** Module of the telephony gateway; null: none. */
  readonly telephony: string | null
  readonly strategy: StrategyName
  readonly tuning: Tuning
  /** For an agent to answer an offer. */
  readonly offerMs: number
  /** Longest wait in the queue. */
  readonly maxWaitMs: number
  /** Longest wait of a contact for later; 0: there are none. */
  readonly laterMs: number
  /** Issues the agents' tokens; null: the service does, in local use. */
  readonly provider: ProviderOptions | null
  /** Says who visitors are; null: all of them are anonymous. */
  readonly identities: IdentityOptions | null
  /** The organisation's back end, which is told of contacts; null: nobody is. */
  readonly webhook: WebhookOptions | null
  /** The organisation's canned replies. */
  readonly replies: readonly CannedReply[]
  /** Origins of pages that may embed the console and give it the agent's token. */
  readonly consoleParents: readonly string[]
  readonly retention: Retention
  readonly files: FileOptions
  /**
   * Opens `/metrics` and the administration; null: in local use `/metrics` is open and there is no
   * administration.
   */
  readonly adminToken: string | null
  /** File of the audit log; null: none. */
  readonly audit: string | null
  readonly folders: PageFolders
  readonly logLevel: string
}
