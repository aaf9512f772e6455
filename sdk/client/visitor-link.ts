import type { Clock } from '../../protocol/index.ts'
import type { ClientOptions } from '../api/client.ts'
import { loaded } from '../async/lazy-module.ts'
import { later } from '../contact/lazy-modules.ts'
import type { KnownVisitor, KnownVisitors } from '../link/known-visitors.ts'
import { ServiceLink } from '../link/service-link.ts'
import { socketTransport } from '../link/socket-transport.ts'
import { subjectOf } from '../link/token-subject.ts'
import { VisitorTokens } from '../link/visitor-tokens.ts'
import type { Environment } from './environment.ts'
import { PendingLeaves, leavesKey } from './pending-leaves.ts'

/** How long a page that has left tries to tell the service: by then that has noticed by itself. */
const LINGER_MS = 60_000

export interface VisitorLinkParts {
  /** Origin of the service. */
  readonly service: string
  readonly environment: Environment
  readonly known: KnownVisitors
  /** Throws where the page has a contact, or is closed. */
  readonly requireFree: () => void
  /** The service has heard that a contact was left. */
  readonly onLeft: (contact: string) => Promise<void>
  /** Nothing is left to be told. */
  readonly onAllLeft: () => void
}

/** The connection of a visitor's page, and the visitor in whose name it is made. */
export class VisitorLink {
  readonly #parts: VisitorLinkParts
  readonly #tokens: VisitorTokens
  readonly #connect: () => ServiceLink
  /** The service names the visitor, not the site. */
  readonly isAnonymous: boolean
  readonly leaves: PendingLeaves
  /** In whose name the last token is. */
  #subject: string | undefined
  #current: ServiceLink | null = null
  #over: string | null = null
  #former: KnownVisitor | null = null
  #lingering: unknown
  #tellAgain: () => void = () => {}
  #stopListening: () => void = () => {}

  constructor(options: ClientOptions, parts: VisitorLinkParts) {
    const { service, environment, known, onLeft, onAllLeft } = parts
    const { tab, clock, openTabs } = environment
    this.#parts = parts
    this.isAnonymous = [options.identity, options.token, options.transport].every((own) => own === undefined)
    this.#tokens = new VisitorTokens({ service, known, clock, openTabs })
    this.leaves = new PendingLeaves({
      store: tab,
      key: leavesKey(service, 'visitor'),
      onTold: onLeft,
      onDone: onAllLeft,
      onFailed: () => this.#tellAgain(),
    })
    if (typeof options.token === 'string') this.#subject = subjectOf(options.token)
    const transport =
      options.transport ??
      socketTransport({
        service,
        token: options.token ?? identityToken(options, service, clock) ?? this.#tokens.token,
        onToken: (token) => (this.#subject = subjectOf(token)),
      })
    this.#connect = () => new ServiceLink({ ...environment, transport })
  }

  /** Null where the page is not connected. */
  get current(): ServiceLink | null {
    return this.#current
  }

  get subject(): string | undefined {
    return this.#subject
  }

  /** Whose contact this page had last, where it is over: in memory, so that it can be rated. */
  get former(): KnownVisitor | null {
    return this.#former
  }

  get refreshOf(): VisitorTokens['refreshOf'] {
    return this.#tokens.refreshOf
  }

  /** The page has a contact of this visitor. */
  actAs(visitor: string): void {
    this.#former = null
    this.#tokens.actAs({ visitor })
  }

  /** Connects in the name of a visitor; of the one before where none is given. */
  async online(visitor?: KnownVisitor): Promise<ServiceLink> {
    this.#parts.requireFree()
    if (visitor && this.isAnonymous && visitor.visitor !== this.#tokens.visitor) {
      this.drop()
      this.#tokens.actAs(visitor)
    }
    this.#parts.environment.clock.clearTimeout(this.#lingering)
    const link = (this.#current ??= this.#make())
    await link.online().catch((thrown: unknown) => {
      this.drop()
      throw thrown
    })
    return link
  }

  /** Tells of the leaves of which the service has not heard. */
  async tellLeaves(): Promise<void> {
    const { environment, known } = this.#parts
    if (this.leaves.parties.size === 0) return
    await (await loaded('tell of a leave', later.returning(), environment)).tellLeaves(this, known)
  }

  /** The last contact of a visitor is over: the page is another one's from the next connection on. */
  isOver(visitor: string): void {
    this.#over = visitor
  }

  /** Stays connected for a while, so that the leave is told. */
  linger(): void {
    this.#lingering = this.#parts.environment.clock.setTimeout(() => this.drop(), LINGER_MS)
  }

  drop(): void {
    this.#parts.environment.clock.clearTimeout(this.#lingering)
    this.#stopListening()
    this.#current?.close()
    this.#current = null
    const over = this.#over
    if (over !== null && over === this.#tokens.visitor && !this.#parts.known.get(over)) {
      this.#former = { visitor: over, contacts: [] }
      this.#tokens.actAs(undefined)
    }
    this.#over = null
  }

  close(): void {
    this.drop()
    this.#tokens.close()
  }

  #make(): ServiceLink {
    const { environment } = this.#parts
    const link = this.#connect()
    const leaves = link.onResume(
      () => this.leaves.tellAll(link, this.#subject ?? this.#tokens.visitor),
      () => environment.log.warn('a leave could not be told'),
    )
    this.#tellAgain = leaves.ask
    const stops = [environment.onWake(link.wake, link.hide), leaves.stop]
    this.#stopListening = () => stops.forEach((stop) => stop())
    return link
  }
}

/** Asks for a token with the identity that the site gives; undefined where it gives none. */
function identityToken(
  { identity }: ClientOptions,
  service: string,
  clock: Clock,
): (() => Promise<string>) | undefined {
  if (identity === undefined) return undefined
  return async () => (await later.identified()).tokenFor(identity, { service, clock })
}
