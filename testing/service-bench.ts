import { ContactError } from '../protocol/index.ts'
import type {
  Appended,
  CallName,
  Calls,
  Connection,
  ContactRequest,
  Entry,
  UnsentEntry,
  Push,
  PushName,
  Pushes,
  Transport,
} from '../protocol/index.ts'

/** A service, as its conformance kit sees it. */
export interface ServiceUnderTest {
  /**
   * A way to reach it for a visitor whom it has not seen before. The same visitor may be given the same
   * transport twice.
   */
  readonly visitor: () => Transport | Promise<Transport>
  /** The same for an agent. */
  readonly agent: (nick: string) => Transport | Promise<Transport>
  /** Lets time pass for the service: opens the laws about time limits. */
  readonly advance?: (ms: number) => void | Promise<void>
  /** How long something may take to come, milliseconds; default 10 s. */
  readonly patienceMs?: number
  /** Called when a law has been tried. */
  readonly stop?: () => void | Promise<void>
}

/** Gives a service that has no contacts and no agents at work. */
export type ServiceFactory = () => ServiceUnderTest | Promise<ServiceUnderTest>

const PATIENCE_MS = 10_000
const CAPABILITIES = {
  Media: { Sharing: { Engines: { Native: true } }, Chat: { Engines: { Native: true } } },
  Mobile: false,
} as const
const HOLDS = { Sharing: 'Native', Chat: 'Native' } as const

/** One connection of a party that speaks the wire and nothing else. */
export class WireParty {
  /** Everything that the service has pushed, in order. */
  readonly pushes: Push[] = []
  readonly #connection: Connection
  readonly #patienceMs: number
  #looks: (() => void)[] = []
  #state: 'connecting' | 'up' | ContactError = 'connecting'

  constructor(transport: Transport, patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs
    this.#connection = transport.connect((event) => {
      if (event.type === 'push') this.pushes.push(event.push)
      else this.#state = event.type === 'up' ? 'up' : event.error
      for (const look of this.#looks) look()
    })
  }

  /** Resolves when the connection is there. */
  async up(): Promise<this> {
    await this.until('a connection', () => this.#state !== 'connecting' || undefined)
    if (this.#state instanceof ContactError) throw this.#state
    return this
  }

  call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    return this.#connection.call(name, args)
  }

  /** The code of a call's refusal, `ok` where it is not refused. The arguments may be anything. */
  async codeOf(name: CallName, args: unknown): Promise<string> {
    try {
      await this.#connection.call(name, args as never)
      return 'ok'
    } catch (thrown) {
      return thrown instanceof ContactError ? thrown.code : String(thrown)
    }
  }

  /** The first value that `find` gives; looks again after each push. */
  async until<T>(what: string, find: () => T | undefined): Promise<T> {
    const found = find()
    if (found !== undefined) return found
    return new Promise<T>((resolve, reject) => {
      const limit = setTimeout(
        () =>
          reject(
            new Error(
              `${what} did not come; what came was ${this.pushes.map(({ name }) => name).join(', ') || 'nothing'}`,
            ),
          ),
        this.#patienceMs,
      )
      const look = (): void => {
        const now = find()
        if (now === undefined) return
        clearTimeout(limit)
        this.#looks = this.#looks.filter((one) => one !== look)
        resolve(now)
      }
      this.#looks.push(look)
    })
  }

  /** The body of the first push of that name that fits. */
  push<P extends PushName>(name: P, fits: (body: Pushes[P]) => boolean = () => true): Promise<Pushes[P]> {
    return this.until(name, () => this.bodies(name).find(fits))
  }

  /** Bodies of all pushes of that name so far. */
  bodies<P extends PushName>(name: P): Pushes[P][] {
    return this.pushes.flatMap((push) => (push.name === name ? [push.body as Pushes[P]] : []))
  }

  /** Entries of a contact as they came. */
  entries(contact: string): Entry[] {
    return this.bodies('log.entries').flatMap((body) => (body.contact === contact ? body.entries : []))
  }

  /** The first entry of that type. */
  entry<T extends Entry['type']>(contact: string, type: T): Promise<Extract<Entry, { type: T }>> {
    return this.until(`the entry ${type}`, () =>
      this.entries(contact).find((entry): entry is Extract<Entry, { type: T }> => entry.type === type),
    )
  }

  close(): void {
    this.#connection.close()
  }
}

let made = 0
const newName = (kind: string): string => `${kind}-${(made += 1)}-${Math.random().toString(36).slice(2)}`

/** A session of a party on a contact: numbers what it writes. */
export class WireSession {
  readonly id = newName('session')
  readonly party: WireParty
  readonly contact: string
  counter = 0

  constructor(party: WireParty, contact: string) {
    this.party = party
    this.contact = contact
  }

  open(cursor = 0): Promise<Calls['contact.open']['result']> {
    return this.party.call('contact.open', { contact: this.contact, session: this.id, cursor })
  }

  /** Writes letters in one call. */
  async write(...letters: UnsentEntry[]): Promise<readonly Appended[]> {
    const drafts = letters.map((letter) => ({ ...letter, session: this.id, counter: (this.counter += 1) }))
    return (await this.party.call('log.append', { contact: this.contact, session: this.id, drafts })).appended
  }

  /** Hands over anything as the drafts. */
  async append(...drafts: readonly unknown[]): Promise<readonly Appended[]> {
    return (
      await this.party.call('log.append', {
        contact: this.contact,
        session: this.id,
        drafts: drafts as never,
      })
    ).appended
  }

  text(text: string, id = newName('text')): Promise<readonly Appended[]> {
    return this.write({ id, type: 'text', body: { text } })
  }

  present(after: string | null = null): Promise<readonly Appended[]> {
    return this.write({
      id: newName('present'),
      type: 'present',
      body: { capabilities: CAPABILITIES, media: HOLDS, after },
    })
  }

  leave(): Promise<Calls['contact.leave']['result']> {
    return this.party.call('contact.leave', { contact: this.contact, session: this.id })
  }
}

/** A party with its session. */
export interface Seated {
  readonly party: WireParty
  readonly session: WireSession
  readonly contact: string
}

/** A service and those who use it. */
export class ServiceBench {
  readonly service: ServiceUnderTest
  readonly #parties: WireParty[] = []

  constructor(service: ServiceUnderTest) {
    this.service = service
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    await this.service.advance?.(ms)
  }

  connect(transport: Transport): Promise<WireParty> {
    const party = new WireParty(transport, this.service.patienceMs)
    this.#parties.push(party)
    return party.up()
  }

  visitor = async (): Promise<WireParty> => this.connect(await this.service.visitor())

  /** An agent who takes contacts. */
  async agent(nick = 'Ada'): Promise<WireParty> {
    const agent = await this.connect(await this.service.agent(nick))
    await agent.call('agent.presence', { state: 'ready', capacity: 10 })
    return agent
  }

  /** A visitor in the queue. */
  async queued(request: ContactRequest = { nick: 'Vera' }, party?: WireParty): Promise<Seated> {
    const visitor = party ?? (await this.visitor())
    const { contact } = await visitor.call('contact.create', {
      request: newName('request'),
      contact: request,
    })
    const session = new WireSession(visitor, contact)
    await session.open()
    await session.present()
    return { party: visitor, session, contact }
  }

  /** The agent takes the contact. */
  async assigned(contact: string, nick = 'Ada'): Promise<Seated> {
    const party = await this.agent(nick)
    await party.push('agent.distribution', ({ id }) => id === contact)
    await party.call('agent.accept', { contact })
    return { party, session: new WireSession(party, contact), contact }
  }

  /** A visitor and an agent who have joined. */
  async joined(
    request?: ContactRequest,
  ): Promise<{ readonly visitor: Seated; readonly agent: Seated; readonly contact: string }> {
    const visitor = await this.queued(request)
    const agent = await this.assigned(visitor.contact)
    await agent.session.open()
    await agent.session.present()
    for (const { party } of [visitor, agent]) await party.entry(visitor.contact, 'joined')
    return { visitor, agent, contact: visitor.contact }
  }

  async stop(): Promise<void> {
    for (const party of this.#parties) party.close()
    await this.service.stop?.()
  }
}
