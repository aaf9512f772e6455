/**
 * A page with one contact that speaks the protocol as the SDK does, message by message, and does nothing else:
 * no state machines, no log, no checks. So many of them leave the processor to the nodes that are measured.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { PROTOCOL_VERSION } from '../../protocol/index.ts'
import type { CallName, Calls, Reply } from '../../protocol/index.ts'
import { openWebSocket } from '../../sdk/link/web-socket.ts'
import type { WireSocket } from '../../sdk/link/wire-socket.ts'
import { CAPABILITIES, HOLDS } from '../../test/support/wire-client.ts'
import { signInVisitor } from '../../test/support/service.ts'

/** As `machines/link` waits: doubles, halved at most by chance, and not before the service wants the page again. */
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 2_000

const backOffMs = (attempts: number, retryAfterMs: number): number =>
  Math.max(
    Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 8)) * (1 - Math.random() / 2),
    retryAfterMs * (1 + Math.random() / 2),
  )

export class LightPage {
  /** By `Date.now()`; null: it is not. */
  onlineAt: number | null = null
  /** Connections and openings that came to nothing, by their causes. */
  readonly failed = new Map<string, number>()
  #service: string
  readonly #session = `s-${randomUUID()}`
  #token = ''
  #contact = ''
  #head = 0
  #openings = 0
  #attempts = 0
  #socket: WireSocket | null = null
  #onOnline: () => void = () => {}

  constructor(service: string) {
    this.#service = service
  }

  /** Signs in and enters a contact of its own. Tries again: a load balancer may end a connection that is kept. */
  async enter(): Promise<void> {
    while (this.#token === '')
      try {
        this.#token = (await signInVisitor(this.#service)).token
      } catch {
        await delay(FIRST_WAIT_MS)
      }
    await new Promise<void>((settle) => {
      this.#onOnline = settle
      this.#connect()
    })
  }

  /** Resolves when it is online again, after the connection that it has now has ended. */
  back(): Promise<void> {
    this.onlineAt = null
    return new Promise((settle) => (this.#onOnline = settle))
  }

  /** Leaves its connection and makes one to another place. */
  move(service: string): Promise<void> {
    this.#service = service
    this.#socket?.close()
    const moved = this.back()
    this.#connect()
    return moved
  }

  #connect(): void {
    let isHeard = false
    const end = (cause: string, retryAfterMs = 0): void => {
      if (isHeard || this.#socket !== socket) return
      isHeard = true
      socket.close()
      this.#lost(cause, retryAfterMs)
    }
    const socket = openWebSocket(
      {
        service: this.#service,
        auth: { token: this.#token, protocol: PROTOCOL_VERSION },
        WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
        isKnown: this.#contact !== '',
      },
      {
        up: () => void this.#open(socket).catch((thrown: Error) => end(thrown.message)),
        refused: (answer) => end(`refused: ${dataOf(answer).code ?? 'no code'}`, dataOf(answer).retryAfterMs),
        event: () => {},
        down: (error, isReached) => end(lossOf(error, isReached)),
      },
    )
    this.#socket = socket
  }

  #lost(cause: string, retryAfterMs: number): void {
    if (this.onlineAt === null) this.failed.set(cause, (this.failed.get(cause) ?? 0) + 1)
    this.onlineAt = null
    this.#attempts += 1
    void delay(backOffMs(this.#attempts, retryAfterMs)).then(() => this.#connect())
  }

  async #open(socket: WireSocket): Promise<void> {
    const isNew = this.#contact === ''
    if (isNew)
      this.#contact = (
        await call(socket, 'contact.create', { request: randomUUID(), contact: { nick: 'Vera' } })
      ).contact
    const ref = { contact: this.#contact, session: this.#session }
    this.#openings += 1
    const opened = await call(socket, 'contact.open', {
      ...ref,
      cursor: this.#head,
      opening: this.#openings,
    })
    this.#head = opened.head
    if (isNew) {
      const body = { capabilities: CAPABILITIES, media: HOLDS, after: null }
      const draft = { id: randomUUID(), session: this.#session, counter: 1, type: 'present', body }
      const { appended } = await call(socket, 'log.append', { ...ref, drafts: [draft as never] })
      for (const each of appended) if ('seq' in each) this.#head = each.seq
    }
    this.#attempts = 0
    this.onlineAt = Date.now()
    this.#onOnline()
  }
}

const dataOf = (answer: unknown): { readonly code?: string; readonly retryAfterMs?: number } =>
  (answer as { data?: { code?: string; retryAfterMs?: number } }).data ?? {}

/** Silence has no cause; the end of a connection has the event that told of it. */
function lossOf({ cause }: Error, isReached: boolean): string {
  if (cause === undefined) return isReached ? 'no answer after the greeting' : 'no greeting in time'
  const { message = 'closed' } = cause as { message?: string }
  return `${isReached ? 'ended' : 'not made'}: ${message}`
}

const call = <N extends CallName>(
  socket: WireSocket,
  name: N,
  args: Calls[N]['args'],
): Promise<Calls[N]['result']> =>
  new Promise((settle, fail) =>
    socket.emit(name, args, (reply) => {
      const { ok, ...rest } = reply as Reply<Calls[N]['result']>
      if (ok) settle((rest as { value: Calls[N]['result'] }).value)
      else fail(new Error(`${name}: ${(rest as { error?: { code?: string } }).error?.code ?? 'no code'}`))
    }),
  )
