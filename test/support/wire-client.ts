import { randomUUID } from 'node:crypto'
import { io } from 'socket.io-client'
import type { Socket } from 'socket.io-client'
import { PROTOCOL_VERSION, parsePush, parseReply } from '../../protocol/index.ts'
import type {
  CallName,
  Calls,
  Entry,
  UnsentEntry,
  Push,
  PushName,
  Pushes,
  Reply,
} from '../../protocol/index.ts'

const LIMIT_MS = 20_000

interface Waiting {
  readonly test: () => boolean
  readonly settle: () => void
}

export interface ConnectOptions {
  readonly protocol?: string
  readonly transports?: readonly ('websocket' | 'polling')[]
  readonly headers?: Record<string, string>
}

/** Speaks the wire protocol and nothing else: what a third party's client would do. */
export class WireClient {
  readonly socket: Socket
  readonly token: string
  /** Everything that the service pushed, in order. */
  readonly pushes: Push[] = []
  onPush: (push: Push) => void = () => {}
  /** Answers pushes that ask for it. Older clients do not. */
  acknowledges = true
  #waiting: Waiting[] = []
  /** Why the connection ended. */
  #end = 'it was never made'

  private constructor(socket: Socket, token: string) {
    this.socket = socket
    this.token = token
    socket.once('disconnect', (reason) => {
      this.#end = reason
    })
    socket.onAny((name: string, body: unknown, answer?: () => void) => {
      if (this.acknowledges) answer?.()
      const push = parsePush(name, body)
      if (!push) return
      this.pushes.push(push)
      this.onPush(push)
      for (const waiting of this.#waiting.filter(({ test }) => test())) waiting.settle()
    })
  }

  /** Rejects with the `data` of a refusal. */
  static connect(
    url: string,
    token: unknown,
    { protocol = PROTOCOL_VERSION, transports = ['websocket'], headers = {} }: ConnectOptions = {},
  ): Promise<WireClient> {
    const socket = io(url, {
      path: '/v1/link',
      auth: { token, protocol },
      transports: [...transports],
      reconnection: false,
      forceNew: true,
      extraHeaders: headers,
    })
    const client = new WireClient(socket, String(token))
    return new Promise((settle, fail) => {
      socket.once('connect', () => settle(client))
      socket.once('connect_error', (error: Error & { data?: { code?: string } }) => {
        socket.close()
        fail(Object.assign(new Error(error.message), { code: error.data?.code ?? 'refused' }))
      })
    })
  }

  /** Resolves with the result; rejects with a ContactError. */
  async call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    return parseReply(name, await this.ask(name, args))
  }

  /** The raw reply to anything. Without a connection there will be none. */
  ask(name: string, args: unknown): Promise<Reply<unknown>> {
    const { socket } = this
    if (!socket.connected)
      return Promise.reject(new Error(`unable to call ${name}; the connection is gone: ${this.#end}`))
    return new Promise((settle, fail) => {
      const cut = (reason: string): void =>
        fail(new Error(`no reply to ${name}; the connection is gone: ${reason}`))
      socket.once('disconnect', cut)
      socket.timeout(LIMIT_MS).emit(name, args, (error: Error | null, reply: Reply<unknown>) => {
        socket.off('disconnect', cut)
        if (error) fail(error)
        else settle(reply)
      })
    })
  }

  /** Entries of a contact that have arrived, in the order of arrival. */
  entries(contact: string): Entry[] {
    return this.pushes.flatMap((push) =>
      push.name === 'log.entries' && push.body.contact === contact ? push.body.entries : [],
    )
  }

  /** Waits for the first push of this name that fits. */
  async push<P extends PushName>(
    name: P,
    fits: (body: Pushes[P]) => boolean = () => true,
  ): Promise<Pushes[P]> {
    const find = (): Pushes[P] | undefined =>
      this.pushes
        .filter((push) => push.name === name)
        .map((push) => push.body as Pushes[P])
        .find(fits)
    await this.until(() => find() !== undefined, name)
    return find() as Pushes[P]
  }

  /** Waits for the first entry of this type that fits. */
  async entry<T extends Entry['type']>(
    contact: string,
    type: T,
    fits: (entry: Extract<Entry, { type: T }>) => boolean = () => true,
  ): Promise<Extract<Entry, { type: T }>> {
    const find = () =>
      this.entries(contact).find(
        (entry): entry is Extract<Entry, { type: T }> =>
          entry.type === type && fits(entry as Extract<Entry, { type: T }>),
      )
    await this.until(() => find() !== undefined, `entry ${type}`)
    return find() as Extract<Entry, { type: T }>
  }

  async until(test: () => boolean, what: string): Promise<void> {
    if (test()) return
    await new Promise<void>((settle, fail) => {
      const limit = setTimeout(
        () =>
          fail(new Error(`nothing came: ${what}; so far ${this.pushes.map((push) => push.name).join(', ')}`)),
        LIMIT_MS,
      )
      const waiting: Waiting = {
        test,
        settle: () => {
          clearTimeout(limit)
          this.#waiting = this.#waiting.filter((each) => each !== waiting)
          settle()
        },
      }
      this.#waiting.push(waiting)
    })
  }

  close(): void {
    this.socket.close()
  }
}

export const CAPABILITIES = {
  Media: { Sharing: { Engines: { Native: true } }, Chat: { Engines: { Native: true } } },
  Mobile: false,
} as const
export const HOLDS = { Sharing: 'Native', Chat: 'Native' } as const

/** One session of a party on a contact: numbers what it writes. */
export class WireSession {
  readonly client: WireClient
  readonly contact: string
  readonly id: string
  counter = 0

  constructor(client: WireClient, contact: string, id: string = `s-${randomUUID()}`) {
    this.client = client
    this.contact = contact
    this.id = id
  }

  open(cursor = 0): Promise<Calls['contact.open']['result']> {
    return this.client.call('contact.open', { contact: this.contact, session: this.id, cursor })
  }

  /** Appends letters in one call. */
  write(...letters: UnsentEntry[]): Promise<Calls['log.append']['result']> {
    const drafts = letters.map((letter) => ({ ...letter, session: this.id, counter: (this.counter += 1) }))
    return this.client.call('log.append', { contact: this.contact, session: this.id, drafts })
  }

  text(text: string, id: string = randomUUID()): Promise<Calls['log.append']['result']> {
    return this.write({ id, type: 'text', body: { text } })
  }

  present(after: string | null = null): Promise<Calls['log.append']['result']> {
    return this.write({
      id: randomUUID(),
      type: 'present',
      body: { capabilities: CAPABILITIES, media: HOLDS, after },
    })
  }

  leave(): Promise<Calls['contact.leave']['result']> {
    return this.client.call('contact.leave', { contact: this.contact, session: this.id })
  }
}
