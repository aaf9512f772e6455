import { readFileSync } from 'node:fs'
import { connect, credsAuthenticator, errors, nkeyAuthenticator } from '@nats-io/transport-node'
import type { Authenticator, Msg, NatsConnection } from '@nats-io/transport-node'
import { BUS_LIMITS } from './bus.ts'
import { NoAnswerError } from './carrier.ts'
import type { Carrier, Delivery, NoAnswer } from './carrier.ts'

/** Paths of what a node proves itself with. */
export interface NatsFiles {
  /** The seed of an nkey, or credentials with a JWT and its seed, as the tool `nsc` writes them. */
  readonly credentials?: string
  /** Of this node, PEM. */
  readonly cert?: string
  readonly key?: string
  /** Authorities that are trusted instead of those of the system, PEM. */
  readonly ca?: string
}

/** Where the NATS server or cluster is, and how to sign in there. */
export interface NatsServers {
  /** `host:port` of one or more servers of a cluster. */
  readonly servers: readonly string[]
  /** The connection must be encrypted, and the certificate good for the host's name. */
  readonly tls: boolean
  readonly user: string | null
  readonly password: string | null
  readonly files?: NatsFiles
}

/** The largest message plus room for its envelope; the standard of a server is 1 MiB. */
const LEAST_PAYLOAD = 524_288
const CONNECT_MS = 5_000
/** So much may have left without being known to have: a small part of what may wait. */
const UNCOUNTED_BYTES = BUS_LIMITS.unsentBytes / 32

/** The server's `max_payload` is too small. */
export class SmallPayloadError extends Error {
  constructor(most: number) {
    super(`its max_payload is ${most}, and must be at least ${LEAST_PAYLOAD}`)
  }
}

/**
 * A server that answers nothing is left after 10 to 15 s. A lost connection is made anew without end: what it
 * carries is never needed for good.
 */
const SETTINGS = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  pingInterval: 5_000,
  maxPingOut: 2,
  noAsyncTraces: true,
  timeout: CONNECT_MS,
} as const

/** One connection to a NATS server (core NATS: at most once, nothing is stored). */
export class NatsCarrier implements Carrier {
  readonly #connection: NatsConnection
  readonly #listeners = new Set<(isUp: boolean) => void>()
  #isUp = true
  #unsentBytes = 0
  #isFlushing = false

  private constructor(connection: NatsConnection) {
    this.#connection = connection
    void this.#follow()
  }

  /**
   * @param inbox Prefix of the subjects on which answers arrive.
   * @throws the client's error where no server takes the connection, {@link SmallPayloadError}
   */
  static async open(
    { servers, tls, user, password, files = {} }: NatsServers,
    inbox: string,
  ): Promise<NatsCarrier> {
    const { credentials, cert, key, ca } = files
    const connection = await connect({
      ...SETTINGS,
      servers: [...servers],
      inboxPrefix: inbox,
      ...(tls && {
        tls: {
          ...(cert !== undefined && { certFile: cert }),
          ...(key !== undefined && { keyFile: key }),
          ...(ca !== undefined && { caFile: ca }),
        },
      }),
      ...(credentials !== undefined && { authenticator: signInWith(credentials) }),
      ...(user === null ? {} : { user }),
      ...(password === null ? {} : { pass: password }),
    })
    const most = connection.info?.max_payload ?? 0
    if (most >= LEAST_PAYLOAD) return new NatsCarrier(connection)
    await connection.close()
    throw new SmallPayloadError(most)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  publish(subject: string, bytes: Uint8Array): boolean {
    if (!this.#hasRoom(bytes)) return false
    this.#connection.publish(subject, bytes)
    this.#count(bytes)
    return true
  }

  async request(subject: string, bytes: Uint8Array, limitMs: number): Promise<Uint8Array> {
    if (!this.#hasRoom(bytes)) throw new NoAnswerError(this.#isUp ? 'full' : 'down')
    try {
      const asked = this.#connection.request(subject, bytes, { timeout: limitMs })
      this.#count(bytes)
      return (await asked).data
    } catch (cause) {
      throw new NoAnswerError(whyOf(cause), { cause })
    }
  }

  subscribe(subject: string, take: (delivery: Delivery) => void): void {
    const callback = (fault: Error | null, message: Msg): void => {
      if (!fault) take({ bytes: message.data, answer: answerOf(message) })
    }
    this.#connection.subscribe(subject, { callback })
  }

  onStatus(run: (isUp: boolean) => void): void {
    this.#listeners.add(run)
  }

  async ready(): Promise<void> {
    await this.#connection.flush()
  }

  async close(): Promise<void> {
    this.#isUp = false
    this.#listeners.clear()
    await this.#connection.close()
  }

  #hasRoom(bytes: Uint8Array): boolean {
    return this.#isUp && this.#unsentBytes + bytes.length <= BUS_LIMITS.unsentBytes
  }

  /**
   * The client tells nobody what it still has to send: the answer to a ping says what has left. It is asked
   * for after many messages, not for each: an answer costs both ends as much as a short message.
   */
  #count(bytes: Uint8Array): void {
    this.#unsentBytes += bytes.length
    if (!this.#isFlushing && this.#unsentBytes >= UNCOUNTED_BYTES) void this.#flush()
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true
    while (this.#unsentBytes >= UNCOUNTED_BYTES && this.#isUp) {
      const leaving = this.#unsentBytes
      try {
        await this.#connection.flush()
        this.#unsentBytes = Math.max(0, this.#unsentBytes - leaving)
      } catch {
        break
      }
    }
    this.#isFlushing = false
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#turn(false)
      if (type === 'reconnect') this.#turn(true)
    }
  }

  /** With a connection the client also throws away what it had to send there. */
  #turn(isUp: boolean): void {
    this.#unsentBytes = 0
    this.#isUp = isUp
    for (const run of this.#listeners) run(isUp)
  }
}

const CREDENTIALS = 'BEGIN NATS USER JWT'

/** Read at each sign-in: credentials are renewed while the service runs. */
function signInWith(file: string): Authenticator {
  const read = (): Uint8Array => readFileSync(file)
  if (readFileSync(file, 'utf8').includes(CREDENTIALS)) return credsAuthenticator(read)
  return nkeyAuthenticator(() => Buffer.from(readFileSync(file, 'utf8').trim()))
}

const answerOf = (message: Msg): Delivery['answer'] =>
  message.reply === undefined || message.reply === '' ? null : (bytes) => void message.respond(bytes)

/** A refusal may be wrapped in another error. */
function whyOf(thrown: unknown): NoAnswer {
  const causes = [thrown, thrown instanceof Error ? thrown.cause : undefined]
  if (causes.some((each) => each instanceof errors.NoRespondersError)) return 'unknown'
  return causes.some((each) => each instanceof errors.TimeoutError) ? 'silent' : 'down'
}
