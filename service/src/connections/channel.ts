import type { Entry, LaneFrame, PushName, Pushes, Slot } from '../../../protocol/index.ts'
import type { Page } from '../log/read-log.ts'

/** The way to one connection. */
export interface Outlet {
  push<P extends PushName>(name: P, body: Pushes[P]): void
  /** Whether more should wait until what is on its way has gone. */
  isFull(): boolean
  /** Resolves when there is room again, or the connection is gone. */
  drained(): Promise<void>
  isOpen(): boolean
  /** Ends the connection. */
  close(): void
}

/** Reads entries of the channel's contact. */
export type ReadEntries = (page: Page) => Promise<readonly Entry[]>

interface ChannelParts {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly nick: string | null
  readonly outlet: Outlet
  readonly cursor: number
  readonly read: ReadEntries
  /** Entries as this party is sent them. */
  readonly view: (entries: readonly Entry[]) => readonly Entry[]
  readonly onFault: (thrown: unknown) => void
}

const PAGE = 256
const BATCH_BYTES = 192 * 1024
/** More entries than this are cut into pushes of a bounded size. */
const AT_ONCE = 16
const PARKED_LIMIT = 512

interface ParkedFrame {
  readonly after: number
  readonly from: string
  readonly frame: LaneFrame
}

/** One session's view of a contact's log: entries leave in order and without gaps, whatever the speed of its connection. */
export class Channel {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly nick: string | null
  readonly outlet: Outlet
  readonly #read: ReadEntries
  readonly #view: ChannelParts['view']
  readonly #onFault: (thrown: unknown) => void
  readonly #parked: ParkedFrame[] = []
  #waiting: { readonly seq: number; readonly settle: () => void }[] = []
  #cursor: number
  /** Highest entry known to exist. */
  #head: number
  #pumping = false
  #started = false
  #draining = false
  #closed = false
  #replaced = false

  constructor(parts: ChannelParts) {
    this.contact = parts.contact
    this.session = parts.session
    this.slot = parts.slot
    this.principal = parts.principal
    this.nick = parts.nick
    this.outlet = parts.outlet
    this.#read = parts.read
    this.#view = parts.view
    this.#onFault = parts.onFault
    this.#cursor = parts.cursor
    this.#head = parts.cursor
  }

  /** Lets entries out: until then they are only noted. */
  start(): void {
    this.#started = true
    this.#passOn()
    this.pump()
  }

  /** New entries, in order. Sent at once where nothing lies before them, else read back from the log. */
  offer(entries: readonly Entry[]): void {
    const last = entries.at(-1)
    const first = entries[0]
    if (!first || !last || this.#closed) return
    this.#head = Math.max(this.#head, last.seq)
    if (this.#started && !this.#pumping && first.seq === this.#cursor + 1 && !this.outlet.isFull() && entries.length <= AT_ONCE) this.#send(entries)
    else this.pump()
  }

  /** The log reaches at least this far. */
  reach(head: number): void {
    this.#head = Math.max(this.#head, head)
    this.pump()
  }

  pump(): void {
    if (!this.#started || this.#pumping || this.#closed || this.#cursor >= this.#head || !this.outlet.isOpen()) return
    this.#pumping = true
    this.#catchUp().then(
      () => {
        this.#pumping = false
        this.pump()
      },
      (thrown: unknown) => {
        this.#pumping = false
        this.#onFault(thrown)
      },
    )
  }

  /** Hands a frame over after the entries up to `after`. False where too many frames wait. */
  pass(frame: LaneFrame, from: string, after: number): boolean {
    if (this.#parked.length >= PARKED_LIMIT) return false
    this.#parked.push({ after, from, frame })
    this.#passOn()
    this.pump()
    return true
  }

  /** Something that has no place in the log. */
  tell<P extends PushName>(name: P, body: Pushes[P]): void {
    if (this.#started && !this.#closed) this.outlet.push(name, body)
  }

  /** Resolves when the entry `seq` has been sent, or never will be. */
  delivered(seq: number): Promise<void> {
    if (this.#cursor >= seq || this.#closed || !this.outlet.isOpen()) return Promise.resolve()
    this.reach(seq)
    return new Promise((settle) => this.#waiting.push({ seq, settle }))
  }

  /** Another connection has taken the session over. */
  replace(): void {
    this.#replaced = true
    this.close()
  }

  get isReplaced(): boolean {
    return this.#replaced
  }

  close(): void {
    this.#closed = true
    for (const { settle } of this.#waiting) settle()
    this.#waiting = []
    this.#parked.length = 0
  }

  async #catchUp(): Promise<void> {
    while (!this.#closed && this.outlet.isOpen() && this.#cursor < this.#head) {
      const entries = await this.#read({ after: this.#cursor, limit: PAGE })
      if (entries.length === 0) this.#head = this.#cursor
      for (const batch of batches(entries)) {
        if (this.outlet.isFull()) await this.outlet.drained()
        if (this.#closed || !this.outlet.isOpen()) return
        this.#send(batch)
      }
    }
  }

  #send(entries: readonly Entry[]): void {
    const last = entries.at(-1)
    if (!last) return
    this.outlet.push('log.entries', { contact: this.contact, entries: this.#view(entries) })
    this.#cursor = last.seq
    for (const waiting of this.#waiting.filter(({ seq }) => seq <= this.#cursor)) waiting.settle()
    this.#waiting = this.#waiting.filter(({ seq }) => seq > this.#cursor)
    this.#passOn()
  }

  /** Lets out the frames that nothing holds back: neither entries before them nor a connection that is full. */
  #passOn(): void {
    for (let next = this.#parked[0]; next && this.#started && !this.#closed && next.after <= this.#cursor; next = this.#parked[0]) {
      if (this.outlet.isFull()) {
        this.#passLater()
        return
      }
      this.#parked.shift()
      this.outlet.push('lane.frame', { contact: this.contact, from: next.from, frame: next.frame })
    }
  }

  #passLater(): void {
    if (this.#draining || !this.outlet.isOpen()) return
    this.#draining = true
    this.outlet.drained().then(() => {
      this.#draining = false
      this.#passOn()
    }, this.#onFault)
  }
}

/** Cuts a list so that no push grows too large for a connection. */
function* batches(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = []
  let size = 0
  for (const entry of entries) {
    const bytes = JSON.stringify(entry).length * 2
    if (batch.length > 0 && size + bytes > BATCH_BYTES) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(entry)
    size += bytes
  }
  if (batch.length > 0) yield batch
}
