import { ContactError, LIMITS } from '../../protocol/index.ts'
import type { Clock, JsonValue, RpcFrame } from '../../protocol/index.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { Relay } from '../relay/relay.ts'
import { plainJson } from '../values/plain-json.ts'
import type { SeenIds } from './seen-ids.ts'

type Request = Extract<RpcFrame, { type: 'request' }>
type Answer = Extract<RpcFrame, { type: 'result' | 'failure' | 'refused' }>

/** Procedures that may run at the same time. */
const AT_ONCE = 256
/** One that has run for so long gives its place to another where there are too many, milliseconds. */
const LONG_MS = 60_000
/** Answers that are kept for a repetition of their request. */
const REMEMBERED = 128
/** Answers have room on the relay where requests have none any more. */
const WINDOW = 2_048
const OPERATION = 'answer the request'

/** What the procedures need of their contact. */
export interface ProceduresOptions {
  readonly clock: Clock
  readonly relay: Pick<Relay, 'trySend'>
  readonly delivery: Pick<Delivery, 'emitNamed'>
}

/** The requests that this party answers, each procedure run once, however often its request comes. */
export class Procedures {
  readonly #options: ProceduresOptions
  readonly #seen: SeenIds
  /** Since when each runs. */
  #running = new Map<string, number>()
  #answers = new Map<string, Answer>()

  constructor(options: ProceduresOptions, seen: SeenIds) {
    this.#options = options
    this.#seen = seen
  }

  receive({ id, action, data }: Request): void {
    const running = this.#running.has(id)
    if (!running && !this.#answers.has(id)) return this.#begin({ id, action, data })
    this.#send(this.#answers.get(id) ?? { type: 'received', id })
  }

  /** Whoever asked is gone, and so is what was to be said to them. */
  forget(): void {
    this.#running = new Map()
    this.#answers = new Map()
  }

  #begin({
    id,
    action,
    data,
  }: {
    readonly id: string
    readonly action: string
    readonly data: JsonValue | undefined
  }): void {
    if (this.#seen.has(id)) return this.#send({ type: 'refused', id, code: 'peer_left' })
    if (!this.#hasRoom()) return this.#send({ type: 'refused', id, code: 'rate_limited' })
    this.#seen.add(id)
    const running = this.#running.set(id, this.#options.clock.now())
    const answer = (made: () => Answer): void => {
      if (running === this.#running && running.delete(id)) this.#remember(made())
    }
    this.#options.delivery.emitNamed(action, data, {
      reply: (error, result) => answer(() => (error ? failureOf(id, error) : resultOf(id, result))),
      after: (heard) => heard || answer(() => ({ type: 'refused', id, code: 'not_supported' })),
    })
    if (running.has(id)) this.#send({ type: 'received', id })
  }

  /** Whoever asked for what has run the longest may have stopped waiting long ago. */
  #hasRoom(): boolean {
    if (this.#running.size < AT_ONCE) return true
    const [[id, since] = ['', 0]] = this.#running
    if (this.#options.clock.now() - since < LONG_MS) return false
    this.#running.delete(id)
    this.#remember({ type: 'refused', id, code: 'rate_limited' })
    return true
  }

  #remember(answer: Answer): void {
    this.#answers.set(answer.id, answer)
    for (const id of [...this.#answers.keys()].slice(0, -REMEMBERED)) this.#answers.delete(id)
    this.#send(answer)
  }

  #send(frame: RpcFrame): void {
    this.#options.relay.trySend('rpc', frame, WINDOW)
  }
}

function resultOf(id: string, result: unknown): Answer {
  if (result === undefined) return { type: 'result', id }
  return checked(id, () => ({
    type: 'result',
    id,
    result: plainJson(OPERATION, result, { name: 'result', bytes: LIMITS.rpcBytes }),
  }))
}

/**
 * A failure keeps its shape: a value of JSON stays what it is, an `Error` keeps its name, its message and
 * what else it carries.
 */
function failureOf(id: string, error: unknown): Answer {
  return checked(id, () => {
    const isError = error instanceof Error
    const shape = isError
      ? {
          ...Object.fromEntries(Object.entries(error)),
          name: error.name,
          message: error.message,
          stack: undefined,
          cause: undefined,
        }
      : error
    return {
      type: 'failure',
      id,
      isError,
      error: plainJson(OPERATION, shape, { name: 'error', bytes: LIMITS.rpcBytes }),
    }
  })
}

function checked(id: string, make: () => Answer): Answer {
  try {
    return make()
  } catch (thrown) {
    return {
      type: 'refused',
      id,
      code: thrown instanceof ContactError && thrown.code === 'too_large' ? 'too_large' : 'invalid_argument',
    }
  }
}
