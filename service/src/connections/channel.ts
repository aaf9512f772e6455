import type { ConnectedSessions, Entry, RelayFrame, PushName, Pushes, Slot } from '../../../protocol/index.ts'
import type { Page } from '../log/read-log.ts'
import { batches, isOneBatch } from './batches.ts'
import { whenWritable } from './packet-sink.ts'
import type { PacketSink } from './packet-sink.ts'
import { ParticipationTracker } from './participation.ts'

/** Reads entries from the log of the channel's contact. */
export type ReadEntries = (page: Page) => Promise<readonly Entry[]>

interface ChannelParts {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly nick: string | null
  /** Which opening of the session it is; without: it only tells how the contact ended. */
  readonly epoch?: number | null
  readonly sink: PacketSink
  readonly cursor: number
  /** The entry up to which the party is known to participate in the contact. */
  readonly head: number
  /** The contact is over: no entry follows `head`. */
  readonly isOver?: boolean
  readonly read: ReadEntries
  /** Converts entries to the form that this party receives. */
  readonly view: (entries: readonly Entry[]) => readonly Entry[]
  readonly onFault: (thrown: unknown) => void
}

const PAGE = 256
/** Above this number of entries, they are read from the log instead. */
const AT_ONCE = 16
const PARKED_LIMIT = 512

interface ParkedFrame {
  readonly after: number
  readonly from: string
  readonly frame: RelayFrame
  readonly bytes: number
}

/**
 * Sends the log of a contact to one session, in order and without gaps, at the speed of its connection. The
 * channel closes when its party no longer participates in the contact, and sends no later entries.
 */
export class Channel {
  readonly contact: string
  readonly session: string
  readonly slot: Slot
  readonly principal: string
  readonly nick: string | null
  readonly epoch: number | null
  readonly sink: PacketSink
  readonly #read: ReadEntries
  readonly #view: ChannelParts['view']
  readonly #onFault: (thrown: unknown) => void
  readonly #participation: ParticipationTracker
  readonly #parked: ParkedFrame[] = []
  #parkedBytes = 0
  readonly #onClose = new Set<() => void>()
  #waiting: { readonly seq: number; readonly settle: () => void }[] = []
  #cursor: number
  /** Highest entry known to exist. */
  #head: number
  #pumping = false
  #started = false
  #closed = false
  /** The connected sessions that were last sent to this page. */
  #toldConnected = ''

  constructor(parts: ChannelParts) {
    this.contact = parts.contact
    this.session = parts.session
    this.slot = parts.slot
    this.principal = parts.principal
    this.nick = parts.nick
    this.epoch = parts.epoch ?? null
    this.sink = parts.sink
    this.#read = parts.read
    this.#view = parts.view
    this.#onFault = parts.onFault
    this.#cursor = parts.cursor
    this.#head = parts.cursor
    this.#participation = new ParticipationTracker(parts, parts.head)
    if (parts.isOver) this.#participation.end = parts.head
  }

  /** Starts sending. Before, entries are only counted. */
  start(): void {
    this.#started = true
    this.#passOn()
    this.#endWithPart()
    this.pump()
  }

  /**
   * Takes new entries, in order. Sends them at once if they follow directly, otherwise reads from the log.
   */
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

  /** Notes that the log has at least this many entries. */
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

  /**
   * Sends a frame after the entries up to `after`. Returns false when too many frames wait for the connection.
   */
  pass(frame: RelayFrame, from: string, after: number): boolean {
    if (this.#mayPass(after) && this.#parked.length === 0 && this.sink.mayPass()) {
      this.#hand(from, frame)
      return true
    }
    const bytes = Buffer.byteLength(JSON.stringify(frame))
    if (this.#parked.length >= PARKED_LIMIT || !this.sink.hold(bytes, this.#parkedBytes)) return false
    this.#parked.push({ after, from, frame, bytes })
    this.#parkedBytes += bytes
    this.#passOn()
    this.pump()
    return true
  }

  /**
   * Sends a push that is not in the log, unless an entry ends the participation of the party, even one that
   * is still to be sent.
   */
  tell<P extends PushName>(name: P, body: Pushes[P]): void {
    if (this.#started && !this.#closed && this.#participation.isUnbroken) this.sink.push(name, body)
  }

  /** Sends the connected sessions, if the page does not have them yet. */
  tellConnected(connected: ConnectedSessions): void {
    const told = JSON.stringify(connected)
    if (!this.#started || told === this.#toldConnected) return
    this.#toldConnected = told
    this.tell('contact.connected', { contact: this.contact, connected })
  }

  /** Resolves when the entry `seq` has been sent, or will never be sent. */
  delivered(seq: number): Promise<void> {
    if (this.#cursor >= seq || this.#closed || !this.sink.isOpen()) return Promise.resolve()
    this.reach(seq)
    return new Promise((settle) => this.#waiting.push({ seq, settle }))
  }

  /**
   * Closes the channel of a contact that is erased. A party that has not received its last entry is sent that
   * one without those before it, which are being removed.
   */
  conclude(last: Entry): void {
    if (this.#started && !this.#closed && this.#cursor < last.seq)
      this.sink.push('log.entries', { contact: this.contact, entries: this.#view([last]) })
    this.close()
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Called when the channel closes, for any reason. */
  whenClosed(run: () => void): void {
    if (this.#closed) run()
    else this.#onClose.add(run)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const { settle } of this.#waiting) settle()
    this.#waiting = []
    this.sink.release(this.#parkedBytes)
    this.#parkedBytes = this.#parked.length = 0
    for (const run of this.#onClose) run()
  }

  /** Reads pages one after the other, each when the connection has room, and sends them at once. */
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

  /** The entries that the channel has not sent were removed by retention. */
  #skipRemoved(): void {
    const reached = this.#head
    this.#head = this.#cursor
    this.#endWithPart(reached)
  }

  /** Entries after the end of the participation are not sent. */
  #send(all: readonly Entry[]): void {
    const { end } = this.#participation
    const entries = (all.at(-1)?.seq ?? 0) <= end ? all : all.filter(({ seq }) => seq <= end)
    const last = entries.at(-1)
    if (last) {
      this.sink.push('log.entries', { contact: this.contact, entries: this.#view(entries) })
      this.#cursor = last.seq
      if (this.#waiting.length > 0) this.#tellDelivered()
      this.#passOn()
    }
    this.#endWithPart(all.at(-1)?.seq)
  }

  #tellDelivered(): void {
    for (const waiting of this.#waiting.filter(({ seq }) => seq <= this.#cursor)) waiting.settle()
    this.#waiting = this.#waiting.filter(({ seq }) => seq > this.#cursor)
  }

  /** `reached`: the number of the last entry that was read. */
  #endWithPart(reached = this.#cursor): void {
    if (reached >= this.#participation.end) this.close()
  }

  #mayPass(after: number): boolean {
    return this.#started && !this.#closed && after <= this.#cursor
  }

  #hand(from: string, frame: RelayFrame): void {
    this.sink.push('relay.frame', { contact: this.contact, from, frame })
  }

  /** Sends the frames that do not wait for earlier entries, in turn with other channels. */
  #passOn(): void {
    const [next] = this.#parked
    if (next && this.#mayPass(next.after)) this.sink.passInTurn(this.#passNext)
  }

  /** Sends one frame. Returns whether another one can be sent. */
  readonly #passNext = (): boolean => {
    const [next] = this.#parked
    if (!next || !this.#mayPass(next.after)) return false
    this.#parked.shift()
    this.#parkedBytes -= next.bytes
    this.sink.release(next.bytes)
    this.#hand(next.from, next.frame)
    const [following] = this.#parked
    return following !== undefined && this.#mayPass(following.after)
  }
}
