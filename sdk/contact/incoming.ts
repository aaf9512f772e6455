import { ContactError, editedRecord, otherSlot } from '../../protocol/index.ts'
import type { ContactEvents, PartyEntry, Push, Slot } from '../../protocol/index.ts'
import type { Encryption } from '../crypto/interface.ts'
import { emitEntry } from '../log/entry-events.ts'
import { membershipEvent } from '../log/membership-events.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { Outbox } from '../log/outbox.ts'
import type { Capabilities } from '../media/capabilities.ts'
import type { Relay } from '../relay/relay.ts'
import type { ContactSession } from './contact-session.ts'
import type { Delivery } from './event-queue.ts'
import type { MediaPart } from './media-part.ts'
import type { Membership } from './membership.ts'

/** Which parts of a contact take what comes from the service. */
export interface IncomingOptions {
  readonly role: Slot
  /** Origin of the service. */
  readonly service: string
  readonly delivery: Delivery
  readonly membership: Pick<Membership, 'actor' | 'isEntering' | 'isOver'>
  readonly session: Pick<ContactSession, 'slotsChanged' | 'state' | 'told'>
  readonly relay: Pick<Relay, 'bind' | 'receive'>
  readonly outbox: Pick<Outbox, 'add' | 'again' | 'stored' | 'wrote'>
  /** Of a secure contact. */
  readonly encryption: Encryption | null
  readonly capabilities: Pick<Capabilities, 'heard' | 'slotHeld'>
  readonly media: Pick<MediaPart, 'memory' | 'read'>
  /** Where Voice can go over a telephone. */
  readonly telephone: { readonly read: (read: ReadEntry) => void } | undefined
}

/** Hands what the service pushes, and each entry of the log, to the parts that need it. */
export class Incoming {
  readonly #options: IncomingOptions
  #follower: (read: ReadEntry) => boolean = () => false

  constructor(options: IncomingOptions) {
    this.#options = options
  }

  /**
   * Calls `hear` with each entry when its events are emitted; it says whether a handler had the entry. What is
   * returned holds the events back.
   */
  follow = (hear: (read: ReadEntry) => boolean): Delivery['hold'] => {
    this.#follower = hear
    return this.#options.delivery.hold
  }

  pushed(push: Push): void {
    const { membership, delivery, session, relay } = this.#options
    const { id, log } = session.state
    if (push.name === 'log.entries' && push.body.contact === id) {
      if (membership.isEntering()) membership.actor.send({ type: 'log.heard' })
      delivery.batch(() => log.receive(push.body.entries))
    }
    if (push.name === 'contact.connected' && push.body.contact === id) session.told(push.body.connected)
    if (push.name === 'contact.queue' && push.body.contact === id) this.#queued(push.body)
    if (push.name === 'relay.frame' && push.body.contact === id && !membership.isOver())
      relay.receive(push.body.from, push.body.frame)
  }

  /** An entry of the log was read. */
  read(read: ReadEntry): void {
    const { role, session, relay, outbox, media, capabilities, telephone, encryption, delivery } =
      this.#options
    const { state } = session
    const { entry, fact, before, after } = read
    const sessions = after.shared.session
    relay.bind(state.holdsSlot ? sessions[otherSlot(role)] : null)
    const isOfOtherKey = fact.kind === 'void' && fact.reason === 'other_key' // §5
    if (entry.slot === role) {
      this.#requireOwn(entry)
      if (isOfOtherKey) outbox.again(entry.id)
      else outbox.stored(entry.id, entry.seq)
    }
    encryption?.read(read)
    if (isOfOtherKey || read.isUntold) {
      delivery.inTurn(state.cursorAfter(read, media.memory(state)), true)
      return
    }
    media.read(read, state)
    if (fact.kind === 'present' && fact.session === state.session) capabilities.slotHeld()
    telephone?.read(read)
    if (before.shared.session !== sessions) session.slotsChanged()
    if (entry.type === 'datachange') state.record = editedRecord(state.record, entry.body)
    if (entry.type === 'transferred' && role === 'visitor') state.move(entry.body.toId)
    const save = state.cursorAfter(read, media.memory(state))
    if (!read.isLate && entry.seq <= (state.seen ?? Number.POSITIVE_INFINITY)) save()
    else this.#emit(read, save)
  }

  /** An entry of this page's session that the page has not written was made up. */
  #requireOwn({ id, type, session }: PartyEntry): void {
    const { outbox, delivery, encryption } = this.#options
    const { state } = this.#options.session
    if (session !== state.session || state.isReadAgain || outbox.wrote(id, type)) return // §5
    encryption?.broken('log') // §5
    if (!encryption)
      delivery.emit(
        'error',
        new ContactError(
          'tampered',
          'unable to trust the log; it has an entry of this page that it did not write',
        ),
      )
  }

  /** Emits the events of an entry; `save` runs after them. */
  #emit(read: ReadEntry, save: () => void): void {
    const { role, membership, delivery, capabilities, encryption } = this.#options
    const { session, record } = this.#options.session.state
    const { entry, fact } = read
    const event = membershipEvent(read, { slot: role, session, visitor: record.visitor.id })
    if (event) membership.actor.send(event)
    const told = encryption ? encryption.told(read) : read
    const emit = (): void => {
      if (told) emitEntry({ ...this.#options, session, follower: (each) => this.#follower(each) }, told)
    }
    if (entry.slot !== otherSlot(role) || !encryption?.whileHeld(emit, read)) emit()
    const tellsCapabilities = entry.type === 'present' || entry.type === 'capabilities'
    if (tellsCapabilities && fact.kind !== 'void' && entry.slot === otherSlot(role)) capabilities.heard()
    delivery.inTurn(save, true)
  }

  #queued({ contact: _this, ...place }: ContactEvents['queue'] & { readonly contact: string }): void {
    this.#options.delivery.emit('queue', place)
  }
}
