import { MESSAGE_BYTES, RECORD_HEAD, TYPES } from './records.ts'
import type { ChannelRecord, RecordType } from './records.ts'

/** Memory of messages that have not arrived whole, shared by the channels of a contact. */
export class Budget {
  readonly #limit: number
  #used = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  /** False where it is used up. */
  take(bytes: number): boolean {
    this.#used += bytes
    return this.#used <= this.#limit
  }

  give(bytes: number): void {
    this.#used -= bytes
  }
}

/** What a part counts as at least: that is what keeping it costs, however small it is. */
const PART_BYTES = 256
const LARGEST: Readonly<Record<RecordType, number>> = {
  open: 1_024,
  json: MESSAGE_BYTES,
  binary: MESSAGE_BYTES,
  close: 0,
}

/**
 * The other party's stream of a channel: puts its bytes together to records, each once, wherever they come
 * from.
 */
export class InStream {
  readonly #budget: Budget
  readonly #decoder = new TextDecoder()
  #received = 0
  /** The part that is being read: head, topic or data. */
  #parts: Uint8Array[] = []
  #have = 0
  /** What the parts count as. */
  #cost = 0
  #need = RECORD_HEAD
  #head: { readonly type: RecordType; readonly size: number; readonly topicSize: number } | null = null
  #topic: string | null = null
  #isEnded = false

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Bytes read so far. */
  get received(): number {
    return this.#received
  }

  /** A message has begun and not ended. */
  get isInside(): boolean {
    return this.#head !== null || this.#have > 0
  }

  /**
   * Records that are complete with these bytes. What was read before is passed over, and so is what leaves a
   * gap. Null: this is no stream of records, or too much.
   */
  receive(offset: number, bytes: Uint8Array): readonly ChannelRecord[] | null {
    if (this.#isEnded || offset > this.#received || offset + bytes.length <= this.#received) return []
    const records: ChannelRecord[] = []
    const fresh = bytes.subarray(this.#received - offset)
    this.#received += fresh.length
    for (let at = 0; at < fresh.length;) {
      const part = fresh.subarray(at, at + this.#need - this.#have)
      at += part.length
      if (!this.#collect(part)) return null
      while (this.#have === this.#need) {
        const step = this.#step()
        if (step === null) return null
        if (step !== 'more') records.push(step)
      }
    }
    return records
  }

  /** Nothing more comes, or counts. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Ends it, and gives back its memory. */
  end(): void {
    this.#isEnded = true
    this.#take()
  }

  #collect(part: Uint8Array): boolean {
    const cost = Math.max(part.length, PART_BYTES)
    this.#have += part.length
    this.#cost += cost
    // What stays for a while must not keep a frame that is much larger.
    this.#parts.push(
      this.#have < this.#need && part.length * 2 < part.buffer.byteLength ? part.slice() : part,
    )
    return this.#budget.take(cost)
  }

  #take(): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(this.#have)
    let at = 0
    for (const part of this.#parts) {
      whole.set(part, at)
      at += part.length
    }
    this.#budget.give(this.#cost)
    this.#parts = []
    this.#have = this.#cost = 0
    return whole
  }

  /** A part is complete: what it says, and what comes next. Null: it is malformed. */
  #step(): ChannelRecord | 'more' | null {
    const part = this.#take()
    if (this.#head === null) return this.#readHead(part)
    if (this.#topic === null) {
      this.#topic = this.#decoder.decode(part)
      this.#need = this.#head.size
      return 'more'
    }
    const record = { type: this.#head.type, topic: this.#topic, data: part }
    this.#head = this.#topic = null
    this.#need = RECORD_HEAD
    return record
  }

  #readHead(part: Uint8Array): 'more' | null {
    const view = new DataView(part.buffer)
    const type = TYPES[view.getUint8(4)]
    const size = view.getUint32(0)
    if (!type || size > LARGEST[type]) return null
    this.#head = { type, size, topicSize: view.getUint8(5) }
    this.#need = this.#head.topicSize
    return 'more'
  }
}
