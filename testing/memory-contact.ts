/** One contact of the service in memory: its log, and the rules by which the service writes into it. */
import { ContactError, algebra, countChannels, otherSlot } from '../protocol/index.ts'
import type {
  Appended,
  AttachmentBody,
  Calls,
  Clock,
  ContactData,
  ContactNote,
  ContactRequest,
  ContactState,
  EndReason,
  Entry,
  ServiceBodies,
  ServiceEntryType,
  Slot,
} from '../protocol/index.ts'
import { MemoryForms } from './memory-forms.ts'
import { MemoryLog } from './memory-log.ts'
import { recordFor } from './memory-record.ts'
import { cardOf } from './party.ts'
import type { Party, TransferTo } from './party.ts'

/** Time limits of the service, milliseconds. */
const LIMITS = {
  abandon: 10_000,
  creation: 60_000,
  wait: 1_800_000,
  join: 60_000,
  grace: 60_000,
  disconnect: 600_000,
  closing: 30_000,
} as const

/** What a contact in memory is made of. */
export interface MemoryContactOptions {
  readonly id: string
  readonly visitor: Party
  readonly request: ContactRequest
  readonly clock: Clock
  /** A limit was over, or a file has come: entries were written. */
  readonly onLimit: () => void
  /** Id of the contact that this one goes on from. */
  readonly transferredFrom?: string
  /** The contact goes on under a new id, without an agent. */
  readonly onTransfer: (to: TransferTo, request: ContactRequest) => string
}

/** One contact of the service in memory: its log, and what the service writes into it. */
export class MemoryContact {
  agent: Party | null = null
  readonly notes: ContactNote[] = []
  readonly #options: MemoryContactOptions
  readonly #created: number
  /** Its forms. */
  readonly forms: MemoryForms
  readonly #log: MemoryLog
  #queuedAt: number | null = null
  readonly #owners = new Map<string, string>()
  readonly #connected = new Set<string>()
  readonly #ended = new Set<string>()
  readonly #timers = new Map<string, unknown>()

  constructor(options: MemoryContactOptions) {
    this.#options = options
    this.#created = options.clock.now()
    this.forms = new MemoryForms(options.request.data ?? [])
    this.#log = new MemoryLog(options.clock, options.request)
    this.#after(LIMITS.creation, 'creation', () => this.#clear('disconnect'))
  }

  /** The log so far. */
  get entries(): Entry[] {
    return this.#log.entries
  }

  /** The fold of the log, as the visitor reads it. */
  get state(): ContactState {
    return this.#log.state
  }

  /** Identifier of the contact. */
  get id(): string {
    return this.#options.id
  }

  /** The visitor, by the name given with the contact. */
  get visitor(): Party {
    return this.#options.visitor
  }

  /** The record as `reader` may see it. */
  record(reader: Slot): ContactData {
    const { state, successor, entries } = this
    return recordFor(reader, {
      ...{ options: this.#options, created: this.#created, forms: this.forms, state },
      ...{ successor, entries },
    })
  }

  /** The agent changes a form field. */
  edit({ form, field, value }: Calls['agent.edit']['args']): Record<string, never> {
    const edit = this.forms.edit({ form, field, value, user: this.agent?.id ?? '' })
    if (edit) this.#write('datachange', edit)
    return {}
  }

  /** The service writes a message to both parties. */
  say(message: ServiceBodies['notice']): void {
    this.#write('notice', message)
  }

  /** Where the contact has gone on; null where it has not. */
  successor: string | null = null

  /** Last counter that a session has used. */
  counterOf = (session: string): number => this.#log.counterOf(session)

  /** The session that may be spoken to from `slot`. */
  peerOf = (slot: Slot): string | null => this.state.shared.session[otherSlot(slot)]

  /** Whether this party has opened the contact with the session. */
  isOf = (session: string, party: Party): boolean => this.#owners.get(session) === ownerOf(party)

  /** A session has a connection. @throws ContactError `left`, `forbidden` */
  announce(session: string, party: Party): void {
    if (this.#owners.has(session) && !this.isOf(session, party))
      throw new ContactError('forbidden', 'unable to open the contact; the session belongs to another party')
    if (this.#ended.has(session) || (this.state.life === 'cleared' && !this.#log.hasSession(session)))
      throw new ContactError('left', 'unable to open the contact; it has ended, or this session has left it')
    this.#owners.set(session, ownerOf(party))
    this.#log.addSession(session)
    this.#connected.add(session)
    this.#cancel(session)
  }

  /** A session has lost its connection: forgiven within the grace. */
  lose(session: string, slot: Slot): void {
    this.#connected.delete(session)
    if (!this.#isOver() && this.state.channels[slot].includes(session))
      this.#after(LIMITS.grace, session, () => this.#end(session, slot, 'lost'))
  }

  /**
   * A session ends for good. True where the contact has gone on, and no other session of the party was
   * connected to follow it.
   */
  leave(session: string, slot: Slot): boolean {
    if (this.#ended.has(session)) return false
    this.#connected.delete(session)
    this.#cancel(session)
    this.#ended.add(session)
    const channels = this.state.channels[slot]
    if (channels.length > 0 && !channels.includes(session)) return false
    if (!this.#isOver()) this.#end(session, slot, 'left')
    else return this.successor !== null && !channels.some((other) => this.#connected.has(other))
    return false
  }

  /** An agent has taken the contact. */
  assign(agent: Party): void {
    this.agent = agent
    this.#write('assigned', cardOf(agent))
    this.#after(LIMITS.join, 'join', () => this.decline(agent))
  }

  /** An agent does not take the contact, or gives it back before joining. */
  decline(agent: Party): void {
    this.#cancel('join')
    if (this.agent?.id === agent.id) this.agent = null
    this.#write('declined', { user: agent.id, nick: agent.nick ?? agent.id })
  }

  /** A file of a party is there as a whole. Gives the number of its entry. @throws ContactError `left` */
  attach(body: AttachmentBody): number {
    if (this.#isOver()) throw new ContactError('left', 'unable to take the file; the contact is over')
    const seq = this.#log.write('attachment', body, body.id)
    this.#options.onLimit()
    return seq
  }

  /** Checks and stores what a party wrote, as the service does. */
  append(slot: Slot, session: string, drafts: readonly unknown[]): Appended[] {
    const author = slot === 'visitor' ? this.visitor : this.agent
    if (!author) throw new ContactError('left', 'unable to append; this party has left the contact')
    const appending = {
      ...{ author, session, isOver: this.#isOver },
      onPresent: () => this.#entered(author, session),
    }
    this.#log.checkCall(drafts, appending)
    return drafts.map((raw) => this.#log.append(raw, appending))
  }

  #isOver = (): boolean => this.state.life === 'cleared' || this.successor !== null

  #entered(party: Party, session: string): void {
    for (const other of this.state.channels[party.slot])
      if (
        other !== session &&
        !this.#connected.has(other) &&
        this.state.shared.session[party.slot] === session
      )
        this.#left(other, party.slot)
    if (party.slot === 'visitor') {
      for (const limit of ['creation', 'disconnect', 'closing']) this.#cancel(limit)
      this.#queuedAt ??= this.#options.clock.now()
      if (this.state.life !== 'joined' && !this.#timers.has('wait'))
        this.#after(LIMITS.wait, 'wait', () => this.#clear('dissuasion'))
    } else if (this.state.life === 'assigned') {
      this.#cancel('wait')
      this.#cancel('join')
      this.#write('joined', cardOf(party))
    }
  }

  #end(session: string, slot: Slot, how: 'left' | 'lost'): void {
    if (this.#isOver()) return
    const last = this.state.channels[slot].every((other) => other === session || !this.#connected.has(other))
    if (!last) return this.#left(session, slot)
    for (const other of this.state.channels[slot]) if (other !== session) this.#left(other, slot)
    if (slot === 'visitor') this.#visitorEnds(session, how)
    else this.#agentEnds(session, how)
  }

  #visitorEnds(session: string, how: 'left' | 'lost'): void {
    if (how === 'lost') {
      this.#left(session, 'visitor', 'timeout')
      return this.#after(LIMITS.disconnect, 'disconnect', () => this.#clear('disconnect'))
    }
    if (this.state.life === 'joined') {
      this.#left(session, 'visitor', 'vvcu')
      return this.#after(LIMITS.closing, 'closing', () => this.#clear('user'))
    }
    const reason =
      this.#options.clock.now() - (this.#queuedAt ?? this.#created) < LIMITS.abandon ? 'cancel' : 'abandon'
    this.#left(session, 'visitor', reason)
    this.#clear(reason)
  }

  #agentEnds(session: string, how: 'left' | 'lost'): void {
    if (this.state.life !== 'joined') return this.agent ? this.decline(this.agent) : undefined
    this.#left(session, 'agent', how === 'left' ? 'user' : 'timeout')
    if (how === 'left' || this.isDeserted) return this.#clear('user')
    this.transfer({})
  }

  /** The visitor has left for good. */
  get isDeserted(): boolean {
    return this.#timers.has('closing')
  }

  /** Goes on under a new id, with the Native media as they are. Gives the id. */
  transfer(to: TransferTo): string {
    const { request, onTransfer } = this.#options
    const toId = onTransfer(to, {
      ...request,
      data: this.forms.all,
      tags: to.toTags ?? request.tags ?? [],
      initialOffer: algebra.carriedOffer(this.state.shared),
    })
    this.successor = toId
    for (const name of [...this.#timers.keys()]) this.#cancel(name)
    this.#write('transferred', { toId, ...to })
    return toId
  }

  #left(session: string, slot: Slot, reason?: EndReason): void {
    this.#cancel(session)
    const remaining = this.state.channels[slot].filter((one) => one !== session)
    const channels = countChannels({ ...this.state.channels, [slot]: remaining })
    const party = slot === 'visitor' ? { vvcu: this.visitor.id } : { user: this.agent?.id ?? '' }
    this.#write('left', { session, slot, ...party, ...(reason !== undefined && { reason }), channels })
  }

  #clear(reason: EndReason): void {
    for (const name of [...this.#timers.keys()]) this.#cancel(name)
    this.#write('cleared', { reason })
  }

  #write<T extends ServiceEntryType>(type: T, body: ServiceBodies[T]): number {
    return this.#log.write(type, body)
  }

  #after(delayMs: number, name: string, run: () => void): void {
    this.#cancel(name)
    const timer = this.#options.clock.setTimeout(() => {
      this.#timers.delete(name)
      run()
      this.#options.onLimit()
    }, delayMs)
    this.#timers.set(name, timer)
  }

  #cancel(name: string): void {
    this.#options.clock.clearTimeout(this.#timers.get(name))
    this.#timers.delete(name)
  }
}

const ownerOf = ({ slot, id }: Party): string => `${slot} ${id}`
