import { createActor, fromCallback, fromPromise } from 'xstate'
import { linkMachine } from '../../machines/eager.ts'
import type { LinkEvent } from '../../machines/eager.ts'
import { ContactError } from '../../protocol/index.ts'
import type { CallName, Calls, Clock, Connection, ErrorCode, Push, Transport } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import { contain } from '../async/contain.ts'
import { actorOptions } from '../client/clock.ts'
import { checkContact } from './asked-contact.ts'
import { CallLimits } from './call-limits.ts'
import { LargeMessage } from './large-message.ts'
import { Resumer } from './resumer.ts'
import { listen } from './listeners.ts'

/** What the application sees of the connection. */
export type LinkState = 'connecting' | 'online' | 'offline'

export interface ServiceLinkOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: () => number
  readonly inspect?: Inspect | undefined
}

/** After these the connection of a page that wakes is made anew, whoever has said so. */
const DOUBTFUL: ReadonlySet<ErrorCode> = new Set(['offline', 'timeout'])
const FINAL: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'protocol', 'forbidden'])

/** The one connection of a page: kept up by the link machine, shared by its contacts. */
export class ServiceLink {
  readonly #pushes = new Set<(push: Push) => void>()
  readonly #states = new Set<(state: LinkState, error: ContactError | null) => void>()
  readonly #pages = new Set<(isHere: boolean) => void>()
  readonly #resumers = new Set<Resumer>()
  /** Calls that wait until the page is at another node. */
  #waiting: (() => void)[] = []
  readonly #actor
  readonly clock: Clock
  #connection: Connection | null = null
  /** When something arrived on it last. */
  #heardAt = 0
  readonly #limits = new CallLimits(this, () => this.#answered())
  readonly #large

  constructor({ transport, clock, random, inspect }: ServiceLinkOptions) {
    this.clock = clock
    this.#large = new LargeMessage(clock, () => this.#heard())
    const connection = fromCallback<LinkEvent>(({ sendBack }) => this.#connect(transport, random, sendBack))
    const resume = fromPromise<void>(async () => {
      await Promise.all([...this.#resumers].map((resumer) => resumer.run()))
    })
    const check = fromPromise<void>(async () => {
      await this.callHere('ice.servers', {}).catch((thrown: unknown) => {
        if (thrown instanceof ContactError && DOUBTFUL.has(thrown.code)) throw thrown
      })
    })
    this.#actor = createActor(
      linkMachine.provide({ actors: { connection, resume, check } }),
      actorOptions({ clock, inspect }),
    )
    let last: LinkState | null = null
    this.#actor.subscribe(({ context }) => {
      if (!context.isMoving) for (const go of this.#waiting.splice(0)) go()
      if (this.state === last) return
      last = this.state
      const [now, error] = [last, this.#error()]
      for (const handler of this.#states) contain(() => handler(now, error))
    })
    this.#actor.start()
  }

  /** Opens a connection. Returns what closes it. */
  #connect(transport: Transport, random: () => number, tell: (event: LinkEvent) => void): () => void {
    const live = transport.connect((event) => {
      if (event.type === 'up') tell({ type: 'link.up' })
      if (event.type === 'push') {
        this.#heard()
        this.#large.came()
        if (event.push.name === 'link.coming') this.#large.coming(event.push.body.bytes)
        for (const handler of this.#pushes) contain(() => handler(event.push))
        if (event.push.name === 'link.drain') {
          tell({ type: 'link.drain' })
          this.#answered()
        }
      }
      if (event.type === 'down')
        tell({
          type: 'link.down',
          code: event.error.code,
          final: FINAL.has(event.error.code),
          jitter: random(),
          retryAfterMs: event.error.retryAfterMs,
        })
    })
    this.#connection = live
    return () => {
      if (this.#connection === live) this.#connection = null
      live.close()
      this.#large.came()
      for (const resumer of this.#resumers) resumer.rest()
      this.#limits.end(new ContactError('offline', 'unable to make the call; the connection was lost'))
    }
  }

  get state(): LinkState {
    const snapshot = this.#actor.getSnapshot()
    if ((['online', 'checking', 'draining'] as const).some((connected) => snapshot.matches({ connected })))
      return 'online'
    return snapshot.matches('connected') ? 'connecting' : 'offline'
  }

  /** The service has sent the page to another node, where it is not online yet. */
  get #isMoving(): boolean {
    return this.#actor.getSnapshot().context.isMoving
  }

  /** Milliseconds since something arrived. */
  get silentMs(): number {
    return this.clock.now() - this.#heardAt
  }

  /** Whether a call reaches the service: without it, what the call fails with is not the service's word. */
  get isConnected(): boolean {
    return this.#connection !== null
  }

  /**
   * Whether what a call failed with says something of the connection, which is then made anew. The same codes
   * as an answer of the service concern what was asked.
   */
  isLost = (thrown: unknown): boolean =>
    !this.isConnected ||
    (thrown instanceof ContactError && (thrown.code === 'unauthorized' || this.#limits.wasSilent(thrown)))

  /**
   * Why the service refuses this party or this version: nothing is tried until the page is shown again, or it
   * is started. Null where it does not.
   */
  get refusal(): ContactError | null {
    return this.#actor.getSnapshot().matches('refused') ? this.#error() : null
  }

  start = (): void => this.#tell('link.start')

  /**
   * The network is back, or the page is shown again: tries at once instead of waiting, or sees whether the
   * connection still lives.
   */
  wake = (): void => {
    for (const handler of this.#pages) contain(() => handler(true))
    this.#tell('link.wake')
  }

  /** The page goes, for good or until it is woken: the service hears of it at once. */
  hide = (): void => {
    for (const handler of this.#pages) contain(() => handler(false))
    this.#tell('link.hide')
  }

  close = (): void => this.#tell('link.close')

  /** What is closed hears nothing any more. */
  #tell(type: 'link.start' | 'link.wake' | 'link.hide' | 'link.close'): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send({ type })
  }

  /**
   * A call of the application: while the page goes to another node of the service, it is made there.
   * @throws {@link ContactError} `offline` — there is no connection; `timeout` — nothing is answered; `protocol`
   *   — the answer is the record of another contact than was asked for; any code of the service.
   */
  call<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    return this.moved()?.then(() => this.callHere(name, args)) ?? this.callHere(name, args)
  }

  /** Null, or resolves when the page is not on its way to another node any more. */
  moved(): Promise<void> | null {
    if (!this.#isMoving) return null
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /**
   * A call that is made anew on each connection: where the page is about to leave this one, it fails with it.
   * @throws {@link ContactError} as `call`
   */
  callHere<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    if (this.#actor.getSnapshot().matches({ connected: 'draining' })) return this.#limits.held()
    if (this.#connection)
      return this.#limits.within(name, this.#checked(name, args, this.#connection.call(name, args)))
    return Promise.reject(
      this.#error() ?? new ContactError('offline', `unable to call ${name}; there is no connection`),
    )
  }

  /** An answer as it is, but for the record of another contact. */
  async #checked<T>(name: CallName, args: object, answer: Promise<T>): Promise<T> {
    const connection = this.#connection
    const result = await answer
    if (connection === this.#connection) {
      this.#heard()
      this.#large.came()
    }
    checkContact(name, args, result)
    return result
  }

  /** The page leaves a node that stops once that has answered all. */
  #answered(): void {
    if (this.#limits.isIdle && this.#actor.getSnapshot().matches({ connected: 'draining' }))
      this.#actor.send({ type: 'link.answered' })
  }

  /** Something has arrived that the service has made: that it pings is not enough. */
  #heard(): void {
    this.#heardAt = this.clock.now()
    const snapshot = this.#actor.getSnapshot()
    if (snapshot.matches({ connected: 'resuming' }) || snapshot.matches({ connected: 'checking' }))
      this.#actor.send({ type: 'link.heard' })
  }

  onPush = (handler: (push: Push) => void): (() => void) => listen(this.#pushes, handler)

  onState = (handler: (state: LinkState, error: ContactError | null) => void): (() => void) =>
    listen(this.#states, handler)

  /** Hears that the page goes, before the connection is closed, and that it is here again. */
  onPage = (handler: (isHere: boolean) => void): (() => void) => listen(this.#pages, handler)

  /**
   * `resume` runs on every connection before it counts as online, and again where it fails, which `onFailed`
   * hears; `ask` has it run without waiting for the next connection.
   */
  onResume = (
    resume: () => Promise<void>,
    onFailed: (thrown: unknown) => void,
  ): { readonly ask: Resumer['ask']; readonly stop: () => void } => {
    const resumer = new Resumer({
      clock: this.clock,
      isConnected: () => this.isConnected,
      isLost: this.isLost,
      resume,
      onFailed,
    })
    const forget = listen(this.#resumers, resumer)
    const stop = (): void => {
      forget()
      resumer.stop()
    }
    return { ask: resumer.ask, stop }
  }

  /** Resolves when online. @throws {@link ContactError} `unauthorized`, `protocol`, `offline` */
  async online(): Promise<void> {
    if (this.state === 'online') return
    if (this.#actor.getSnapshot().matches('closed')) throw closed()
    await new Promise<void>((resolve, reject) => {
      const stop = this.onState((state, error) => {
        if (state === 'connecting' || (state === 'offline' && this.#isMoving)) return
        stop()
        if (state === 'online') resolve()
        else
          reject(error ?? new ContactError('offline', 'unable to reach the service; there is no connection'))
      })
      this.start()
    })
  }

  #error(): ContactError | null {
    const snapshot = this.#actor.getSnapshot()
    const { code } = snapshot.context
    if (snapshot.matches('closed')) return closed()
    if (code === null || this.state === 'online') return null
    return new ContactError(
      code,
      `unable to reach the service; ${code === 'unauthorized' ? 'it does not accept the token' : code === 'protocol' ? 'it speaks another version of the protocol' : 'the connection failed'}`,
    )
  }
}

const closed = (): ContactError =>
  new ContactError('left', 'unable to reach the service; this client is closed')
