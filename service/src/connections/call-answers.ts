import { ContactError, isCallName, parseCall } from '../../../protocol/index.ts'
import type { CallName, ErrorCode, Reply } from '../../../protocol/index.ts'
import { auditCall } from '../audit.ts'
import type { Audit } from '../audit.ts'
import { ReplacedError } from '../contacts/index.ts'
import type { Metrics } from '../http/metrics.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Say } from '../report.ts'
import { storeError } from '../store/database.ts'
import type { Caller } from './caller.ts'
import { checkRole } from './calls.ts'
import type { Handlers } from './handlers.ts'
import { wireError } from './wire-error.ts'

export interface CallAnswersParts {
  readonly handlers: Handlers
  readonly limits: RateLimits
  readonly metrics: Metrics
  readonly audit: Audit
  readonly debug: Say
  readonly onFault: (thrown: unknown) => void
}

/** Errors that a correct client does not cause repeatedly. */
const ABUSE: ReadonlySet<ErrorCode> = new Set([
  'invalid_argument',
  'too_large',
  'forbidden',
  'not_found',
  'rate_limited',
])

type Answer = (reply: Reply<unknown>) => void

/** Answers calls: validates them, runs their handlers, counts and audits them. */
export class CallAnswers {
  readonly #parts: CallAnswersParts
  /** Another process has taken the database: every call is refused from now on. */
  #disowned = false
  /** Number of events that the protocol does not define. */
  ignored = 0

  constructor(parts: CallAnswersParts) {
    this.#parts = parts
  }

  /** Refuses every open call, because another process has taken the database. */
  disown(): void {
    this.#disowned = true
  }

  /**
   * Handles an event of a connection. An event that is no call of the protocol is ignored, and counts as
   * refused.
   */
  hear(caller: Caller, name: string, args: readonly unknown[]): void {
    const [body, answer] = args
    if (args.length !== 2 || typeof answer !== 'function' || !isCallName(name)) {
      this.ignored += 1
      this.#parts.debug('an unknown event is ignored', { connection: caller.id })
      return this.#refused(caller)
    }
    caller.answers(this.#answer(caller, { name, body, answer: answer as Answer }))
  }

  async #answer(
    caller: Caller,
    { name, body, answer }: { name: CallName; body: unknown; answer: Answer },
  ): Promise<void> {
    try {
      await caller.ready
      this.#checkOwned()
      checkRole(name, caller)
      const { value, afterReply } = await this.#carryOut(caller, name, body)
      this.#checkOwned()
      answer({ ok: true, value })
      this.#note(caller, { name, body, result: 'ok' })
      afterReply?.()
    } catch (thrown) {
      const error = storeError(thrown)
      if (error.code === 'internal') this.#parts.onFault(thrown)
      answer({ ok: false, error: wireError(error) })
      this.#note(caller, { name, body, result: error.code })
      this.#parts.debug('a call is refused', { connection: caller.id, call: name, code: error.code })
      if (ABUSE.has(error.code)) this.#refused(caller)
      if (thrown instanceof ReplacedError) this.#superseded(caller, thrown)
    }
  }

  #checkOwned(): void {
    if (this.#disowned)
      throw new ContactError('offline', 'unable to carry out the call; another process serves the contacts')
  }

  #note(
    { principal }: Caller,
    call: { readonly name: CallName; readonly body: unknown; readonly result: string },
  ): void {
    this.#parts.metrics.add('duolog_calls_total', `call="${call.name}",outcome="${call.result}"`)
    auditCall(this.#parts.audit, principal, call)
  }

  /** The page has another connection, and speaks on this one no more. */
  #superseded({ sink }: Caller, { what }: ReplacedError): void {
    this.#parts.metrics.add('duolog_replaced_total', `what="${what}"`)
    sink.close()
  }

  #refused({ principal, sink }: Caller): void {
    if (this.#parts.limits.isAbuse(principal.id)) sink.close()
  }

  #carryOut<N extends CallName>(caller: Caller, name: N, body: unknown): ReturnType<Handlers[N]> {
    const handler: Handlers[N] = this.#parts.handlers[name]
    const args = parseCall(name, body)
    this.#parts.limits.count(caller.principal, name, args)
    return handler(caller, args) as ReturnType<Handlers[N]>
  }
}
