import { createActor } from 'xstate'
import { requestMachine } from '../../machines/request/index.ts'
import type { RequestActor, RequestEvent, RequestOutcome } from '../../machines/request/index.ts'
import { ContactError, LIMITS, isName, toContactError } from '../../protocol/index.ts'
import type { Clock, ErrorCode, JsonValue, RpcFrame } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import type { Membership } from '../contact/membership.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { Relay } from '../relay/relay.ts'
import { actorOptions } from '../client/clock.ts'
import { plainJson } from '../values/plain-json.ts'
import { randomName } from '../values/random-id.ts'
import { requireText } from '../values/arguments.ts'

/** What an application gives to `request`. */
export interface Asked {
  readonly type: unknown
  readonly data: unknown
  readonly timeout: unknown
  readonly retries: unknown
}

const OPERATION = 'make the request'
const LONGEST_TIMEOUT_MS = 2_147_483_647
const MOST_RETRIES = 100

const WORDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  timeout: 'there was no answer in time',
  not_supported: 'the other side has no handler for it',
  too_large: 'its result is too large',
  invalid_argument: 'its result cannot be written as JSON',
  rate_limited: 'too much waits already',
  peer_left: 'the other party is not there; the procedure may have run',
  left: 'the contact is over for this page',
}

/** What the requests need of their contact. */
export interface RequestsOptions {
  readonly clock: Clock
  readonly inspect?: Inspect | undefined
  readonly link: Pick<ServiceLink, 'refusal'>
  readonly membership: Pick<Membership, 'requireInside'>
  readonly relay: Pick<Relay, 'send'>
}

/** The requests that this party has made and that wait. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #waiting = new Map<string, RequestActor>()

  constructor(options: RequestsOptions) {
    this.#options = options
  }

  /** @throws {@link ContactError} or the failure that the procedure gave. */
  async make(asked: Asked): Promise<JsonValue | undefined> {
    const { action, data, ...input } = checked(asked)
    const { membership, link } = this.#options
    membership.requireInside(OPERATION)
    if (link.refusal) throw link.refusal
    const id = randomName()
    const request = createActor(requestMachine, {
      id: `request ${id}`,
      input,
      ...actorOptions(this.#options),
    })
    this.#waiting.set(id, request)
    request.on('request.ask', () =>
      this.#ask({ type: 'request', id, action, ...(data !== undefined && { data }) }),
    )
    const outcome = new Promise<RequestOutcome>((resolve) => {
      request.on('request.settled', (settled) => {
        this.#waiting.delete(id)
        resolve(settled.outcome)
      })
    })
    request.start()
    return concluded(await outcome)
  }

  /** A frame that answers a request. One whose request is over does nothing. */
  receive(frame: Exclude<RpcFrame, { type: 'request' }>): void {
    const request = this.#waiting.get(frame.id)
    if (frame.type === 'received') request?.send({ type: 'remote.received' })
    else if (frame.type === 'refused') request?.send({ type: 'request.refused', code: frame.code })
    else if (frame.type === 'result')
      request?.send({ type: 'remote.answered', answer: { ok: true, result: frame.result } })
    else
      request?.send({
        type: 'remote.answered',
        answer: { ok: false, error: frame.error, isError: frame.isError },
      })
  }

  /** Tells every request that waits. */
  tell(event: RequestEvent): void {
    for (const request of [...this.#waiting.values()])
      if (request.getSnapshot().status === 'active') request.send(event)
  }

  #ask(frame: Extract<RpcFrame, { type: 'request' }>): void {
    try {
      this.#options.relay.send('rpc', frame)
    } catch (thrown) {
      const { code } = toContactError(thrown, 'internal', 'unable to send')
      this.#waiting.get(frame.id)?.send({ type: 'request.refused', code })
    }
  }
}

function checked({ type, data, timeout, retries }: Asked) {
  const bad = (reason: string): never => {
    throw new ContactError('invalid_argument', `unable to ${OPERATION}; ${reason}`)
  }
  requireText(OPERATION, type, { name: 'type' })
  if (!isName(type)) bad('type must be 1 to 128 letters, digits or ._:-')
  const hasTimeout = timeout !== undefined && timeout !== null
  const hasRetries = retries !== undefined && retries !== null
  if (hasTimeout && !(typeof timeout === 'number' && timeout > 0 && timeout <= LONGEST_TIMEOUT_MS))
    bad(`timeout must be up to ${LONGEST_TIMEOUT_MS} ms`)
  if (
    hasRetries &&
    !(Number.isInteger(retries) && (retries as number) >= 0 && (retries as number) <= MOST_RETRIES)
  )
    bad(`retries must be up to ${MOST_RETRIES}`)
  if (hasRetries && !hasTimeout) bad('retries need a timeout')
  const copy =
    data === undefined ? undefined : plainJson(OPERATION, data, { name: 'data', bytes: LIMITS.rpcBytes })
  return {
    action: type,
    data: copy,
    timeoutMs: hasTimeout ? (timeout as number) : null,
    retries: hasRetries ? (retries as number) : 0,
  }
}

function concluded(outcome: RequestOutcome): JsonValue | undefined {
  if (outcome.ok) return outcome.result
  if ('code' in outcome) throw failure(outcome.code)
  // oxlint-disable-next-line typescript/only-throw-error -- the contract wants the failure that the procedure gave
  throw outcome.isError ? errorOf(outcome.error) : outcome.error
}

const failure = (code: ErrorCode): ContactError =>
  new ContactError(code, `unable to ${OPERATION}; ${WORDS[code] ?? 'it failed'}`)

/** An error of the other side, with the members that it had there. */
function errorOf(error: JsonValue): Error {
  const { name, message, stack: _theirs, ...rest } = error as Readonly<Record<string, JsonValue>>
  const result = Object.assign(new Error(typeof message === 'string' ? message : ''), rest)
  if (typeof name === 'string') result.name = name
  return result
}
