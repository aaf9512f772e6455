import { ContactError, LIMITS, algebra, cutText } from '../protocol/index.ts'
import type { ContactData, ContactRequest } from '../protocol/index.ts'
import { controlsKey } from './call-controls.ts'
import type { Client, ClientOptions } from './client.ts'
import type { Contact, ContactOptions } from './contact.ts'
import { contained } from './contained.ts'
import { pageEnvironment } from './environment.ts'
import type { End } from './contact-core.ts'
import type { Environment } from './environment.ts'
import { isGone } from './gone.ts'
import { eraseKept, keptKey, seenKey } from './kept.ts'
import { KnownVisitors } from './link/known-visitors.ts'
import type { KnownVisitor } from './link/known-visitors.ts'
import { ServiceLink } from './link/service-link.ts'
import { socketTransport } from './link/socket-transport.ts'
import { VisitorTokens } from './link/visitor-tokens.ts'
import type { LiveContact } from './live-contact.ts'
import { openContact } from './open-contact.ts'
import { PendingLeaves, leavesKey } from './pending-leaves.ts'
import { asJson, fromArguments, randomName, settle } from './settle.ts'

/**
 * Prepares a visitor's page. Nothing is connected or stored yet.
 *
 * @throws {@link ContactError} `invalid_argument` — `service` is not an http or https address, or `offerLifetime` is out of bounds.
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
const NONE = { contact: null, resumed: false } as const

/** A visitor's page in an environment of its own. */
export class VisitorClient implements Client {
  readonly #environment: Environment
  readonly #known: KnownVisitors
  readonly #tokens: VisitorTokens
  readonly #leaves: PendingLeaves
  readonly #connect: () => ServiceLink
  /** Where the tab keeps which contact is its own. */
  readonly #ownKey: string
  readonly #service: string
  #link: ServiceLink | null = null
  #contact: LiveContact | null = null
  /** Settles when what this page is creating or resuming is there, or has failed. */
  #opening: Promise<unknown> | null = null
  #isClosed = false
  #lingering: unknown

  constructor(options: ClientOptions, given: Environment) {
    const service = serviceOrigin(options.service)
    const environment = contained(given)
    const { store, tab, clock } = environment
    this.#environment = environment
    this.#service = service
    this.#ownKey = `parley:${service}:contact`
    this.#known = new KnownVisitors(store, `parley:${service}:visitor`)
    this.#tokens = new VisitorTokens({ service, known: this.#known, clock })
    this.#leaves = new PendingLeaves({ store: tab, key: leavesKey(service), onTold: (contact) => this.#toldLeave(contact) })
    const transport = options.transport ?? socketTransport({ service, token: options.token ?? this.#tokens.token })
    this.#connect = () => new ServiceLink({ ...environment, transport })
  }

  createContact(options: ContactOptions = {}): Promise<Contact> {
    return settle('create the contact', () => {
      if (this.#opening) throw hasOne()
      return this.#alone(this.#create(options))
    })
  }

  resumeContact(): Promise<{ readonly contact: Contact | null; readonly resumed: boolean }> {
    return settle('resume the contact', () => this.#resumeInTurn())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#contact?.drop()
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

  async #resumeInTurn(): Promise<{ readonly contact: Contact | null; readonly resumed: boolean }> {
    while (this.#opening) await this.#opening
    if (!this.#contact) return this.#alone(this.#resume())
    this.#link?.start()
    return { contact: this.#contact, resumed: false }
  }

  async #create(options: ContactOptions): Promise<Contact> {
    const request = fromArguments('create the contact', () => toRequest(options))
    const link = await this.#onlineAs(this.#known.newest()).catch((thrown: unknown) => {
      if (isRefused(thrown)) return this.#online()
      throw thrown
    })
    try {
      const { contact: id } = await link.call('contact.create', { request: randomName(), contact: request })
      const { record } = await link.call('contact.read', { contact: id })
      return await this.#enter(link, record, false)
    } catch (thrown) {
      if (!this.#contact) this.#dropLink()
      throw thrown
    }
  }

  async #resume(): Promise<{ readonly contact: Contact | null; readonly resumed: boolean }> {
    if (!this.#leaves.isEmpty && this.#known.newest()) await this.#onlineAs(this.#known.newest()).catch(unlessRefused)
    const id = this.#own()
    if (id === null) return this.#nothing()
    const visitor = this.#known.ofContact(id)
    const link = await this.#onlineAs(visitor).catch((thrown: unknown) => {
      if (isRefused(thrown) && visitor && !this.#known.get(visitor.visitor)) return null
      throw thrown
    })
    const record = link && (await readRecord(link, id))
    if (link && record && record.state !== 'cleared') return { contact: await this.#enter(link, record, true), resumed: true }
    eraseKept(this.#environment.tab, keptKey(this.#service, id))
    this.#forget(id)
    return this.#nothing()
  }

  #nothing(): typeof NONE {
    this.#dropLink()
    return NONE
  }

  /** The contact that this tab is in; in a new tab, the newest of the browser. */
  #own = (): string | null => this.#environment.tab.getItem(this.#ownKey) ?? this.#known.newest()?.contacts.at(-1) ?? null

  async #enter(link: ServiceLink, record: ContactData, resumed: boolean): Promise<Contact> {
    const visitor = record.visitor.id
    const isIn = (id: string): void => {
      this.#environment.tab.setItem(this.#ownKey, id)
      this.#known.entered(visitor, id, this.#tokens.refreshOf(visitor))
    }
    isIn(record.id)
    const { core, contact } = await openContact({
      link,
      service: this.#service,
      role: 'visitor',
      record,
      environment: this.#environment,
      resumed,
      leave: (leave) => this.#leaves.tell(link, leave),
      onMove: (id, before) => {
        isIn(id)
        this.#known.over(before)
      },
      onEnd: (how, id) => this.#ended(how, id),
    })
    this.#contact = contact
    try {
      await core.attendance.enter()
    } catch (thrown) {
      contact.drop()
      throw thrown
    }
    return contact
  }

  /** Connects in the name of a visitor; of the one before where none is given. */
  #onlineAs(visitor: KnownVisitor | undefined): Promise<ServiceLink> {
    if (visitor && !this.#contact) this.#tokens.actAs(visitor)
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
    const stops = [this.#environment.onWake(link.wake, link.hide), link.onResume(() => this.#leaves.tellAll(link))]
    this.#stopListening = () => stops.forEach((stop) => stop())
    return link
  }

  #stopListening: () => void = () => {}

  #dropLink(): void {
    this.#environment.clock.clearTimeout(this.#lingering)
    this.#stopListening()
    this.#link?.close()
    this.#link = null
  }

  /** The page's part in its contact has ended: what is the tab's is erased, and what is the contact's where it is over for the visitor. */
  #ended(how: End, id: string): void {
    this.#contact = null
    if (how !== 'dropped') this.#environment.tab.removeItem(this.#ownKey)
    if (this.#isClosed || !this.#leaves.has(id)) {
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
    if (!this.#contact && !this.#opening && this.#leaves.isEmpty) this.#dropLink()
  }

  /** A contact is over for the visitor: in all tabs. */
  #forget(id: string): void {
    const { store, tab } = this.#environment
    const visitor = this.#known.ofContact(id)
    store.removeItem(seenKey(this.#service, id))
    store.removeItem(controlsKey(this.#service, { role: 'visitor', contact: id }))
    if (tab.getItem(this.#ownKey) === id) tab.removeItem(this.#ownKey)
    this.#known.over(id)
    if (visitor && !this.#known.get(visitor.visitor)) this.#tokens.actAs(undefined)
  }
}

/** The record of a contact; null for one in which the visitor has no part any more. @throws {@link ContactError} `offline`, `timeout` */
async function readRecord(link: ServiceLink, contact: string): Promise<ContactData | null> {
  try {
    return (await link.call('contact.read', { contact })).record
  } catch (thrown) {
    if (isGone(thrown)) return null
    throw thrown
  }
}

const unlessRefused = (thrown: unknown): void => {
  if (!isRefused(thrown)) throw thrown
}

const isRefused = (thrown: unknown): boolean => thrown instanceof ContactError && thrown.code === 'unauthorized'

const hasOne = (): ContactError => new ContactError('invalid_state', 'unable to open a contact; this page has one')

/** Address of the service as a page gives it. @throws {@link ContactError} `invalid_argument` */
export function serviceOrigin(service: unknown): string {
  try {
    const url = new URL(String(service))
    if (url.protocol === 'http:' || url.protocol === 'https:') return url.origin
  } catch {
    // Falls through to the one clear error.
  }
  throw new ContactError('invalid_argument', 'unable to create a client; service must be an http or https address')
}

function toRequest(options: ContactOptions): ContactRequest {
  if (typeof options !== 'object' || options === null) throw new ContactError('invalid_argument', 'unable to create the contact; the options must be an object')
  const { initialOffer, secure, ...rest } = options
  if (secure !== undefined && typeof secure !== 'boolean') throw new ContactError('invalid_argument', 'unable to create the contact; secure must be true or false')
  if (secure === true) throw new ContactError('no_crypto', 'unable to create the contact; encryption is not available')
  return asJson('create the contact', { ...rest, ...(initialOffer && { initialOffer: completeInitial(initialOffer) }), visit: visitOf() })
}

/** The visitor's first offer as the agent reads it. */
function completeInitial(offer: NonNullable<ContactOptions['initialOffer']>): NonNullable<ContactRequest['initialOffer']> {
  const built: Readonly<Record<string, string>> = { Chat: 'Native', Voice: offer.Voice?.via === 'pstn' ? 'Native' : 'WebRTC', Video: 'WebRTC', Screen: 'WebRTC' }
  return algebra.swapOffer(
    algebra.completeOffer(offer, (medium) => {
      const engine = built[medium]
      return engine === undefined ? undefined : [{ via: algebra.builtInVia(medium, engine) as string, engine }]
    }),
  )
}

function visitOf(): NonNullable<ContactRequest['visit']> {
  if (typeof document === 'undefined' || typeof navigator === 'undefined') return {}
  return {
    page: { url: cutText(location.href, LIMITS.url), title: cutText(document.title, 256) },
    ...(document.referrer && { referrer: cutText(document.referrer, LIMITS.url) }),
    userAgent: cutText(navigator.userAgent, LIMITS.desc),
    lang: cutText(navigator.language, LIMITS.lang),
  }
}
