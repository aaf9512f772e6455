import { RateLimit } from '../../protocol/index.ts'
import type { Clock, JsonValue } from '../../protocol/index.ts'
import { REMOTE_ASKS } from './limits.ts'
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
  readonly #limit = new RateLimit(REMOTE_ASKS)

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
    if (!this.#limit.allows(nowMs)) return false
    this.#limit.count(nowMs)
    return true
  }
}
