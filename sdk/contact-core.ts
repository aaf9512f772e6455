import { createActor, fromCallback } from 'xstate'
import type { MakeDataPipe, MediaEngine } from '../engines/light.ts'
import { mediaFact, mediaMachine } from '../machines/light.ts'
import type { MediaActor, MediaEmitted, MediaEvent, WriteCommand } from '../machines/light.ts'
import { ContactError, otherSlot } from '../protocol/index.ts'
import type { Clock, ContactData, ContactLife, ErrorCode, Letter, MediaCapabilities, Push, Slot } from '../protocol/index.ts'
import { Attendance } from './attendance.ts'
import { Capabilities } from './capabilities.ts'
import type { Inspect, Log } from './client.ts'
import { ContactEngines } from './contact-engines.ts'
import { ContactLog } from './contact-log.ts'
import type { ReadEntry } from './contact-log.ts'
import { DataChannels } from './data-channels.ts'
import { Delivery } from './delivery.ts'
import { showLog } from './inspected-log.ts'
import { Lane } from './lane.ts'
import type { ServiceLink } from './link/service-link.ts'
import { machineClock } from './machine-clock.ts'
import { membershipEvent, messageEvent, publishMembership } from './log-events.ts'
import { Outbox } from './outbox.ts'
import { Wishes } from './wishes.ts'

export interface CoreOptions {
  readonly link: ServiceLink
  readonly role: Slot
  readonly session: string
  readonly record: ContactData
  readonly capabilities: MediaCapabilities
  /** How data channels connect directly; null where that cannot be. */
  readonly pipes: () => Promise<MakeDataPipe | null>
  readonly clock: Clock
  readonly log: Log
  readonly inspect?: Inspect | undefined
  /** Last entry whose events the application has seen: those up to it are folded silently. Null: all that is there when the contact is entered. */
  readonly cursor: number | null
  /** Keeps the cursor and what is still to be sent over a page load. */
  readonly keep: (kept: { readonly cursor?: number; readonly letters?: readonly Letter[] }) => void
  /** This page holds nothing of the contact any more. `dropped`: it goes on elsewhere. */
  readonly onEnd: (how: 'over' | 'dropped') => void
}

/** Codes of the service for a contact that is over for this party. */
const GONE: ReadonlySet<ErrorCode> = new Set(['left', 'not_found', 'not_assigned', 'forbidden'])

/** Wires one contact: the link's entries feed the fold, the fold's facts the machines, the machines the outbox, the engines and the application. */
export class ContactCore {
  readonly options: CoreOptions
  readonly delivery: Delivery
  readonly engines: ContactEngines
  readonly log: ContactLog
  readonly lane: Lane
  readonly channels: DataChannels
  readonly outbox: Outbox
  readonly attendance: Attendance
  readonly capabilities: Capabilities
  /** Null until the contact is entered: the machine starts from what the log says then. */
  media: MediaActor | null = null
  readonly #stops: (() => void)[] = []
  readonly #wishes: Wishes
  #seen: number | null

  constructor(options: CoreOptions) {
    const { role, session, record, log } = options
    const contact = record.id
    this.options = options
    this.capabilities = new Capabilities(this, options.capabilities)
    this.#seen = options.cursor
    this.#wishes = new Wishes({ slot: role, session, initialOffer: record.initialOffer })
    this.delivery = new Delivery(log)
    const show = showLog(contact, options.inspect)
    const onEntry = (read: ReadEntry): void => {
      show(read)
      this.#read(read)
    }
    this.log = new ContactLog({ reader: role, initialOffer: record.initialOffer, onEntry, onGap: () => void this.#open().catch(() => {}) })
    this.outbox = this.#makeOutbox()
    this.lane = this.#makeLane()
    this.channels = new DataChannels({ ...options, slot: role, lane: this.lane, delivery: this.delivery, attendance: () => this.attendance })
    this.engines = this.#makeEngines()
    this.attendance = new Attendance({
      role,
      life: record.state,
      actor: this.#observed('membership'),
      enter: (signal) => this.#enter(signal),
      leave: (reason) => this.#leave(reason),
      onDecided: () => this.#decided(),
      onEnd: (how) => this.#end(how),
    })
    this.#listen()
    publishMembership(this)
    this.attendance.membership.start()
  }

  get id(): string {
    return this.options.record.id
  }

  /** Adds an engine and its media to the capabilities. @throws what the engine's `capabilities` throws. */
  async addEngine(engine: MediaEngine): Promise<void> {
    const media = await this.engines.roster.add(engine)
    this.capabilities.addEngine(engine.id, media)
  }

  /** Tells the media machine, while there is one. */
  tell(event: MediaEvent): void {
    if (this.media?.getSnapshot().status === 'active') this.media.send(event)
  }

  /** Hands an entry of the machine's to the log; the service's word about it comes back through the log. */
  write(entry: Letter): void {
    this.outbox.add(entry).catch((error: ContactError) => {
      if (error.code === 'left') return
      this.options.log.warn('an entry was refused', { type: entry.type, code: error.code })
      this.delivery.emit('error', error)
    })
  }

  /** Gives back all that this page holds; nothing is sent or delivered after it. */
  #end(how: 'over' | 'dropped'): void {
    const left = hasLeft()
    this.tell({ type: 'contact.leave' })
    this.outbox.close(left)
    this.channels.end(left)
    this.lane.bind(null)
    this.capabilities.end(left)
    for (const stop of this.#stops.splice(0)) stop()
    this.media?.stop()
    this.options.onEnd(how)
  }

  #decided(): void {
    if (this.attendance.isInside()) this.capabilities.entered()
    setTimeout(this.delivery.start)
  }

  #makeEngines(): ContactEngines {
    const { link, role, record, clock, log, inspect } = this.options
    const { lane, delivery } = this
    return new ContactEngines({ contact: record.id, slot: role, clock, log, link, lane, delivery, inspect, media: () => this.log.state.shared.media })
  }

  #makeOutbox(): Outbox {
    const { link, session, clock, inspect, keep } = this.options
    const contact = this.id
    return new Outbox({
      ...{ contact, session, clock, inspect },
      append: async (drafts) => (await link.call('log.append', { contact, session, drafts })).appended,
      keep: (letters) => keep({ letters }),
    })
  }

  #makeLane(): Lane {
    const { link, session, clock, log } = this.options
    return new Lane({
      clock,
      send: (to, frame) => link.call('lane.send', { contact: this.id, session, to, frame }),
      onLost: (kinds) => {
        log.warn('frames lost with the session', { frames: kinds.length })
        if (kinds.includes('data')) this.channels.relayLost()
      },
      onPeer: () => this.channels.end(new ContactError('peer_left', 'the page of the other party is gone')),
    })
  }

  #listen(): void {
    const { link } = this.options
    this.#stops.push(
      link.onPush((push) => this.#pushed(push)),
      link.onResume(() => this.#resume()),
      link.onState((state) => {
        if (state === 'offline') this.outbox.suspend()
        this.delivery.emit('connection', { state })
      }),
    )
  }

  #observed(machine: string) {
    const { clock, inspect } = this.options
    return { id: `${machine} ${this.id}`, clock: machineClock(clock), ...(inspect && { inspect }) }
  }

  #startMedia(): MediaActor {
    const { role, session } = this.options
    const log = fromCallback<WriteCommand>(({ receive }) => receive(({ entry }) => this.write(entry)))
    const media = createActor(mediaMachine.provide({ actors: { engines: this.engines.driver(), log } }), {
      ...this.#observed('media'),
      input: { slot: role, session, capabilities: this.capabilities.local, shared: this.log.state.shared },
    })
    media.on('*', (emitted) => this.onMedia(emitted))
    media.subscribe(() => this.#wishes.fulfil(media))
    this.media = media
    return media
  }

  #pushed(push: Push): void {
    if (push.name === 'log.entries' && push.body.contact === this.id) this.delivery.batch(() => this.log.receive(push.body.entries))
    if (push.name === 'lane.frame' && push.body.contact === this.id) this.lane.receive(push.body.from, push.body.frame)
  }

  async #open(): Promise<void> {
    const { link, session } = this.options
    const { head } = await link.call('contact.open', { contact: this.id, session, cursor: this.log.state.seq })
    this.#seen ??= head
    await this.log.reaches(head)
    this.outbox.resume()
    this.lane.resume()
  }

  async #enter(signal: AbortSignal): Promise<ContactLife | null> {
    await this.#open()
    if (signal.aborted) return null
    const media = this.#startMedia()
    await new Promise<void>((resolve) => {
      const watching = media.subscribe((snapshot) => {
        if (snapshot.matches({ init: 'announcing' })) return
        watching.unsubscribe()
        resolve()
      })
      media.start()
    })
    return this.log.state.life
  }

  /** A contact that this party has no part in any more is given up; the link goes on for the others. */
  async #resume(): Promise<void> {
    if (this.attendance.isOutside() || this.attendance.isOver()) return
    try {
      await this.#open()
    } catch (thrown) {
      if (!(thrown instanceof ContactError) || !GONE.has(thrown.code)) throw thrown
      this.delivery.emit('error', thrown)
      this.attendance.drop()
    }
  }

  async #leave(reason: string | undefined): Promise<void> {
    const { link, session } = this.options
    this.tell({ type: 'contact.leave' })
    this.channels.end(hasLeft())
    const told = link.call('contact.leave', { contact: this.id, session, ...(reason !== undefined && { reason }) }).catch((thrown: unknown) => {
      this.options.log.debug('leaving without the service', { code: thrown instanceof ContactError ? thrown.code : 'internal' })
    })
    await Promise.all([this.engines.stop(), told])
  }

  #read(read: ReadEntry): void {
    const { role, session, record } = this.options
    const { entry, fact, before, after } = read
    const me = { slot: role, session, visitor: record.visitor.id }
    this.lane.bind(after.shared.session[role] === session ? after.shared.session[otherSlot(role)] : null)
    if (entry.slot === role) this.outbox.stored(entry.id, entry.seq)
    const news = mediaFact({ before: before.shared, entry, fact, shared: after.shared }, me)
    this.#wishes.notice(read, this.media !== null)
    if (news) this.tell(news)
    if (entry.seq <= (this.#seen ?? Number.POSITIVE_INFINITY)) return
    const membership = membershipEvent(read, me)
    if (membership) this.attendance.membership.send(membership)
    messageEvent(this, read)
    if (fact.kind !== 'void' && entry.slot === otherSlot(role) && (entry.type === 'present' || entry.type === 'capabilities')) this.capabilities.heard()
  }

  /** What to do with what the media machine tells; set by the media operations. */
  onMedia: (emitted: MediaEmitted) => void = () => {}
}

const hasLeft = (): ContactError => new ContactError('left', 'the contact is over for this page')
