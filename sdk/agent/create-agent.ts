import { LIMITS, agentMessages as messages, toContactError } from '../../protocol/index.ts'
import type {
  AgentPresence,
  Calls,
  ContactData,
  ListenOptions,
  Push,
  Unsubscribe,
} from '../../protocol/index.ts'
import type { AgentOptions } from './agent-options.ts'
import { contained } from '../client/contained.ts'
import type { Contact } from '../api/contact.ts'
import { serviceOrigin } from '../client/client-options.ts'
import { Emitter } from '../contact/emitter.ts'
import type { Handler } from '../contact/emitter.ts'
import { pageEnvironment } from '../client/environment.ts'
import type { Environment } from '../client/environment.ts'
import { ServiceLink } from '../link/service-link.ts'
import { socketTransport } from '../link/socket-transport.ts'
import { subjectOf } from '../link/token-subject.ts'
import type { ContactImpl } from '../contact/contact.ts'
import { openContact } from '../contact/open-contact.ts'
import { editField } from '../forms/edit-field.ts'
import { PendingLeaves, leavesKey } from '../client/pending-leaves.ts'
import type { TellLeave } from '../client/pending-leaves.ts'
import { asJson, fromArguments, requireText } from '../values/arguments.ts'
import { runOperation } from '../async/run-operation.ts'
import type {
  AcceptOptions,
  Agent,
  AgentEvents,
  ReadyOptions,
  TransferNote,
  TransferTarget,
} from './agent.ts'
import { Desk, transferOf } from './desk.ts'
import { StandingOffers } from './standing-offers.ts'

/**
 * Prepares an agent's page. Nothing is connected yet.
 *
 * @throws {@link ContactError} `invalid_argument` — `service` is not an http or https address, there is no
 *   token, or `offerLifetime` is out of bounds.
 * @example
 * ```ts
 * const agent = createAgent({ service: 'https://contact.example.org', token })
 * await agent.ready({ capacity: 3 })
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  return fromArguments('create an agent', () => new AgentImpl(options, pageEnvironment(options)))
}

/** An agent's page in an environment of its own. */
export class AgentImpl implements Agent {
  readonly #environment: Environment
  readonly #service: string
  readonly #signKey: AgentOptions['signKey']
  readonly #link: ServiceLink
  readonly #handlers: Emitter
  readonly #leaves: PendingLeaves
  readonly #contacts = new Map<string, Promise<ContactImpl>>()
  readonly #offers = new StandingOffers()
  readonly #stopWaking: () => void
  readonly #desk: Desk
  readonly colleagues: Agent['colleagues'] = () => this.#desk.colleagues()
  readonly note: Agent['note'] = (id, text) => this.#desk.note(id, text)
  readonly notes: Agent['notes'] = (id) => this.#desk.notes(id)
  readonly replies: Agent['replies'] = () => this.#desk.replies()
  readonly search: Agent['search'] = (query = {}) => this.#desk.search(query)
  readonly overview: Agent['overview'] = () => this.#desk.overview()
  readonly read: Agent['read'] = (id, given = {}) => this.#desk.read(id, given)
  #presence: AgentPresence | null = null
  /** In whose name the last token is. */
  #subject: string | undefined

  constructor(options: AgentOptions, given: Environment) {
    const environment = contained(given)
    const service = serviceOrigin(options.service)
    const { token, signKey } = options
    if (typeof token !== 'function') requireText('create an agent', token, { name: 'token' })
    this.#environment = environment
    this.#service = service
    this.#signKey = signKey
    this.#handlers = new Emitter((event) => environment.log.warn('a handler threw', { event }))
    if (typeof token === 'string') this.#subject = subjectOf(token)
    const transport =
      options.transport ??
      socketTransport({ service, token, messages, onToken: (used) => (this.#subject = subjectOf(used)) })
    this.#link = new ServiceLink({ ...environment, transport })
    this.#desk = new Desk(this.#link)
    this.#stopWaking = environment.onWake(this.#link.wake, this.#link.hide)
    this.#leaves = new PendingLeaves({
      store: environment.tab,
      key: leavesKey(service, 'agent'),
      onTold: async () => {},
      onDone: () => {},
      onFailed: () => leaves.ask(),
    })
    this.#link.onPush((push) => this.#pushed(push))
    const leaves = this.#link.onResume(
      () => this.#leaves.tellAll(this.#link, this.#subject),
      () => environment.log.warn('a leave could not be told'),
    )
    this.#link.onResume(
      () => this.#showUp(),
      (thrown) =>
        this.#emit('error', toContactError(thrown, 'internal', 'unable to tell the service of this agent')),
    )
    this.#link.onState((state) => {
      if (state !== 'online') this.#offers.doubt()
      this.#emit('connection', { state })
      const { refusal } = this.#link
      if (refusal) this.#emit('error', refusal)
    })
  }

  on<E extends keyof AgentEvents>(
    event: E,
    handler: (event: AgentEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    return this.#handlers.on(event, handler as Handler, options)
  }

  off<E extends keyof AgentEvents>(event: E, handler?: (event: AgentEvents[E]) => void): void {
    this.#handlers.off(event, handler as Handler | undefined)
  }

  once<E extends keyof AgentEvents>(
    event: E,
    handler: (event: AgentEvents[E]) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    return this.#handlers.once(event, handler as Handler, options)
  }

  ready(options: ReadyOptions = {}): Promise<void> {
    return runOperation('get ready', () =>
      this.#present(() => asJson('get ready', { ...options, state: 'ready' as const })),
    )
  }

  pause(): Promise<void> {
    return runOperation('pause', () => this.#present(() => ({ ...this.#presence, state: 'paused' })))
  }

  accept(id: string, options: AcceptOptions = {}): Promise<Contact> {
    return runOperation('accept the contact', () => this.#accept(id, options))
  }

  decline(id: string): Promise<void> {
    return runOperation('decline the contact', async () => {
      await this.#online('decline the contact', id)
      await this.#answer(id, () => this.#link.call('agent.decline', { contact: id }))
      this.#hasNoMore(id)
    })
  }

  transfer(id: string, to: TransferTarget, options: TransferNote = {}): Promise<string> {
    return runOperation('transfer the contact', () => this.#transfer(id, to, options))
  }

  contacts(): Promise<Contact[]> {
    return runOperation('list the contacts', async () => {
      await this.#online('list the contacts')
      const before = [...this.#contacts.keys()]
      const records: ContactData[] = []
      for (let after: string | undefined, more = true; more; more = after !== undefined) {
        const page = await this.#link.call('agent.contacts', after === undefined ? {} : { after })
        records.push(...page.records)
        after = page.next
      }
      const ids = new Set(records.map(({ id }) => id))
      for (const id of before) if (!ids.has(id)) this.#hasNoMore(id)
      return Promise.all(records.map((record) => this.#contact(record, record.state === 'joined')))
    })
  }

  async close(): Promise<void> {
    const contacts = [...this.#contacts.values()]
    this.#stopWaking()
    for (const opening of contacts)
      opening.then(
        (contact) => contact.drop(),
        () => {},
      )
    const { telling } = this.#leaves
    if (telling) await telling
    this.#link.close()
    await Promise.allSettled(contacts)
    this.#handlers.clear()
  }

  /** On a new connection, the service hears whether this agent is ready. */
  async #showUp(): Promise<void> {
    if (this.#presence) await this.#link.callHere('agent.presence', this.#presence)
    else if (this.#offers.areDoubtful) await this.#link.callHere('agent.contacts', {})
    for (const id of this.#offers.takeLapsed()) this.#emit('withdrawn', { id, reason: 'expired' })
  }

  async #present(read: () => Calls['agent.presence']['args']): Promise<void> {
    const presence = fromArguments('change the presence', read)
    await this.#online('change the presence')
    await this.#link.call('agent.presence', presence)
    this.#presence = presence
  }

  async #accept(id: string, options: AcceptOptions): Promise<ContactImpl> {
    const operation = 'accept the contact'
    const force = fromArguments(operation, () => options.force === true)
    await this.#online(operation, id)
    const { record } = await this.#answer(id, () =>
      this.#link.call('agent.accept', { contact: id, ...(force && { force }) }),
    )
    return this.#contact(record, false)
  }

  #answer<T>(id: string, ask: () => Promise<T>): Promise<T> {
    return this.#offers.answer(id, { ask, onWithdrawn: (body) => this.#emit('withdrawn', body) })
  }

  async #transfer(id: string, to: TransferTarget, options: TransferNote): Promise<string> {
    const asked = transferOf(to, options)
    await this.#online('transfer the contact', id)
    const { contact } = await this.#link.call('agent.transfer', { contact: id, ...asked })
    this.#hasNoMore(id)
    return contact
  }

  /** A contact that is with this agent no more. One that is joined hears that from its log. */
  #hasNoMore(id: string): void {
    this.#contacts.get(id)?.then(
      (contact) => contact.endOutside(),
      () => {},
    )
  }

  async #online(operation: string, id?: string): Promise<void> {
    if (id !== undefined) requireText(operation, id, { name: 'id', bytes: LIMITS.id })
    await this.#link.online()
  }

  #contact(record: ContactData, resumed: boolean): Promise<ContactImpl> {
    const known = this.#contacts.get(record.id)
    if (known) return known
    const forget = (): void => void this.#contacts.delete(record.id)
    const [link, service, environment] = [this.#link, this.#service, this.#environment]
    const party = record.agent?.user ?? ''
    const leave: TellLeave = (given, first) => this.#leaves.tell(link, { party, ...given }, first)
    const opening = openContact({
      link,
      service,
      role: 'agent',
      signKey: this.#signKey,
      editField,
      record,
      isSecure: this.#offers.isSecure(record.id),
      environment,
      resumed,
      leave,
      onEnd: forget,
    }).then(({ contact }) => contact)
    this.#contacts.set(record.id, opening)
    opening.catch(forget)
    return opening
  }

  /** Any page of this agent has changed it. One that has said what it takes says so first, on a new connection. */
  #presenceIs(presence: AgentPresence): void {
    if (this.#presence && this.#link.state !== 'online') return
    this.#presence = presence
    this.#emit('presence', presence)
  }

  #emit<E extends keyof AgentEvents>(event: E, payload: AgentEvents[E]): void {
    this.#handlers.emit(event, () => payload)
  }

  #pushed(push: Push): void {
    if (push.name === 'agent.distribution' && this.#offers.add(push.body))
      this.#emit('distribution', push.body)
    if (push.name === 'agent.withdrawn' && this.#offers.withdraw(push.body))
      this.#emit('withdrawn', push.body)
    if (push.name === 'agent.question') this.#emit('question', push.body)
    if (push.name === 'agent.note') this.#emit('note', { id: push.body.contact, note: push.body.note })
    if (push.name === 'agent.rated') this.#emit('rating', { id: push.body.contact, ...push.body.rating })
    if (push.name === 'agent.declined') this.#emit('declined', push.body)
    if (push.name === 'agent.presence') this.#presenceIs(push.body)
    if (push.name !== 'agent.paused') return
    if (this.#presence) this.#presence = { ...this.#presence, state: 'paused' }
    this.#emit('paused', push.body)
  }
}
