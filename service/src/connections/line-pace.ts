/** Bytes that may be on their way to a page: at first, at least and at most. */
const FIRST = 16_384
const LEAST = 8_192
const MOST = 131_072
/** A line that carries half of that sooner may have twice as much; one that takes longer has half. */
const QUICK_MS = 1_000
const SLOW_MS = 2_500

/** Something that the page answers in order, and how much was written before it. */
interface Probe {
  readonly written: number
  readonly at: number
  /** Enough was written since the one before it to say how fast the line is. */
  readonly isMeasure: boolean
}

/**
 * How much may be on its way to a page: what its line carries within seconds, so that its answers to pings, and
 * ours to its calls, are not late. What the kernel has taken says nothing of that: its buffers hold more than a
 * line of 32 kbit/s carries in half a minute. The pings of Engine.IO tell, which every client answers.
 */
export class LinePace {
  readonly #now: () => number
  readonly #probes: Probe[] = []
  #window = FIRST
  #written = 0
  #asked = 0
  #arrived = 0

  /** `now`: monotonic, milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Bytes that may be on their way. */
  get window(): number {
    return this.#window
  }

  /** Bytes that were written and have not arrived. */
  get inTransit(): number {
    return this.#written - this.#arrived
  }

  get isFull(): boolean {
    return this.inTransit >= this.#window
  }

  /** Whether so much was written since the last ping that another one is due. */
  get mustAsk(): boolean {
    return this.#written - this.#asked >= this.#window / 2
  }

  wrote(bytes: number): void {
    this.#written += bytes
  }

  /** A ping was written. */
  asked(): void {
    this.#probes.push({ written: this.#written, at: this.#now(), isMeasure: this.mustAsk })
    this.#asked = this.#written
  }

  /** The page has answered the oldest ping: what was written before it has arrived. */
  answered(): void {
    const probe = this.#probes.shift()
    if (!probe) return
    this.#arrived = probe.written
    if (!probe.isMeasure) return
    const tookMs = this.#now() - probe.at
    if (tookMs < QUICK_MS) this.#window = Math.min(MOST, this.#window * 2)
    else if (tookMs > SLOW_MS) this.#window = Math.max(LEAST, this.#window / 2)
  }
}
