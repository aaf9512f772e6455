import { ContactError } from '../../protocol/index.ts'
import type { ContactData, ContactRequest, Rating } from '../../protocol/index.ts'
import { controlsKeys } from '../media/call-controls.ts'
import type { Client, ClientOptions } from '../api/client.ts'
import type { Contact, ContactOptions } from '../api/contact.ts'
import { toRequest, withInitialOffer } from './contact-request.ts'
import { serviceOrigin, trustedKeysOf } from './client-options.ts'
import { contained } from './contained.ts'
import { datedStore, secureStore } from './dated-store.ts'
import { pageEnvironment } from './environment.ts'
import type { End } from '../contact/membership.ts'
import type { Environment } from './environment.ts'
import { findOpenContact, isRefused, readRecord } from './find-open-contact.ts'
import { eraseRing, eraseSaved, savedKey, secureKey, seenKey } from '../contact/saved-state.ts'
import { KnownVisitors } from '../link/known-visitors.ts'
import type { KnownVisitor } from '../link/known-visitors.ts'
import { ServiceLink } from '../link/service-link.ts'
import { socketTransport } from '../link/socket-transport.ts'
import { subjectOf } from '../link/token-subject.ts'
import { VisitorTokens } from '../link/visitor-tokens.ts'
import type { ContactImpl } from '../contact/contact.ts'
import { loadSecrecy, openContact } from '../contact/open-contact.ts'
import { OwnContact } from './own-contact.ts'
import { PendingLeaves, leavesKey } from './pending-leaves.ts'
import { fromArguments } from '../values/arguments.ts'
import type { TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import { loaded } from '../async/lazy-module.ts'
import { later } from '../contact/lazy-modules.ts'
import { randomName } from '../values/random-id.ts'
import { runOperation } from '../async/run-operation.ts'

/**
 * Prepares a visitor's page. Nothing is connected or stored yet.
 *
 * @throws {@link ContactError} `invalid_argument` — `service` is not an http or https address, or
 *   `offerLifetime` is out of bounds.
 * @example
 * ```ts
 * const client = createClient({ service: 'https://contact.example.org' })
 * const { contact, resumed } = await client.resumeContact()
 * ```
 */
export function createClient(options: ClientOptions): Client {
  return fromArguments('create a client', () => new VisitorClient(options, pageEnvironment(options)))
}

/** How long a page that has left tries to tell the service: by then that has noticed by itself. */
const LINGER_MS = 60_000
/** What becomes of taking a contact up. */
interface Resumed {
  readonly contact: Contact | null
  readonly resumed: boolean
}
const NONE = { contact: null, resumed: false } as const

/** A visitor's page in an environment of its own. */
export class VisitorClient implements Client {
  readonly #environment: Environment
  readonly #known: KnownVisitors
  readonly #tokens: VisitorTokens
  readonly #leaves: PendingLeaves
  readonly #connect: () => ServiceLink
  readonly #own: OwnContact
  readonly #service: string
  /** The service names the visitor, not the site. */
  readonly #isAnonymous: boolean
  /** The site names the visitor, and the service knows their contacts. */
  readonly #isIdentified: boolean
  readonly #trustedKeys: readonly string[]
  readonly #shareHistory: boolean
  /** In whose name the last token is. */
  #subject: string | undefined
  #link: ServiceLink | null = null
  #contact: ContactImpl | null = null
  /** Settles when what this page is creating or resuming is there, or has failed. */
  #opening: Promise<unknown> | null = null
  /** Whose last contact is over: the tab acts as another one on the next connection. */
  #over: string | null = null
  /** Whose contact this page had last, where it is over: in memory, so that it can be rated. */
  #former: KnownVisitor | null = null
  #isClosed = false
  #lingering: unknown

  constructor(options: ClientOptions, given: Environment) {
    const service = serviceOrigin(options.service)
    const environment = contained(given)
    const { store, tab, clock } = environment
    this.#environment = environment
    this.#service = service
    this.#trustedKeys = trustedKeysOf(options.trustedKeys)
    this.#shareHistory = options.shareHistory === true
    this.#isIdentified = options.identity !== undefined
    this.#isAnonymous = !this.#isIdentified && options.token === undefined && options.transport === undefined
    this.#own = new OwnContact(tab, `duolog:${service}:contact`)
    this.#known = new KnownVisitors(store, `duolog:${service}:visitor`)
    this.#tokens = new VisitorTokens({ service, known: this.#known, clock })
    this.#leaves = new PendingLeaves({
      store: tab,
      key: leavesKey(service, 'visitor'),
      onTold: (contact) => this.#toldLeave(contact),
      onDone: () => this.#saidAll(),
      onFailed: () => this.#tellAgain(),
    })
    if (typeof options.token === 'string') this.#subject = subjectOf(options.token)
    const transport =
      options.transport ??
      socketTransport({
        service,
        token: options.token ?? identityToken(options, environment) ?? this.#tokens.token,
        onToken: (token) => (this.#subject = subjectOf(token)),
      })
    this.#connect = () => new ServiceLink({ ...environment, transport })
  }

  createContact(options: ContactOptions = {}): Promise<Contact> {
    return runOperation('create the contact', () => {
      if (this.#opening) throw hasOne()
      return this.#alone(this.#create(options))
    })
  }

  resumeContact(): Promise<Resumed> {
    return runOperation('resume the contact', () => this.#resumeInTurn())
  }

  history(before?: string | null): ReturnType<Client['history']> {
    return runOperation('list the contacts', () =>
      this.#lookBack(async (link) => (await this.#looking()).contactsBefore(link, before)),
    )
  }

  readTranscript(id: string, options?: TranscriptOptions): Promise<TranscriptPage> {
    return runOperation('read the transcript', () =>
      this.#lookBack(async (link) =>
        (await this.#looking()).readEarlier({ id, service: this.#service, link }, options),
      ),
    )
  }

  rate(id: string, rating: Rating): Promise<void> {
    return runOperation('rate the contact', () =>
      this.#lookBack(async (link) => (await this.#looking()).rate(link, id, rating), this.#former),
    )
  }

  #looking() {
    return loaded('look at earlier contacts', later.identified(), this.#environment)
  }

  /** On the page's connection; on one for the while, where it has none. */
  async #lookBack<T>(look: (link: ServiceLink) => Promise<T>, former?: KnownVisitor | null): Promise<T> {
    while (this.#opening) await this.#opening
    if (this.#contact && this.#link) {
      await this.#link.online()
      return look(this.#link)
    }
    return this.#alone(
      this.#onlineAs(former ?? this.#known.newest())
        .then(look)
        .finally(() => {
          this.#over ??= former?.visitor ?? null
          this.#saidAll(true)
        }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#contact?.drop()
    const { telling } = this.#leaves
    if (telling) await telling
    this.#dropLink()
  }

  /** A page has one contact. */
  async #alone<T>(opening: Promise<T>): Promise<T> {
    this.#opening = opening.catch(() => {})
    try {
      return await opening
    } finally {
      this.#opening = null
    }
  }

  async #resumeInTurn(): Promise<Resumed> {
    while (this.#opening) await this.#opening
    if (!this.#contact) return this.#alone(this.#resume())
    this.#link?.start()
    return { contact: this.#contact, resumed: false }
  }

  async #create(options: ContactOptions): Promise<Contact> {
    const given = fromArguments('create the contact', () => toRequest(options))
    const request = await withInitialOffer(given, this.#environment)
    if (request.secure) await loadSecrecy(this.#environment)
    await this.#tellLeaves()
    const link = await this.#onlineAs(this.#known.newest()).catch((thrown: unknown) => {
      if (isRefused(thrown)) return this.#online()
      throw thrown
    })
    try {
      const { contact: id } = await link.call('contact.create', { request: randomName(), contact: request })
      if (request.secure)
        secureStore(this.#environment.store, this.#service).setItem(secureKey(this.#service, id), '1')
      const { record } = await link.call('contact.read', { contact: id })
      return await this.#enter(link, record, request)
    } catch (thrown) {
      if (!this.#contact) this.#dropLink()
      throw thrown
    }
  }

  async #resume(): Promise<Resumed> {
    await this.#tellLeaves()
    const found = await findOpenContact({
      known: this.#known,
      own: this.#own,
      isLeft: this.#leaves.has,
      isAnonymous: this.#isAnonymous,
      subject: () => this.#subject,
      online: (visitor) => this.#onlineAs(visitor),
      onOver: (id) => {
        eraseSaved(this.#environment.tab, savedKey(this.#service, id))
        eraseRing(this.#environment.tab, this.#service, id)
        this.#forget(id)
      },
    })
    if (found) return { contact: await this.#enter(found.link, found.record, null), resumed: true }
    if (this.#isIdentified) {
      const link = await this.#online()
      const record = await (await this.#looking()).findOnService(link, this.#leaves.has)
      if (record) return { contact: await this.#enter(link, record, null), resumed: true }
    }
    this.#dropLink()
    return NONE
  }

  /** Leaves are told in the name of who has left. */
  async #tellLeaves(): Promise<void> {
    for (const party of this.#leaves.parties) {
      const visitor = this.#known.get(party)
      if (visitor || !this.#isAnonymous) await this.#onlineAs(visitor).catch(unlessRefused)
      if (this.#isAnonymous && !this.#known.get(party)) this.#leaves.drop(party)
    }
  }

  /** `asked`: what this page has asked for; null for a contact of an earlier page. */
  async #enter(link: ServiceLink, record: ContactData, asked: ContactRequest | null): Promise<Contact> {
    const visitor = record.visitor.id
    this.#former = null
    this.#tokens.actAs({ visitor, contacts: [] })
    const isIn = (id: string): void => {
      this.#own.set({ contact: id, visitor })
      this.#known.entered(visitor, id, this.#tokens.refreshOf(visitor))
    }
    isIn(record.id)
    const { contact, enter } = await openContact({
      link,
      service: this.#service,
      role: 'visitor',
      trustedKeys: this.#trustedKeys,
      shareHistory: this.#shareHistory,
      record,
      isSecure: asked?.secure,
      firstOffer: asked?.initialOffer,
      environment: this.#environment,
      resumed: asked === null,
      leave: (leave, first) => this.#leaves.tell(link, { party: visitor, ...leave }, first),
      onMove: (id, before) => {
        isIn(id)
        this.#known.over(before)
      },
      onEnd: (how, id) => this.#ended(how, id),
    })
    this.#contact = contact
    try {
      await enter()
    } catch (thrown) {
      // One that is broken is there to be left.
      if (contact.verification?.state === 'broken') return contact
      contact.drop()
      throw thrown
    }
    return contact
  }

  /** Connects in the name of a visitor; of the one before where none is given. */
  #onlineAs(visitor: KnownVisitor | undefined): Promise<ServiceLink> {
    if (visitor && this.#isAnonymous && !this.#contact && visitor.visitor !== this.#tokens.visitor) {
      this.#dropLink()
      this.#tokens.actAs(visitor)
    }
    return this.#online()
  }

  async #online(): Promise<ServiceLink> {
    if (this.#isClosed) throw new ContactError('left', 'unable to reach the service; this client is closed')
    if (this.#contact) throw hasOne()
    this.#environment.clock.clearTimeout(this.#lingering)
    const link = (this.#link ??= this.#makeLink())
    await link.online().catch((thrown: unknown) => {
      this.#dropLink()
      throw thrown
    })
    return link
  }

  #makeLink(): ServiceLink {
    const link = this.#connect()
    const leaves = link.onResume(
      () => this.#leaves.tellAll(link, this.#subject ?? this.#tokens.visitor),
      () => this.#environment.log.warn('a leave could not be told'),
    )
    this.#tellAgain = leaves.ask
    const stops = [this.#environment.onWake(link.wake, link.hide), leaves.stop]
    this.#stopListening = () => stops.forEach((stop) => stop())
    return link
  }

  #tellAgain: () => void = () => {}
  #stopListening: () => void = () => {}

  #dropLink(): void {
    this.#environment.clock.clearTimeout(this.#lingering)
    this.#stopListening()
    this.#link?.close()
    this.#link = null
    const over = this.#over
    if (over !== null && over === this.#tokens.visitor && !this.#known.get(over)) {
      const refresh = this.#tokens.refreshOf(over)
      this.#former = { visitor: over, contacts: [], ...(refresh !== undefined && { refresh }) }
      this.#tokens.actAs(undefined)
    }
    this.#over = null
  }

  /**
   * The page's part in its contact has ended: what is the tab's is erased, and what is the contact's where it
   * is over for the visitor.
   */
  #ended(how: End, id: string): void {
    this.#contact = null
    if (how !== 'dropped') this.#own.erase()
    if (!this.#leaves.has(id)) {
      if (how === 'over') this.#forget(id)
      this.#dropLink()
    } else this.#lingering = this.#environment.clock.setTimeout(() => this.#dropLink(), LINGER_MS)
  }

  /** The service has heard of a leave. That of the contact in which the page still is ends with it. */
  async #toldLeave(id: string): Promise<void> {
    const link = this.#link
    if (this.#contact?.id === id || !link) return
    const record = await readRecord(link, id)
    if (!record || record.state === 'cleared' || record.channels.vvcu === 0) this.#forget(id)
  }

  /** A page without a contact stays connected until its leaves are told. */
  #saidAll(isLast = false): void {
    if (!this.#contact && (isLast || !this.#opening) && this.#leaves.parties.size === 0) this.#dropLink()
  }

  /** A contact is over for the visitor: in all tabs. */
  #forget(id: string): void {
    const { store } = this.#environment
    const visitor = this.#known.ofContact(id)?.visitor
    const { controls, agreed } = controlsKeys(this.#service, { role: 'visitor', contact: id })
    for (const key of [seenKey(this.#service, id), controls, agreed])
      datedStore(store, this.#service).removeItem(key)
    secureStore(store, this.#service).removeItem(secureKey(this.#service, id))
    if (this.#own.get()?.contact === id) this.#own.erase()
    this.#known.over(id)
    if (visitor !== undefined && !this.#known.get(visitor)) this.#over = visitor
  }
}

/** Asks for a token with the identity that the site gives; undefined where it gives none. */
function identityToken(
  { identity, service }: ClientOptions,
  { clock }: Environment,
): (() => Promise<string>) | undefined {
  if (identity === undefined) return undefined
  return async () => (await later.identified()).tokenFor(identity, { service: serviceOrigin(service), clock })
}

const unlessRefused = (thrown: unknown): void => {
  if (!isRefused(thrown)) throw thrown
}

const hasOne = (): ContactError =>
  new ContactError('invalid_state', 'unable to open a contact; this page has one')
