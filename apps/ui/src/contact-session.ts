import type { Contact, ContactEventName, ContactEvents, EndReason } from './sdk.ts'
import { FileController, shownBody } from './file-controller.ts'
import { CallController } from './call-controller.ts'
import { withScore, withSilence } from './call-quality.ts'
import { beginConversation, fold } from './conversation.ts'
import type { Conversation, ConversationEvent } from './conversation.ts'
import { DeviceController } from './device-controller.ts'
import type { History, Kept } from './history.ts'
import { Changes } from './observable.ts'
import type { Observable } from './observable.ts'
import { OwnTabs } from './own-tabs.ts'
import { codeOf, problemOf } from './problems.ts'
import { recalled } from './recalled.ts'
import { SoundController } from './sound-controller.ts'
import { untilDecided } from './until-decided.ts'
import {
  accepted,
  acknowledged,
  discarded,
  echoed,
  emptyTranscript,
  failed,
  interrupted,
  lastKey,
  ownMessage,
  remembered,
  remoteMessage,
  retried,
} from './transcript.ts'
import type { Body } from './transcript.ts'

const TYPING_LASTS_MS = 10_000
const LOOK_FOR_RETURN_MS = 1_000
/** Messages that a page shows of what was said before it. */
const RECALLED = 500

export interface SessionOptions {
  readonly history?: History
  readonly now?: () => number
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
  /** What is written and not sent yet. */
  draft = ''
  readonly #changes = new Changes()
  readonly #ownTabs: OwnTabs
  readonly #history: History | undefined
  readonly #now: () => number
  readonly #offs: (() => void)[] = []
  #state: Conversation
  #typingTimer: ReturnType<typeof setTimeout> | undefined
  #returnTimer: ReturnType<typeof setInterval> | undefined
  readonly #closed = new AbortController()
  /** Id of the contact under which the tab keeps what it shows. */
  #keptAs: string

  constructor(contact: Contact, { history, now = Date.now }: SessionOptions = {}) {
    this.contact = contact
    this.#history = history
    this.#now = now
    this.#keptAs = contact.id
    this.#ownTabs = new OwnTabs(contact, () => void this.#leave())
    const kept = keptOf(history, contact.id)
    this.#state = beginConversation(contact.role, contact.data(), kept ?? { transcript: emptyTranscript })
    const host = { state: () => this.#state, tell: (event: ConversationEvent) => this.#tell(event) }
    this.calls = new CallController(contact, host)
    this.devices = new DeviceController(contact, host)
    this.sound = new SoundController(host)
    this.files = new FileController(contact, {
      transcript: () => this.#state.transcript,
      change: (change) => this.#tell({ type: 'transcript', change }),
      now,
    })
    this.#listen()
    this.calls.start()
    if (contact.role === 'visitor') this.#takenOver()
    const { transcript, transferredFrom } = contact.data()
    if (!kept && (transcript.messages > 0 || transferredFrom !== undefined)) void this.#recall()
  }

  get state(): Conversation {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /** Sends a message; it shows at once, and how far it has come. */
  send(text: string): void {
    this.#tell({
      type: 'transcript',
      change: (transcript) => ownMessage(transcript, { type: 'text', text }, this.#now()),
    })
    this.#deliver(lastKey(this.#state.transcript), text)
  }

  retry(key: string): void {
    const item = this.#state.transcript.items.find((one) => one.key === key)
    if (item?.kind !== 'own' || item.delivery !== 'failed') return
    if (item.body.type === 'file') return void this.files.retry(key)
    if (item.body.type !== 'text') return
    this.#tell({ type: 'transcript', change: (transcript) => retried(transcript, key) })
    this.#deliver(key, item.body.text)
  }

  discard(key: string): void {
    this.#tell({ type: 'transcript', change: (transcript) => discarded(transcript, key) })
  }

  typing(): void {
    if (this.#state.stage === 'talking') this.contact.sendIsWriting()
  }

  /** Somebody looks at the conversation, or no longer does. */
  attend(on: boolean): void {
    if (on !== this.#state.isAttended) this.#tell({ type: 'attended', on })
  }

  dismissProblem(): void {
    this.#tell({ type: 'problem', problem: null })
  }

  /**
   * The agent enters the contact that was accepted, or enters again after a reload; where there is no
   * connection, as soon as there is one.
   */
  async join(): Promise<void> {
    const { signal } = this.#closed
    const onBack = (wake: () => void, until: AbortSignal): void =>
      void this.contact.on('connection', ({ state }) => state === 'online' && wake(), { signal: until })
    try {
      await untilDecided(() => this.contact.join(), { signal, onBack })
      this.#tell({ type: 'entered' })
      this.#takenOver()
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
    for (const off of this.#offs.splice(0)) off()
    clearTimeout(this.#typingTimer)
    clearInterval(this.#returnTimer)
    this.calls.close()
    this.files.close()
    this.#ownTabs.close()
  }

  #tell(event: ConversationEvent): void {
    const before = this.#state
    this.#state = fold(before, event, this.#now())
    if (this.#state === before || this.#closed.signal.aborted) return
    const { transcript, stage, unread } = this.#state
    if (stage === 'ended') this.#history?.drop(this.#keptAs)
    else if (transcript !== before.transcript || unread !== before.unread)
      this.#history?.save(this.#keptAs, { transcript, ...(unread > 0 && { unread }) })
    if (stage === 'talking' && before.stage !== 'talking') this.calls.askMedia()
    if (this.#state.callSince === null && (this.#state.request ?? this.#state.offer)) this.devices.callAsked()
    if (stage === 'talking' && this.#state.remote === null) this.calls.askRemote()
    this.#changes.announce()
  }

  #deliver(key: string, text: string): void {
    this.contact.sendText(text).then(
      (id) => this.#tell({ type: 'transcript', change: (transcript) => accepted(transcript, key, id) }),
      (error: unknown) =>
        this.#tell({ type: 'transcript', change: (transcript) => failed(transcript, key, codeOf(error)) }),
    )
  }

  #on<E extends ContactEventName>(name: E, handler: (event: ContactEvents[E]) => void): void {
    this.contact.on(name, handler)
    this.#offs.push(() => this.contact.off(name, handler))
  }

  #listen(): void {
    const end = (reason: EndReason | 'closed' | undefined): void =>
      this.#tell({ type: 'ended', reason: reason ?? null })
    this.#on('text', (event) => this.#heard({ type: 'text', text: event.text }, event))
    this.#on('link', (event) => this.#heard(linkBody(event.url, event.desc), event))
    this.#on('localtext', (event) => this.#echo({ type: 'text', text: event.text }, event))
    this.#on('locallink', (event) => this.#echo(linkBody(event.url, event.desc), event))
    this.#on('attachment', (event) =>
      event.agent === (this.contact.role === 'agent')
        ? this.files.echo(event)
        : this.#heard(shownBody(event.meta), event),
    )
    this.#on('ack', ({ ref }) =>
      this.#tell({ type: 'transcript', change: (transcript) => acknowledged(transcript, ref) }),
    )
    this.#on('iswriting', () => this.#showTyping())
    this.#on('assigned', ({ nick }) => this.#tell({ type: 'assigned', nick }))
    this.#on('declined', () => this.#tell({ type: 'declined' }))
    this.#on('joined', ({ nick, avatar }) => this.#tell({ type: 'joined', nick, ...(avatar && { avatar }) }))
    this.#on('transferred', (event) => this.#transferred(event))
    this.#on('left', (event) => this.#left(event))
    this.#on('peeraway', ({ away }) => this.#tell({ type: 'peer', presence: away ? 'away' : 'here' }))
    this.#on('mediastate', () => this.#lookForReturn())
    this.#on('localleft', ({ reason }) => end(reason ?? 'closed'))
    this.#on('cleared', ({ reason }) => end(reason))
    this.#on('queue', (place) => this.#tell({ type: 'queue', place }))
    this.#on('connection', ({ state }) => this.#tell({ type: 'connection', state }))
    this.#on('remotehold', ({ on }) => this.#tell({ type: 'peerheld', on }))
    this.#on('statistics', (event) =>
      this.#tell({ type: 'quality', change: (quality) => withScore(quality, event) }),
    )
    this.#on('liveness', (event) =>
      this.#tell({ type: 'quality', change: (quality) => withSilence(quality, event) }),
    )
    this.#on('datachange', () => this.#changes.announce())
    this.#on('error', (error) => this.#tell({ type: 'problem', problem: problemOf(error, 'other') }))
  }

  /** The contact goes on under another id, and so does what the tab keeps of it. */
  #transferred({ id, to }: ContactEvents['transferred']): void {
    this.#history?.drop(id)
    this.#keptAs = to.toId
    this.#tell({ type: 'transferred' })
  }

  /** What was said before: this tab has kept nothing of it. */
  async #recall(): Promise<void> {
    const earlier = await recalled(this.contact, RECALLED)
    this.#tell({ type: 'transcript', change: (transcript) => remembered(transcript, earlier) })
  }

  #heard(
    body: Body,
    { id, ts, from_nick: nick }: Pick<ContactEvents['text'], 'id' | 'ts' | 'from_nick'>,
  ): void {
    clearTimeout(this.#typingTimer)
    this.#tell({
      type: 'heard',
      change: (transcript) =>
        remoteMessage(transcript, { body, id, at: ts, ...(nick !== undefined && { nick }) }),
    })
  }

  #echo(body: Body, { id, ts: at }: Pick<ContactEvents['localtext'], 'id' | 'ts'>): void {
    this.#tell({ type: 'transcript', change: (transcript) => echoed(transcript, body, { id, at }) })
  }

  #showTyping(): void {
    clearTimeout(this.#typingTimer)
    this.#typingTimer = setTimeout(() => this.#tell({ type: 'typing', on: false }), TYPING_LASTS_MS)
    this.#tell({ type: 'typing', on: true })
  }

  #left({ vvcu, user, reason, channels }: ContactEvents['left']): void {
    const [peer, remaining] = this.contact.role === 'visitor' ? [user, channels.user] : [vvcu, channels.vvcu]
    if (peer === undefined) return this.#takenOver()
    if ((remaining ?? 0) > 0) return
    const isForGood = reason !== undefined && reason !== 'timeout' && reason !== 'disconnect'
    this.#tell({ type: 'peer', presence: isForGood ? 'gone' : 'away' })
  }

  /**
   * Another tab has the place of this party: the state of the negotiation tells, also when this page has it
   * back.
   */
  #takenOver(): void {
    if (this.contact.mediaState !== 'init' || this.#state.stage === 'ended') return
    this.#tell({ type: 'elsewhere', on: true })
    clearInterval(this.#returnTimer)
    this.#returnTimer = setInterval(() => this.#lookForReturn(), LOOK_FOR_RETURN_MS)
  }

  #lookForReturn(): void {
    if (!this.#state.isElsewhere || (this.contact.mediaState === 'init' && this.#state.stage !== 'ended'))
      return
    clearInterval(this.#returnTimer)
    this.#tell({ type: 'elsewhere', on: false })
  }
}

function keptOf(history: History | undefined, contact: string): Kept | null {
  const kept = history?.load(contact) ?? null
  return kept && { ...kept, transcript: interrupted(kept.transcript) }
}

const linkBody = (url: string, desc: string | undefined): Body => ({
  type: 'link',
  url,
  ...(desc !== undefined && { desc }),
})
