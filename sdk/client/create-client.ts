import { ContactError } from '../../protocol/index.ts'
import type { ContactData, ContactRequest, Rating } from '../../protocol/index.ts'
import type { Client, ClientOptions } from '../api/client.ts'
import type { Contact, ContactOptions } from '../api/contact.ts'
import { toRequest, withInitialOffer } from './contact-request.ts'
import { serviceOrigin, trustedKeysOf } from './client-options.ts'
import { contained } from './contained.ts'
import { secureStore } from './dated-store.ts'
import { eraseContact } from './erase-contact.ts'
import { pageEnvironment } from './environment.ts'
import type { End } from '../contact/membership.ts'
import type { Environment } from './environment.ts'
import { isRefused, readRecord } from './read-record.ts'
import { secureKey } from '../contact/saved-state.ts'
import { KnownVisitors } from '../link/known-visitors.ts'
import type { KnownVisitor } from '../link/known-visitors.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ContactImpl } from '../contact/contact.ts'
import { loadSecrecy, openContact } from '../contact/open-contact.ts'
import { OwnContact } from './own-contact.ts'
import { VisitorLink } from './visitor-link.ts'
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

/** What becomes of taking a contact up. */
type Resumed = Awaited<ReturnType<Client['resumeContact']>>
const NONE = { contact: null, resumed: false } as const

/** A visitor's page in an environment of its own. */
export class VisitorClient implements Client {
  readonly #environment: Environment
  readonly #known: KnownVisitors
  readonly #link: VisitorLink
  readonly #own: OwnContact
  readonly #service: string
  /** The site names the visitor, and the service knows their contacts. */
  readonly #isIdentified: boolean
  readonly #trustedKeys: readonly string[]
  readonly #shareHistory: boolean
  #contact: ContactImpl | null = null
  /** A contact for later that has ended while no page of the visitor was there. */
  #answered: string | null = null
  /** Settles when what this page is creating or resuming is there, or has failed. */
  #opening: Promise<unknown> | null = null
  #isClosed = false

  constructor(options: ClientOptions, given: Environment) {
    const service = serviceOrigin(options.service)
    const environment = contained(given)
    const { store, tab } = environment
    this.#environment = environment
    this.#service = service
    this.#trustedKeys = trustedKeysOf(options.trustedKeys)
    this.#shareHistory = options.shareHistory === true
    this.#isIdentified = options.identity !== undefined
    this.#own = new OwnContact(tab, `duolog:${service}:contact`)
    this.#known = new KnownVisitors(store, `duolog:${service}:visitor`)
    this.#link = new VisitorLink(options, {
      service,
      environment,
      known: this.#known,
      requireFree: () => {
        if (this.#isClosed)
          throw new ContactError('left', 'unable to reach the service; this client is closed')
        if (this.#contact) throw hasOne()
      },
      onLeft: (contact) => this.#toldLeave(contact),
      onAllLeft: () => this.#saidAll(),
    })
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
      this.#lookBack((code, link) => code.contactsBefore(link, before)),
    )
  }

  readTranscript(id: string, options?: TranscriptOptions): Promise<TranscriptPage> {
    return runOperation('read the transcript', () =>
      this.#lookBack((code, link) => code.readEarlier({ id, service: this.#service, link }, options)),
    )
  }

  rate(id: string, rating: Rating): Promise<void> {
    return runOperation('rate the contact', () =>
      this.#lookBack((code, link) => code.rate(link, id, rating), this.#link.former),
    )
  }

  #looking() {
    return loaded('look at earlier contacts', later.identified(), this.#environment)
  }

  /** On the page's connection; on one for the while, where it has none. */
  async #lookBack<T>(
    look: (code: Awaited<ReturnType<typeof later.identified>>, link: ServiceLink) => Promise<T>,
    former?: KnownVisitor | null,
  ): Promise<T> {
    const onLink = async (link: ServiceLink): Promise<T> => look(await this.#looking(), link)
    while (this.#opening) await this.#opening
    const { current } = this.#link
    if (this.#contact && current) {
      await current.online()
      return onLink(current)
    }
    return this.#alone(
      this.#link
        .online(former ?? this.#known.newest())
        .then(onLink)
        .finally(() => {
          if (former) this.#link.isOver(former.visitor)
          this.#saidAll(true)
        }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#contact?.drop()
    const { telling } = this.#link.leaves
    if (telling) await telling
    this.#link.close()
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
    this.#link.current?.start()
    return { contact: this.#contact, resumed: false }
  }

  async #create(options: ContactOptions): Promise<Contact> {
    const given = fromArguments('create the contact', () => toRequest(options))
    const request = await withInitialOffer(given, this.#environment)
    if (request.secure) await loadSecrecy(this.#environment)
    await this.#link.tellLeaves()
    const link = await this.#link.online(this.#known.newest()).catch((thrown: unknown) => {
      if (isRefused(thrown)) return this.#link.online()
      throw thrown
    })
    try {
      const { contact: id } = await link.call('contact.create', { request: randomName(), contact: request })
      if (request.secure)
        secureStore(this.#environment.store, this.#service).setItem(secureKey(this.#service, id), '1')
      const { record } = await link.call('contact.read', { contact: id })
      const contact = await this.#enter(link, record, request)
      if (this.#answered !== null) this.#forget(this.#answered)
      return contact
    } catch (thrown) {
      if (!this.#contact) this.#link.drop()
      throw thrown
    }
  }

  async #resume(): Promise<Resumed> {
    await this.#link.tellLeaves()
    this.#answered = null
    if (this.#own.get() ?? this.#known.newest()) {
      const code = await loaded('resume the contact', later.returning(), this.#environment)
      const found = await code.findOpenContact({
        ...{ known: this.#known, own: this.#own, link: this.#link },
        ...{ tab: this.#environment.tab, service: this.#service },
        onOver: (id, isAnswer) => {
          if (isAnswer) this.#answered ??= id
          else this.#forget(id)
        },
      })
      if (found) {
        const entered = this.#enter(found.link, found.record, null)
        return (await code.takenUp(entered, found.record.id, this.#known)) ?? this.#resume()
      }
    }
    if (this.#isIdentified) {
      const link = await this.#link.online()
      const record = await (await this.#looking()).findOnService(link, this.#link.leaves.has)
      if (record) return { contact: await this.#enter(link, record, null), resumed: true }
    }
    this.#link.drop()
    return this.#answered === null ? NONE : { ...NONE, answered: this.#answered }
  }

  /** `asked`: what this page has asked for; null for a contact of an earlier page. */
  async #enter(link: ServiceLink, record: ContactData, asked: ContactRequest | null): Promise<Contact> {
    const visitor = record.visitor.id
    this.#link.actAs(visitor)
    const isIn = (id: string): void => {
      this.#own.set({ contact: id, visitor })
      this.#known.entered(visitor, id, this.#link.refreshOf(visitor))
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
      leave: (leave, first) => this.#link.leaves.tell(link, { party: visitor, ...leave }, first),
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

  /**
   * The page's part in its contact has ended: what is the tab's is erased, and what is the contact's where it
   * is over for the visitor.
   */
  #ended(how: End, id: string): void {
    this.#contact = null
    if (how !== 'dropped') this.#own.erase()
    if (!this.#link.leaves.has(id)) {
      if (how === 'over') this.#forget(id)
      this.#link.drop()
    } else this.#link.linger()
  }

  /** The service has heard of a leave. That of the contact in which the page still is ends with it. */
  async #toldLeave(id: string): Promise<void> {
    const { current } = this.#link
    if (this.#contact?.id === id || !current) return
    const record = await readRecord(current, id)
    if (!record || record.state === 'cleared' || record.channels.vvcu === 0) this.#forget(id)
  }

  /** A page without a contact stays connected until its leaves are told. */
  #saidAll(isLast = false): void {
    if (!this.#contact && (isLast || !this.#opening) && this.#link.leaves.parties.size === 0)
      this.#link.drop()
  }

  /** A contact is over for the visitor: in all tabs. */
  #forget(id: string): void {
    const visitor = this.#known.ofContact(id)?.visitor
    eraseContact(this.#environment.store, this.#service, { role: 'visitor', contact: id })
    if (this.#own.get()?.contact === id) this.#own.erase()
    this.#known.over(id)
    if (visitor !== undefined && !this.#known.get(visitor)) this.#link.isOver(visitor)
  }
}

const hasOne = (): ContactError =>
  new ContactError('invalid_state', 'unable to open a contact; this page has one')
