import { RateLimit } from '../../protocol/index.ts'
import type { Clock, JsonValue } from '../../protocol/index.ts'
import { REMOTE_ASKS, REMOTE_NOTICES } from './limits.ts'
import { isNotice, parseSignal } from './signals.ts'
import type { Signal } from './signals.ts'

/** Whether this side has to start or answer something for a signal. */
const asks = (signal: Signal): boolean =>
  !('attempt' in signal) || ('peer' in signal && signal.peer.type === 'offer')

/**
 * Reads the signals of the other side. Of those that make this side connect or negotiate, which costs calls of
 * the service and connections of the browser, it passes a bounded number at once, and then eight a second; so of
 * those that tell of hold and mute, which applications are told.
 */
export class SignalReader {
  readonly #clock: Clock
  readonly #asks = new RateLimit(REMOTE_ASKS)
  readonly #notices = new RateLimit(REMOTE_NOTICES)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The signal; undefined where it is malformed or one too many. */
  read(data: JsonValue): Signal | undefined {
    const signal = parseSignal(data)
    if (!signal) return undefined
    const limit = asks(signal) ? this.#asks : isNotice(signal) ? this.#notices : undefined
    const nowMs = this.#clock.now()
    if (limit?.allows(nowMs) === false) return undefined
    limit?.count(nowMs)
    return signal
  }
}
