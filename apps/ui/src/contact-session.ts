import { CallController } from './call-controller.ts'
import { withScore, withSilence } from './call-quality.ts'
import { beginConversation } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { fold } from './conversation-fold.ts'
import type { ConversationEvent } from './conversation-fold.ts'
import { callToKeep, isSameCall } from './cut-call.ts'
import { DeviceController } from './device-controller.ts'
import { shownEarlier } from './shown-earlier.ts'
import { ElsewhereWatch } from './elsewhere-watch.ts'
import { FileController } from './file-controller.ts'
import type { History } from './history.ts'
import { MessageController } from './message-controller.ts'
import { Changes } from './observable.ts'
import type { Observable } from './observable.ts'
import { OwnTabs } from './own-tabs.ts'
import { watchNetwork } from './page-network.ts'
import { codeOf, problemOf } from './problems.ts'
import type { Contact, ContactEvents, EndReason, Rating } from './sdk.ts'
import { ReadReceipts } from './read-receipts.ts'
import { SecurityController } from './security-controller.ts'
import { SoundController } from './sound-controller.ts'
import { emptyTranscript, lastHeard } from './transcript.ts'
import { untilDecided } from './until-decided.ts'
import type { Asking } from './until-decided.ts'

export interface SessionOptions {
  readonly history?: History
  readonly now?: () => number
  /** Whether the other side is told what was read; default: it is. */
  readonly receipts?: () => boolean
}

/**
 * A contact and what a page shows of it. Create it in the same task in which the contact was got: no event is
 * missed then.
 */
export class ContactSession implements Observable {
  readonly contact: Contact
  readonly calls: CallController
  readonly files: FileController
  readonly devices: DeviceController
  readonly sound: SoundController
  readonly security: SecurityController
  readonly receipts: ReadReceipts
  /** What is written and not sent yet. */
  draft = ''
  /** How the visitor has rated it, where the agent's page was told. */
  rating: Rating | null = null
  readonly #messages: MessageController
  readonly #elsewhere: ElsewhereWatch
  readonly #ownTabs: OwnTabs
  readonly #changes = new Changes()
  readonly #history: History | undefined
  readonly #now: () => number
  readonly #closed = new AbortController()
  #state: Conversation
  /** Id of the contact under which the tab keeps what it shows. */
  #keptAs: string

  constructor(
    contact: Contact,
    { history, now = Date.now, receipts: isOn = () => true }: SessionOptions = {},
  ) {
    this.contact = contact
    this.#history = history
    this.#now = now
    this.#keptAs = contact.id
    this.#ownTabs = new OwnTabs(contact, {
      onEnd: () => void this.#leave(),
      onRead: () => this.#tell(this.#readElsewhere()),
    })
    const { role } = contact
    const record = contact.data()
    const kept = shownEarlier(history, contact, now())
    const missesStart = record.transcript.messages > 0 || record.transferredFrom !== undefined
    this.#state = beginConversation(role, record, kept ?? { transcript: emptyTranscript, missesStart })
    const host = { state: () => this.#state, tell: (event: ConversationEvent) => this.#tell(event), now }
    const closed = this.#closed.signal
    this.calls = new CallController(contact, host, closed)
    this.devices = new DeviceController(contact, host)
    this.sound = new SoundController(host)
    this.security = new SecurityController(contact, host)
    this.receipts = new ReadReceipts(contact, host, { isOn, closed })
    this.files = new FileController(contact, {
      transcript: () => this.#state.transcript,
      change: (change) => this.#tell({ type: 'transcript', change }),
      now,
      asking: () => this.#asking(),
    })
    this.#messages = new MessageController(contact, host, { files: this.files, now, closed })
    this.#elsewhere = new ElsewhereWatch(contact, host, closed)
    this.#start()
  }

  #start(): void {
    this.#messages.listen(() => this.#asking())
    this.#listenToLife()
    this.#listenToPage()
    this.calls.start()
    this.security.listen(this.#closed.signal)
    if (this.contact.role === 'visitor') this.#elsewhere.lookForLoss()
    if (this.#state.missesStart) void this.#messages.recall(this.#asking())
  }

  /** Until the session is closed, and at once when the connection is back. */
  #asking(): Asking {
    const onBack = (wake: () => void, until: AbortSignal): void =>
      void this.contact.on('connection', ({ state }) => state === 'online' && wake(), { signal: until })
    return { signal: this.#closed.signal, onBack }
  }

  get state(): Conversation {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /** Sends a message; it shows at once, and how far it has come. */
  send(text: string): void {
    this.#messages.send(text)
  }

  retry(key: string): void {
    this.#messages.retry(key)
  }

  discard(key: string): void {
    this.#messages.discard(key)
  }

  typing(): void {
    if (this.#state.stage === 'talking') this.contact.sendIsWriting()
  }

  /** Somebody looks at the conversation, or no longer does. */
  attend(on: boolean): void {
    if (on !== this.#state.isAttended) this.#tell({ type: 'attended', on })
    this.receipts.tell()
  }

  dismissProblem(): void {
    this.#tell({ type: 'problem', problem: null })
  }

  /**
   * The agent enters the contact that was accepted, or enters again after a reload; where there is no
   * connection, as soon as there is one.
   */
  async join(): Promise<void> {
    try {
      await untilDecided(() => this.contact.join(), this.#asking())
      this.#tell({ type: 'entered' })
      this.#elsewhere.lookForLoss()
    } catch (error) {
      if (codeOf(error) === 'left') return this.#tell({ type: 'ended', reason: null })
      this.#tell({ type: 'problem', problem: problemOf(error, 'other') })
    }
  }

  /** Ends the contact for this party: in its other tabs too. */
  leave(): Promise<void> {
    this.#ownTabs.ended()
    return this.#leave()
  }

  async #leave(): Promise<void> {
    if (this.#state.stage === 'ended') return
    try {
      await this.contact.leave()
      this.#tell({ type: 'ended', reason: 'closed' })
    } catch (error) {
      this.#tell({ type: 'problem', problem: problemOf(error, 'leave') })
    }
  }

  /** Moves the call to this page, from the tab that has it. */
  takeOver(): void {
    this.contact
      .takeOver()
      .catch((error: unknown) => this.#tell({ type: 'problem', problem: problemOf(error, 'other') }))
  }

  /** Gives back timers and listeners. The contact goes on. */
  close(): void {
    this.#closed.abort()
    this.files.close()
    this.#ownTabs.close()
  }

  #tell(event: ConversationEvent): void {
    const before = this.#state
    const next = fold(before, event, this.#now())
    this.#state = next.unread > before.unread ? fold(next, this.#readElsewhere(), this.#now()) : next
    if (this.#state === before || this.#closed.signal.aborted) return
    const { transcript, stage, isAttended } = this.#state
    this.#keep(before)
    if (isAttended) this.#ownTabs.read(lastHeard(transcript))
    if (transcript !== before.transcript) this.files.keepOnly(transcript)
    if (stage === 'talking' && before.stage !== 'talking') this.calls.askMedia()
    if (this.#state.callSince === null && (this.#state.request ?? this.#state.offer)) this.devices.callAsked()
    if (stage === 'talking' && this.#state.remote === null) this.calls.askRemote()
    this.#changes.announce()
  }

  #readElsewhere(): ConversationEvent {
    return { type: 'seen', ref: this.#ownTabs.readTo }
  }

  /** Keeps over a page load what the next page shows again. */
  #keep(before: Conversation): void {
    const { transcript, stage, unread, stopping, missesStart, peer, readTo } = this.#state
    if (stage === 'ended') return this.#history?.drop(this.#keptAs)
    const [call, wasCall] = [callToKeep(this.#state), callToKeep(before)]
    const kept = ['transcript', 'unread', 'stopping', 'readTo'] as const
    if (kept.every((each) => this.#state[each] === before[each]) && isSameCall(call, wasCall)) return
    this.#history?.save(this.#keptAs, {
      transcript,
      ...(unread > 0 && { unread }),
      ...(peer?.presence === 'gone' && { isPeerGone: true }),
      ...(missesStart && { missesStart }),
      ...(readTo && { readTo }),
      ...(call && { call }),
      ...(stopping && { stopping }),
    })
  }

  /** From waiting to the end, and who is there. */
  #listenToLife(): void {
    const { contact } = this
    const { signal } = this.#closed
    const end = (reason: EndReason | 'closed' | undefined): void =>
      this.#tell({ type: 'ended', reason: reason ?? null })
    const joined = ({ nick, avatar }: ContactEvents['joined']): void =>
      this.#tell({ type: 'joined', nick, ...(avatar && { avatar }) })
    const isAway = ({ away }: ContactEvents['peeraway']): void =>
      this.#tell({ type: 'peer', presence: away ? 'away' : 'here' })
    contact.on('queue', (place) => this.#tell({ type: 'queue', place }), { signal })
    contact.on('assigned', ({ nick }) => this.#tell({ type: 'assigned', nick }), { signal })
    contact.on('declined', () => this.#tell({ type: 'declined' }), { signal })
    contact.on('joined', joined, { signal })
    contact.on('transferred', (event) => this.#transferred(event), { signal })
    contact.on('left', (event) => this.#left(event), { signal })
    contact.on('peeraway', isAway, { signal })
    contact.on('localleft', ({ reason }) => end(reason ?? 'closed'), { signal })
    contact.on('cleared', ({ reason }) => end(reason), { signal })
  }

  /** The connection, the quality of the call, and what fails. */
  #listenToPage(): void {
    const { contact } = this
    const { signal } = this.#closed
    const scored = (event: ContactEvents['statistics']): void =>
      this.#tell({ type: 'quality', change: (quality) => withScore(quality, event) })
    const heard = (event: ContactEvents['liveness']): void =>
      this.#tell({ type: 'quality', change: (quality) => withSilence(quality, event) })
    const failed = (error: ContactEvents['error']): void =>
      this.#isOver(error)
        ? this.#refused()
        : this.#tell({ type: 'problem', problem: problemOf(error, 'other') })
    watchNetwork((isOffline) => this.#tell({ type: 'network', isOffline }), signal)
    contact.on('mediastate', () => this.#elsewhere.lookForReturn(), { signal })
    contact.on('connection', ({ state }) => this.#tell({ type: 'connection', state }), { signal })
    contact.on('remotehold', ({ on }) => this.#tell({ type: 'peerheld', on }), { signal })
    contact.on('remotemute', ({ muted }) => this.#tell({ type: 'peermuted', media: muted }), { signal })
    contact.on('statistics', scored, { signal })
    contact.on('liveness', heard, { signal })
    contact.on('datachange', () => this.#changes.announce(), { signal })
    contact.on('error', failed, { signal })
  }

  /** An erased visitor gets no new token; the site may give one for a visitor whom it names. */
  #isOver(error: ContactEvents['error']): boolean {
    const { role } = this.contact
    return role === 'visitor' && codeOf(error) === 'unauthorized' && !this.contact.data().visitor.identified
  }

  /** Nothing can be sent any more; leaving ends the call of this page. */
  #refused(): void {
    this.#tell({ type: 'ended', reason: 'refused' })
    this.contact.leave().catch(() => {})
  }

  /** The contact goes on under another id, and so does what the tab keeps of it. */
  #transferred({ id, to }: ContactEvents['transferred']): void {
    this.#history?.drop(id)
    this.#keptAs = to.toId
    this.#tell({ type: 'transferred' })
  }

  #left({ vvcu, user, reason, channels }: ContactEvents['left']): void {
    const [peer, remaining] = this.contact.role === 'visitor' ? [user, channels.user] : [vvcu, channels.vvcu]
    if (peer === undefined) return this.#elsewhere.lookForLoss()
    if ((remaining ?? 0) > 0) return
    const isForGood = reason !== undefined && reason !== 'timeout' && reason !== 'disconnect'
    this.#tell({ type: 'peer', presence: isForGood ? 'gone' : 'away' })
  }
}
