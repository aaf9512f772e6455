import type { MakeDataPipe } from '../../engines/eager.ts'
import { mediaFact } from '../../machines/eager.ts'
import type { MediaActor } from '../../machines/eager.ts'
import { ContactError, editedRecord, otherSlot } from '../../protocol/index.ts'
import type {
  Clock,
  ContactData,
  ContactEvents,
  UnsentEntry,
  MediaCapabilities,
  Push,
  Slot,
} from '../../protocol/index.ts'
import type { Uploader } from '../attachments/uploader.ts'
import { Membership } from './membership.ts'
import { controlsKey } from '../media/call-controls.ts'
import { Capabilities } from '../media/capabilities.ts'
import type { Inspect, KeyValueStore, Log } from '../api/client.ts'
import { ContactEngines } from '../media/contact-engines.ts'
import type { ContactLog, ReadEntry } from '../log/log-reader.ts'
import { DataChannels } from '../data-channels/data-channels.ts'
import { Delivery } from './event-queue.ts'
import { seenKey } from './saved-state.ts'
import type { Kept } from './saved-state.ts'
import { SessionRelay } from '../relay/session-relay.ts'
import { MediaOperations } from '../media/media-controller.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { actorOptions } from '../client/clock.ts'
import { emitEntry } from '../log/entry-events.ts'
import { membershipEvent, publishMembership } from '../log/membership-events.ts'
import { Outbox } from '../log/outbox.ts'
import { Passage } from './contact-session.ts'
import type { TellLeave } from '../client/pending-leaves.ts'
import type { ContactTelephone } from '../media/phone.ts'
import { RemoteCalls } from '../rpc/remote-calls.ts'

/**
 * How a page's part in a contact ends. `over`: for the party; `left`: another page of the party goes on;
 * `dropped`: it can be taken up again.
 */
export type End = 'over' | 'left' | 'dropped'

export interface CoreOptions {
  readonly link: ServiceLink
  readonly role: Slot
  readonly record: ContactData
  readonly capabilities: MediaCapabilities
  /** How data channels connect directly; null where that cannot be. */
  readonly pipes: () => Promise<MakeDataPipe | null>
  readonly clock: Clock
  readonly log: Log
  readonly inspect?: Inspect | undefined
  /** Milliseconds that an own offer stands; the usual time without. */
  readonly offerLifetime?: number | undefined
  /** Origin of the service. */
  readonly service: string
  readonly upload: Uploader
  /** Where Voice can go over a telephone. */
  readonly telephone: ContactTelephone | undefined
  /** What this tab remembers of a contact. */
  readonly kept: (contact: string) => Kept
  /** Entries that were there before this page are news to nobody; without it, all entries are. */
  readonly resumed: boolean
  /** The contact goes on under another id. */
  readonly onMove: (contact: string) => void
  /** For all pages: which requests of the remote were carried out, what is muted and on hold. */
  readonly seen: KeyValueStore
  /** Tells the service that a session has ended. */
  readonly leave: TellLeave
  /** This page holds nothing of the contact any more. */
  readonly onEnd: (how: End) => void
}

/**
 * Wires one contact: the link's entries feed the fold, the fold's facts the machines, the machines the
 * outbox, the engines and the application.
 */
export class ContactCore {
  readonly options: CoreOptions
  readonly delivery: Delivery
  readonly engines: ContactEngines
  readonly relay: SessionRelay
  readonly channels: DataChannels
  readonly media: MediaOperations
  readonly outbox: Outbox
  readonly membership: Membership
  readonly capabilities: Capabilities
  readonly #ending = new AbortController()
  /** Aborted when this page's part in the contact ends. */
  readonly over = this.#ending.signal
  readonly calls: RemoteCalls
  readonly #stops: (() => void)[] = []
  readonly #passage: Passage
  #follower: (read: ReadEntry) => boolean = () => false

  constructor(options: CoreOptions) {
    const { record, log, seen } = options
    this.options = options
    this.delivery = new Delivery(log)
    this.#passage = new Passage(this, (read) => this.#read(read))
    this.membership = this.#makeMembership(record)
    this.outbox = this.#makeOutbox()
    this.relay = this.#makeRelay()
    const { delivery, membership, relay, over } = this
    this.channels = new DataChannels({ ...options, slot: options.role, relay, delivery, membership })
    this.engines = this.#makeEngines()
    this.capabilities = this.#makeCapabilities()
    this.media = this.#makeMedia()
    this.relay.onPeer(
      (_peer, before) =>
        before !== null &&
        this.channels.end(
          new ContactError('peer_left', 'unable to go on with the channel; the other party is not there'),
        ),
    )
    this.calls = new RemoteCalls({
      ...{ ...options, relay, delivery, membership, over, seen },
      seenKey: () => seenKey(options.service, this.id),
      holdsSlot: () => this.holdsSlot,
    })
    this.#listen()
    publishMembership({ ...options, delivery, membership, contact: () => this.id })
    this.membership.actor.start()
  }

  /** Id of the contact; another one after a transfer. */
  get id(): string {
    return this.#passage.chapter.id
  }

  get session(): string {
    return this.#passage.chapter.session
  }

  /** The contact's record as last read. */
  get record(): ContactData {
    return this.#passage.chapter.record
  }

  /** Whether this page's session holds its party's slot. */
  get holdsSlot(): boolean {
    return this.#passage.chapter.holds(this.options.role)
  }

  get log(): ContactLog {
    return this.#passage.chapter.log
  }

  /** The media machine; null until the contact is entered. */
  get machine(): MediaActor | null {
    return this.#passage.chapter.media
  }

  takeOver = (): Promise<void> => this.#passage.takeOver()

  /**
   * Hands an entry to the log; the service's word about it comes back through the log. `onRefused`: it never
   * will be taken.
   */
  write(entry: UnsentEntry, onRefused: (error: ContactError) => void = () => {}): void {
    this.outbox.add(entry).catch((error: ContactError) => {
      if (error.code === 'left') return
      this.options.log.warn('an entry was refused', { type: entry.type, code: error.code })
      this.delivery.emit('error', error)
      onRefused(error)
    })
  }

  /** Gives back all that this page holds; nothing is sent or delivered after it. */
  #end(how: 'over' | 'dropped'): void {
    const left = hasLeft()
    this.media.tell({ type: 'contact.leave' })
    this.outbox.close(left)
    this.channels.end(left)
    this.capabilities.end(left)
    this.#ending.abort(left)
    this.calls.end()
    this.relay.bind(null)
    for (const stop of this.#stops.splice(0)) stop()
    if (how === 'dropped') this.delivery.stop()
    this.#passage.end(how)
    void this.engines.registry.stop()
    const goesOn = this.log.state.channels[this.options.role].some((session) => session !== this.session)
    this.options.onEnd(how === 'over' && goesOn ? 'left' : how)
  }

  #decided(): void {
    if (this.membership.isInside()) this.capabilities.entered()
    setTimeout(this.delivery.start)
  }

  #makeEngines(): ContactEngines {
    const { link, service, seen, role, record, clock, log, inspect } = this.options
    const { relay, delivery } = this
    const controls = {
      store: seen,
      key: () => controlsKey(service, { role, contact: this.id }),
      hasCall: () => this.holdsSlot,
    }
    return new ContactEngines({
      contact: record.id,
      slot: role,
      clock,
      log,
      link,
      relay,
      delivery,
      inspect,
      controls,
      over: this.over,
      media: () => this.log.state.shared.media,
      onDropVideo: (engine) => this.media.dropVideo(engine),
    })
  }

  #makeMembership({ state }: ContactData): Membership {
    return new Membership({
      role: this.options.role,
      life: state,
      actor: this.observed('membership'),
      enter: (signal) => this.#passage.enter(signal),
      leave: (reason) => this.#leave(reason),
      onDecided: () => this.#decided(),
      onEnd: (how) => this.#end(how),
    })
  }

  #makeCapabilities(): Capabilities {
    const { delivery, outbox, membership } = this
    return new Capabilities(
      {
        ...{ ...this.options, delivery, outbox, membership },
        contact: () => this.id,
        state: () => this.log.state,
        holdsSlot: () => this.holdsSlot,
        onSet: (capabilities) => this.media.tell({ type: 'capabilities.set', capabilities }),
      },
      this.options.capabilities,
    )
  }

  #makeMedia(): MediaOperations {
    const { delivery, engines, capabilities, membership, over } = this
    return new MediaOperations({
      ...{ log: this.options.log, delivery, engines, capabilities, membership, over },
      machine: () => this.machine,
      shared: () => this.log.state.shared,
    })
  }

  #makeOutbox(): Outbox {
    const { clock, inspect } = this.options
    return new Outbox({
      ...{ contact: this.id, clock, inspect },
      session: () => this.session,
      append: (drafts) => this.#passage.append(drafts),
      count: () => this.#passage.open(),
      keep: (entries) => this.#passage.chapter.kept.saveUnsent(entries),
    })
  }

  #makeRelay(): SessionRelay {
    const { link, clock, log } = this.options
    return new SessionRelay({
      clock,
      send: (to, frame) => link.call('relay.send', { contact: this.id, session: this.session, to, frame }),
      onLost: (kinds) => {
        log.warn('frames were lost', { kinds })
        if (kinds.includes('data')) this.channels.relayLost()
      },
    })
  }

  #listen(): void {
    const { link } = this.options
    this.#stops.push(
      link.onPush((push) => this.#pushed(push)),
      link.onPage((isHere) => this.#passage.chapter.page(isHere)),
      link.onState((state) => {
        if (state === 'offline') this.outbox.suspend()
        this.delivery.emit('connection', { state })
        if (link.refusal) this.#refused(link.refusal)
      }),
    )
  }

  /** Options of an actor of this contact. */
  observed(machine: string) {
    return { id: `${machine} ${this.id}`, ...actorOptions(this.options) }
  }

  #pushed(push: Push): void {
    if (push.name === 'log.entries' && push.body.contact === this.id) {
      if (this.membership.isEntering()) this.membership.actor.send({ type: 'log.heard' })
      this.delivery.batch(() => this.log.receive(push.body.entries))
    }
    if (push.name === 'contact.connected' && push.body.contact === this.id)
      this.#passage.told(push.body.connected)
    if (push.name === 'contact.queue' && push.body.contact === this.id) this.#queued(push.body)
    if (push.name === 'relay.frame' && push.body.contact === this.id && !this.membership.isOver())
      this.relay.receive(push.body.from, push.body.frame)
  }

  #queued({ contact: _this, ...place }: ContactEvents['queue'] & { readonly contact: string }): void {
    this.delivery.emit('queue', place)
  }

  /** What was sent before goes first. */
  async #leave(reason: string | undefined): Promise<void> {
    this.media.tell({ type: 'contact.leave' })
    this.channels.end(hasLeft())
    await Promise.all([this.engines.stop(), this.#passage.leave(reason, this.outbox.drained())])
  }

  /** The service refuses this party: what is pending settles. The page may connect again. */
  #refused(error: ContactError): void {
    this.delivery.emit('error', error)
    this.outbox.refuse(error)
    this.channels.end(error)
    this.calls.refuse(error.code)
  }

  #read(read: ReadEntry): void {
    const { role } = this.options
    const chapter = this.#passage.chapter
    const { session } = chapter
    const { entry, fact, before, after } = read
    const me = { slot: role, session, visitor: chapter.record.visitor.id }
    this.relay.bind(after.shared.session[role] === session ? after.shared.session[otherSlot(role)] : null)
    if (entry.slot === role) this.outbox.stored(entry.id, entry.seq)
    const news = mediaFact({ before: before.shared, entry, fact, shared: after.shared }, me)
    chapter.wishes.notice(read, chapter.media)
    if (news) this.media.tell(news)
    if (news?.type === 'log.slotHeld') this.capabilities.slotHeld()
    this.options.telephone?.read(read)
    if (before.shared.session !== after.shared.session) this.#passage.slotsChanged()
    if (entry.type === 'datachange') chapter.record = editedRecord(chapter.record, entry.body)
    if (entry.type === 'transferred' && role === 'visitor') chapter.goOn(entry.body.toId)
    const keep = chapter.keeping(read)
    if (entry.seq <= (chapter.seen ?? Number.POSITIVE_INFINITY)) return keep()
    const membership = membershipEvent(read, me)
    if (membership) this.membership.actor.send(membership)
    const { delivery, outbox } = this
    emitEntry({ ...this.options, session, delivery, outbox, follower: (each) => this.#follower(each) }, read)
    if (
      fact.kind !== 'void' &&
      entry.slot === otherSlot(role) &&
      (entry.type === 'present' || entry.type === 'capabilities')
    )
      this.capabilities.heard()
    this.delivery.inTurn(keep, true)
  }

  /** Has `hear` told of each entry when its events are, and say whether a handler had it. */
  follow(hear: (read: ReadEntry) => boolean): void {
    this.#follower = hear
  }
}

const hasLeft = (): ContactError =>
  new ContactError('left', 'unable to go on; the contact is over for this page')
