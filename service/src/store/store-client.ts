import type { Duplex } from 'node:stream'
import pg from 'pg'
import { codeOf, messageOf } from '../start-error.ts'
import { nameOf } from './kept-statement.ts'

export interface StoreClientConfig extends pg.ClientConfig {
  /** Hears of answers that are malformed. */
  readonly onFault?: (thrown: unknown) => void
}

/** What is used of the connection of a client. */
interface Connection {
  stream: Duplex
  attachListeners(stream: Duplex): void
  prependListener(event: 'errorMessage', listener: (message: object) => void): void
}

/** The server has become a standby: the primary is elsewhere. */
const READ_ONLY = '25006'
const NO_ANSWER = 'Query read timeout'

/**
 * A connection to the store that says whether it can be used again. An answer that is malformed ends it, and its
 * statements fail: what the parser of `pg` throws would end the process otherwise. It keeps statements that say so.
 */
export class StoreClient extends pg.Client {
  /** The server has become a standby, or still owes an answer, or gave one that is malformed. */
  isSpent = false
  readonly #onFault: (thrown: unknown) => void

  constructor(config: StoreClientConfig) {
    super(config)
    this.#onFault = config.onFault ?? (() => {})
    const { connection } = this as unknown as { connection: Connection }
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      attach(stream)
      this.#contain(stream)
    }
    connection.prependListener('errorMessage', (message) => {
      // PostgreSQL 18, 54.8: each of its errors has a code. This one is of the parser, for an unknown message.
      if (codeOf(message) === '') this.#give(connection.stream, message)
    })
  }

  /** The client makes a connection secure after it has begun, so that this may be called twice. */
  #contain(stream: Duplex): void {
    for (const parse of stream.listeners('data') as ((bytes: Buffer) => void)[]) {
      stream.off('data', parse)
      stream.on('data', (bytes: Buffer) => {
        try {
          parse(bytes)
        } catch (cause) {
          this.#give(stream, cause)
        }
      })
    }
  }

  /** Gives the connection up. */
  #give(stream: Duplex, cause: unknown): void {
    const malformed = new Error('unable to read the answer of the store; it is malformed', { cause })
    Object.assign(malformed, { code: 'EPROTO' })
    this.isSpent = true
    stream.destroy(malformed)
    this.#onFault(malformed)
  }
}

const { prototype } = pg.Client as { prototype: { query: (...args: unknown[]) => unknown } }
Object.assign(StoreClient.prototype, {
  query(this: StoreClient, ...args: unknown[]): unknown {
    const asked = prototype.query.apply(this, kept(args))
    if (asked instanceof Promise)
      asked.catch((thrown: unknown) => {
        if (codeOf(thrown) === READ_ONLY || messageOf(thrown) === NO_ANSWER) this.isSpent = true
      })
    return asked
  },
})

function kept(args: readonly unknown[]): unknown[] {
  const [text, values] = args
  const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : null
  return name === null ? [...args] : [{ name, text, values }]
}
