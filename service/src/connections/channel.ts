import type { ConnectedSessions, Entry, RelayFrame, PushName, Pushes, Slot } from '../../../protocol/index.ts'
import type { Page } from '../log/read-log.ts'
import { batches, isOneBatch } from './batches.ts'
import { whenWritable } from './packet-sink.ts'
import type { PacketSink } from './packet-sink.ts'
import { ParticipationTracker } from './participation.ts'

/** Reads entries of the channel's contact. */
export type ReadEntries = (page: Page) => Promise<readonly Entry[]>

interface ChannelParts {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly nick: string | null
  readonly sink: PacketSink
  readonly cursor: number
  /** The entry up to which the party is known to have a part in the contact. */
  readonly head: number
  /** Nothing follows `head`: the contact is over. */
  readonly isOver?: boolean
  readonly read: ReadEntries
  /** Entries as this party is sent them. */
  readonly view: (entries: readonly Entry[]) => readonly Entry[]
  readonly onFault: (thrown: unknown) => void
}

const PAGE = 256
/** More entries than this are read back from the log. */
const AT_ONCE = 16
const PARKED_LIMIT = 512

interface ParkedFrame {
  readonly after: number
  readonly from: string
  readonly frame: RelayFrame
  readonly bytes: number
}

/**
 * One session's view of a contact's log: entries leave in order and without gaps, whatever the speed of its
 * connection. It lives as long as its party has a part in the contact, and brings nothing of what comes after
 * that.
 */
export class Channel {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly nick: string | null
  readonly sink: PacketSink
  readonly #read: ReadEntries
  readonly #view: ChannelParts['view']
  readonly #onFault: (thrown: unknown) => void
  readonly #participation: ParticipationTracker
  readonly #parked: ParkedFrame[] = []
  readonly #onClose = new Set<() => void>()
  #waiting: { readonly seq: number; readonly settle: () => void }[] = []
  #cursor: number
  /** Highest entry known to exist. */
  #head: number
  #pumping = false
  #started = false
  #draining = false
  #closed = false
  /** The sessions that this page was last told to be connected. */
  #toldConnected = ''

  constructor(parts: ChannelParts) {
    this.contact = parts.contact
    this.session = parts.session
    this.slot = parts.slot
    this.principal = parts.principal
    this.nick = parts.nick
    this.sink = parts.sink
    this.#read = parts.read
    this.#view = parts.view
    this.#onFault = parts.onFault
    this.#cursor = parts.cursor
    this.#head = parts.cursor
    this.#participation = new ParticipationTracker(parts, parts.head)
    if (parts.isOver) this.#participation.end = parts.head
  }

  /** Lets entries out: until then they are only noted. */
  start(): void {
    this.#started = true
    this.#passOn()
    this.#endWithPart()
    this.pump()
  }

  /** New entries, in order. Sent at once where nothing lies before them, else read back from the log. */
  offer(entries: readonly Entry[]): void {
    const last = entries.at(-1)
    const first = entries[0]
    if (!first || !last || this.#closed) return
    this.#participation.observe(entries)
    this.#head = Math.max(this.#head, last.seq)
    if (
      this.#started &&
      !this.#pumping &&
      first.seq === this.#cursor + 1 &&
      !this.sink.isFull() &&
      entries.length <= AT_ONCE &&
      isOneBatch(entries)
    )
      this.#send(entries)
    else this.pump()
  }

  /** The log reaches at least this far. */
  reach(head: number): void {
    this.#head = Math.max(this.#head, head)
    this.pump()
  }

  pump(): void {
    if (!this.#started || this.#pumping || !this.#isBehind()) return
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

  /** Hands a frame over after the entries up to `after`. False where too much waits for the connection. */
  pass(frame: RelayFrame, from: string, after: number): boolean {
    if (this.#mayPass(after) && this.#parked.length === 0) {
      this.#hand(from, frame)
      return true
    }
    const bytes = Buffer.byteLength(JSON.stringify(frame))
    if (this.#parked.length >= PARKED_LIMIT || !this.sink.hold(bytes)) return false
    this.#parked.push({ after, from, frame, bytes })
    this.#passOn()
    this.pump()
    return true
  }

  /**
   * Something that has no place in the log: for who has a part, even where entries before the loss of it are
   * still on their way.
   */
  tell<P extends PushName>(name: P, body: Pushes[P]): void {
    if (this.#started && !this.#closed && this.#participation.isUnbroken) this.sink.push(name, body)
  }

  /** Which sessions are connected, where the page does not know yet. */
  tellConnected(connected: ConnectedSessions): void {
    const told = JSON.stringify(connected)
    if (!this.#started || told === this.#toldConnected) return
    this.#toldConnected = told
    this.tell('contact.connected', { contact: this.contact, connected })
  }

  /** Resolves when the entry `seq` has been sent, or never will be. */
  delivered(seq: number): Promise<void> {
    if (this.#cursor >= seq || this.#closed || !this.sink.isOpen()) return Promise.resolve()
    this.reach(seq)
    return new Promise((settle) => this.#waiting.push({ seq, settle }))
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Runs when the channel closes, for whatever reason. */
  whenClosed(run: () => void): void {
    if (this.#closed) run()
    else this.#onClose.add(run)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const { settle } of this.#waiting) settle()
    this.#waiting = []
    for (const { bytes } of this.#parked) this.sink.release(bytes)
    this.#parked.length = 0
    for (const run of this.#onClose) run()
  }

  /** What is read is sent at once: pages are read when their connection has room, one after the other. */
  async #catchUp(): Promise<void> {
    while (this.#isBehind()) await this.sink.inTurn(() => this.#sendPage())
  }

  #isBehind(): boolean {
    return !this.#closed && this.sink.isOpen() && this.#cursor < this.#head
  }

  async #sendPage(): Promise<void> {
    if (!this.#isBehind()) return
    const entries = await this.#read({ after: this.#cursor, limit: PAGE, bytes: this.sink.pageBytes })
    if (entries.length === 0) return this.#skipRemoved()
    this.#participation.observe(entries)
    for (const batch of batches(entries)) {
      await whenWritable(this.sink)
      if (this.#closed || !this.sink.isOpen()) return
      this.#send(batch)
    }
  }

  /** Nothing is left of what the channel has not sent: retention has removed it. */
  #skipRemoved(): void {
    const reached = this.#head
    this.#head = this.#cursor
    this.#endWithPart(reached)
  }

  /** What lies after the end of the party's part stays here. */
  #send(all: readonly Entry[]): void {
    const { end } = this.#participation
    const entries = all.filter(({ seq }) => seq <= end)
    const last = entries.at(-1)
    if (last) {
      this.sink.push('log.entries', { contact: this.contact, entries: this.#view(entries) })
      this.#cursor = last.seq
      for (const waiting of this.#waiting.filter(({ seq }) => seq <= this.#cursor)) waiting.settle()
      this.#waiting = this.#waiting.filter(({ seq }) => seq > this.#cursor)
      this.#passOn()
    }
    this.#endWithPart(all.at(-1)?.seq)
  }

  /** `reached`: the log was looked at up to there. */
  #endWithPart(reached = this.#cursor): void {
    if (reached >= this.#participation.end) this.close()
  }

  #mayPass(after: number): boolean {
    return this.#started && !this.#closed && after <= this.#cursor && !this.sink.isFull()
  }

  #hand(from: string, frame: RelayFrame): void {
    this.sink.push('relay.frame', { contact: this.contact, from, frame })
  }

  /**
   * Lets out the frames that nothing holds back: neither entries before them nor a connection that is full.
   */
  #passOn(): void {
    for (let next = this.#parked[0]; next; next = this.#parked[0]) {
      if (!this.#mayPass(next.after)) {
        if (next.after <= this.#cursor) this.#passLater()
        return
      }
      this.#parked.shift()
      this.sink.release(next.bytes)
      this.#hand(next.from, next.frame)
    }
  }

  #passLater(): void {
    if (this.#draining || !this.#started || this.#closed || !this.sink.isOpen()) return
    this.#draining = true
    this.sink.drained().then(() => {
      this.#draining = false
      this.#passOn()
    }, this.#onFault)
  }
}
