import type { EngineHost } from '../engines/index.ts'
import { ContactError } from '../protocol/index.ts'
import type { JsonValue } from '../protocol/index.ts'

const CONNECT_LIMIT_MS = 15_000
const HANG_UP_GRACE_MS = 5_000

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: ContactError) => void
}

const failed = (reason: string): ContactError =>
  new ContactError('engine_failed', `unable to connect; ${reason}`)

/** A connection of greetings: it is there when both sides want it. */
export class FakeLink {
  readonly #host: EngineHost
  readonly #onLost: (error: ContactError) => void
  #isWanted = false
  #isHeard = false
  #isUp = false
  #grace: unknown
  readonly #waiters = new Set<Waiter>()

  constructor(host: EngineHost, onLost: (error: ContactError) => void) {
    this.#host = host
    this.#onLost = onLost
  }

  get isOpen(): boolean {
    return this.#isWanted
  }

  async open(signal: AbortSignal): Promise<void> {
    const { clock } = this.#host
    clock.clearTimeout(this.#grace)
    const wasWanted = this.#isWanted
    this.#isWanted = true
    if (this.#isUp) return
    this.#isUp = this.#isHeard
    if (!wasWanted || this.#isUp) this.#host.signal({ fake: 'hello' })
    if (this.#isUp) return
    let timer: unknown
    let waiter: Waiter | undefined
    const abort = (): void =>
      waiter?.reject(new ContactError('left', 'unable to connect; it is no longer wanted'))
    try {
      await new Promise<void>((resolve, reject) => {
        waiter = { resolve, reject }
        this.#waiters.add(waiter)
        timer = clock.setTimeout(
          () => reject(failed(`the other side did not answer within ${CONNECT_LIMIT_MS} ms`)),
          CONNECT_LIMIT_MS,
        )
        signal.addEventListener('abort', abort)
        if (signal.aborted) abort()
      })
    } finally {
      clock.clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      if (waiter) this.#waiters.delete(waiter)
    }
  }

  close(): void {
    this.#host.clock.clearTimeout(this.#grace)
    if (!this.#isWanted) return
    this.#isWanted = false
    this.#isUp = false
    this.#isHeard = false
    this.#host.signal({ fake: 'bye' })
  }

  receive(data: JsonValue): void {
    const word = typeof data === 'object' && data !== null && 'fake' in data ? data.fake : undefined
    if (word === 'hello') this.#hear()
    if (word === 'bye') this.#lose()
  }

  #hear(): void {
    this.#isHeard = true
    if (!this.#isWanted || this.#isUp) return
    this.#isUp = true
    this.#host.clock.clearTimeout(this.#grace)
    this.#host.signal({ fake: 'hello' })
    for (const { resolve } of this.#waiters) resolve()
  }

  /** The other side may hang up a little before this side reads that the call is over. */
  #lose(): void {
    const wasUp = this.#isUp
    this.#isHeard = false
    this.#isUp = false
    if (wasUp && this.#waiters.size === 0)
      this.#grace = this.#host.clock.setTimeout(
        () => this.#onLost(failed('the other side closed the connection')),
        HANG_UP_GRACE_MS,
      )
  }
}
