import type { Connection, Draft, Entry, UnsentEntry, Transport, TransportEvent } from '../protocol/index.ts'
import { eventually } from './suite-bench.ts'

/** What a law needs beside the transport. */
export type LinkNeed = 'refused' | 'unreachable' | 'cut'

/** One visitor's way to a service that is there and empty. */
export interface LinkUnderTest {
  readonly transport: Transport
  /** The same with a token that the service does not accept. */
  readonly refused?: Transport
  /** A way to a service that is not there. */
  readonly unreachable?: Transport
  /** Breaks every connection, as a failing network does. */
  readonly cut?: () => void
  /** Gives back what the factory made. */
  readonly end?: () => Promise<void> | void
}

/** Makes a service and a visitor's way to it. */
export type LinkFactory = () => LinkUnderTest | Promise<LinkUnderTest>

const QUIET_MS = 40

/**
 * Resolves when something that should not happen had time to happen, also where the machine stood still: the
 * second timer comes after everything that was due before the first one.
 */
export const quiet = (): Promise<void> =>
  new Promise((resolve) => setTimeout(() => setTimeout(resolve), QUIET_MS))

let names = 0
const newName = (kind: string): string => `${kind}-${Date.now().toString(36)}-${(names += 1)}`

/** One connection, and everything that it told. */
export class Line {
  readonly events: TransportEvent[] = []
  readonly connection: Connection

  constructor(transport: Transport) {
    this.connection = transport.connect((event) => void this.events.push(event))
  }

  /** Kinds of what was told. */
  get told(): readonly string[] {
    return this.events.map(({ type }) => type)
  }

  /** Resolves when the connection is up. */
  up = (): Promise<void> => eventually('the connection is not up', () => this.told.includes('up'))

  /** Resolves when the connection is down. */
  down = (): Promise<void> => eventually('the connection is not down', () => this.told.includes('down'))

  /** Entries that were pushed. */
  get entries(): readonly Entry[] {
    return this.events.flatMap((event) =>
      event.type === 'push' && event.push.name === 'log.entries' ? event.push.body.entries : [],
    )
  }

  /** Texts that were pushed. */
  get texts(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))
  }
}

/** A contact that a law uses. */
export class LineContact {
  readonly line: Line
  readonly id: string
  readonly session = newName('session')
  #counter = 0

  constructor(line: Line, id: string) {
    this.line = line
    this.id = id
  }

  /** Opens the contact from the beginning. */
  open = (): Promise<unknown> =>
    this.line.connection.call('contact.open', { contact: this.id, session: this.session, cursor: 0 })

  /** A draft of this session. */
  draft(letter: Omit<UnsentEntry, 'id'>): Draft {
    return {
      ...letter,
      id: newName('message'),
      session: this.session,
      counter: (this.#counter += 1),
    } as Draft
  }

  append = (...drafts: readonly Draft[]): Promise<unknown> =>
    this.line.connection.call('log.append', { contact: this.id, session: this.session, drafts })

  text = (text: string): Promise<unknown> => this.append(this.draft({ type: 'text', body: { text } }))
}

/** The link of one law. */
export class LinkBench {
  readonly under: LinkUnderTest
  readonly #lines: Line[] = []

  constructor(under: LinkUnderTest) {
    this.under = under
  }

  /** A new connection. */
  connect(transport: Transport | undefined = this.under.transport): Line {
    const line = new Line(transport)
    this.#lines.push(line)
    return line
  }

  /** One that is up. */
  async line(): Promise<Line> {
    const line = this.connect()
    await line.up()
    return line
  }

  /** A contact that the visitor has just made, opened on a connection. */
  async contact(line?: Line): Promise<LineContact> {
    const on = line ?? (await this.line())
    const { contact: id } = await on.connection.call('contact.create', {
      request: newName('request'),
      contact: { nick: 'Robin' },
    })
    const contact = new LineContact(on, id)
    await contact.open()
    await contact.append(
      contact.draft({
        type: 'present',
        body: {
          capabilities: { Media: { Sharing: { Engines: { Native: true } } }, Mobile: false },
          media: { Sharing: 'Native' },
          after: null,
        },
      }),
    )
    return contact
  }

  async end(): Promise<void> {
    for (const { connection } of this.#lines) connection.close()
    await this.under.end?.()
  }
}
