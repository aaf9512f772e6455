import { ContactError, LIMITS, algebra, cutText } from '../protocol/index.ts'
import type { ContactData, ContactRequest } from '../protocol/index.ts'
import { controlsKey } from './call-controls.ts'
import type { Client, ClientOptions } from './client.ts'
import type { Contact, ContactOptions } from './contact.ts'
import { pageEnvironment } from './environment.ts'
import type { Environment } from './environment.ts'
import { isGone } from './gone.ts'
import { keptKey, seenKey } from './kept.ts'
import { ServiceLink } from './link/service-link.ts'
import { socketTransport } from './link/socket-transport.ts'
import { VisitorTokens } from './link/visitor-tokens.ts'
import type { LiveContact } from './live-contact.ts'
import { openContact } from './open-contact.ts'
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

/** A visitor's page in an environment of its own. */
export class VisitorClient implements Client {
  readonly #environment: Environment
  readonly #tokens: VisitorTokens
  readonly #connect: () => ServiceLink
  readonly #contactKey: string
  readonly #service: string
  #link: ServiceLink | null = null
  #contact: LiveContact | null = null
  /** Settles when what this page is creating or resuming is there, or has failed. */
  #opening: Promise<unknown> | null = null
  #isClosed = false

  constructor(options: ClientOptions, environment: Environment) {
    const service = serviceOrigin(options.service)
    this.#environment = environment
    this.#service = service
    this.#contactKey = `parley:${service}:contact`
    this.#tokens = new VisitorTokens({ service, store: environment.store, key: `parley:${service}:visitor`, now: () => environment.clock.now() })
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
    return this.#contact ? { contact: this.#contact, resumed: false } : this.#alone(this.#resume())
  }

  async #create(options: ContactOptions): Promise<Contact> {
    const request = fromArguments('create the contact', () => toRequest(options))
    const link = await this.#online()
    try {
      const { contact: id } = await link.call('contact.create', { request: randomName(), contact: request })
      const { record } = await link.call('contact.read', { contact: id })
      this.#environment.store.setItem(this.#contactKey, id)
      return await this.#enter(link, record, false)
    } catch (thrown) {
      if (!this.#contact) this.#dropLink()
      throw thrown
    }
  }

  async #resume(): Promise<{ readonly contact: Contact | null; readonly resumed: boolean }> {
    const id = this.#environment.store.getItem(this.#contactKey)
    if (id === null) return { contact: null, resumed: false }
    const link = await this.#online()
    const { record } = await link.call('contact.read', { contact: id }).catch((thrown: unknown) => {
      if (isGone(thrown)) return { record: null }
      throw thrown
    })
    if (record === null || record.state === 'cleared') {
      const { store, tab } = this.#environment
      tab.removeItem(keptKey(this.#service, id))
      store.removeItem(seenKey(this.#service, id))
      store.removeItem(controlsKey(this.#service, { role: 'visitor', contact: id }))
      this.#ended('over')
      return { contact: null, resumed: false }
    }
    return { contact: await this.#enter(link, record, true), resumed: true }
  }

  async #enter(link: ServiceLink, record: ContactData, resumed: boolean): Promise<Contact> {
    const { core, contact } = await openContact({
      link,
      service: this.#service,
      role: 'visitor',
      record,
      environment: this.#environment,
      resumed,
      onMove: (id) => this.#environment.store.setItem(this.#contactKey, id),
      onEnd: (how) => this.#ended(how),
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

  async #online(): Promise<ServiceLink> {
    if (this.#isClosed) throw new ContactError('left', 'unable to reach the service; this client is closed')
    if (this.#contact) throw hasOne()
    if (!this.#link) {
      const link = this.#connect()
      this.#link = link
      this.#stopWaking = this.#environment.onWake(link.wake)
    }
    await this.#link.online().catch((thrown: unknown) => {
      this.#dropLink()
      throw thrown
    })
    return this.#link
  }

  #stopWaking: () => void = () => {}

  #dropLink(): void {
    this.#stopWaking()
    this.#link?.close()
    this.#link = null
  }

  #ended(how: 'over' | 'dropped'): void {
    this.#contact = null
    if (how === 'over') {
      this.#environment.store.removeItem(this.#contactKey)
      this.#tokens.forget()
    }
    this.#dropLink()
  }
}

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
