import type { Clock, JsonValue } from '../../protocol/index.ts'
import { BETWEEN_ASKS_MS, MAX_ASKS_AT_ONCE } from './limits.ts'
import { parseSignal } from './signals.ts'
import type { Signal } from './signals.ts'

/** Whether this side has to start or answer something for a signal. */
const asks = (signal: Signal): boolean =>
  !('attempt' in signal) || ('peer' in signal && signal.peer.type === 'offer')

/**
 * Reads the signals of the other side. Of those that make this side connect or negotiate, which costs calls of
 * the service and connections of the browser, it passes a bounded number at once, and then eight a second.
 */
export class SignalReader {
  readonly #clock: Clock
  /** When the next one were due if they came one a second. */
  #dueAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The signal; undefined where it is malformed or one too many. */
  read(data: JsonValue): Signal | undefined {
    const signal = parseSignal(data)
    return signal && asks(signal) && !this.#mayAsk() ? undefined : signal
  }

  #mayAsk(): boolean {
    const nowMs = this.#clock.now()
    const dueAtMs = Math.max(this.#dueAtMs, nowMs - (MAX_ASKS_AT_ONCE - 1) * BETWEEN_ASKS_MS)
    if (dueAtMs > nowMs) return false
    this.#dueAtMs = dueAtMs + BETWEEN_ASKS_MS
    return true
  }
}
