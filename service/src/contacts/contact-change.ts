import { countChannels, foldContact } from '../../../protocol/index.ts'
import type {
  ContactState,
  Entry,
  Push,
  ServiceBodies,
  ServiceEntryType,
  Slot,
} from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { entryOf, serviceInsert } from '../log/entry-insert.ts'
import type { AppendResult, EntryInsert } from '../log/entry-insert.ts'
import type { ContactRow, SessionRow } from '../store/tables.ts'
import type { TimerKind, TimerRow } from '../timers/timer-rows.ts'
import type {
  ContactEffect,
  ContactEvent,
  ContactLimits,
  ContactTimer,
  LeaveDetails,
  TransferTarget,
} from './contact.types.ts'
import { limitOf } from './contact-limits.ts'
import { advanceLife, isOver, isVisitorAway, isWaiting, lifeName } from './life.ts'
import type { LifeStep, StoredLife } from './life.ts'
import { ContactRouting } from './contact-routing.ts'
import { sessionsOf } from './session-rows.ts'
import { appendAll } from './unstored-entries.ts'
import type { UnstoredEntry } from './unstored-entries.ts'
import type { Statement, TransactionBatch } from '../store/transaction-batch.ts'

/** What every change of a contact needs from outside. */
export interface ContactWorld {
  readonly clock: ServiceClock
  readonly random: Random
  readonly limits: ContactLimits
}

interface Loaded {
  readonly row: ContactRow
  readonly state: ContactState
}

/**
 * One contact, whose row is locked: facts go in, entries, timers and the next snapshot come out. All that is
 * left to {@link saveChanges} is stored together.
 */
export class ContactChange {
  readonly row: ContactRow
  readonly routing: ContactRouting
  readonly world: ContactWorld
  readonly #batch: TransactionBatch
  /** Entries appended so far. */
  readonly entries: Entry[] = []
  /** Entries of the service among them that are still to be stored. */
  readonly unstored: UnstoredEntry[] = []
  /** The nodes that had the contact open as its entries were stored. */
  nodes: readonly string[] = []
  /** Timers to set or (null) to clear. */
  readonly timers = new Map<string, Omit<TimerRow, 'due'> & { readonly due: number | null }>()
  /** All timers that were set before go first. */
  clearsTimers = false
  /** Told to agents after the commit. */
  readonly pushes: { readonly agent: string; readonly push: Push }[] = []
  /** Agents who are not to be asked again for a while. */
  readonly refused: string[] = []
  /** Uploads that it has given up. */
  readonly droppedUploads: string[] = []
  /** Sessions that may leave though they are no channel: their `left` is not in the log. */
  readonly unannounced = new Set<string>()
  /** Where the contact goes on under a new id. */
  successor: TransferTarget | null = null
  #state: ContactState
  #life: StoredLife

  constructor(batch: TransactionBatch, world: ContactWorld, { row, state }: Loaded) {
    this.#batch = batch
    this.world = world
    this.row = row
    this.#state = state
    this.#life = JSON.parse(row.machine) as StoredLife
    this.routing = new ContactRouting(row)
  }

  /** For statements of this contact alone. */
  get trx(): TransactionBatch['trx'] {
    return this.#batch.trx
  }

  /** The time of everything that this change writes. */
  get now(): number {
    return this.#batch.now
  }

  /** For a statement that the others of the transaction may share. */
  load<Q, A>(statement: Statement<Q, A>, question: Q): Promise<A> {
    return this.#batch.load(statement, question)
  }

  /** For work that looks at what changes of other contacts may write too. */
  serialize<T>(work: () => Promise<T>): Promise<T> {
    return this.#batch.serialize(work)
  }

  /** The folded contact, seen by the visitor. */
  get state(): ContactState {
    return this.#state
  }

  get life(): StoredLife {
    return this.#life
  }

  /** Whether a contact enters or leaves the queue, or an agent has one more or less. */
  get movesQueue(): boolean {
    const { row } = this
    return (
      row.waiting !== isWaiting(this.#life) ||
      row.life !== lifeName(this.#life) ||
      (row.waiting && row.visitor_away !== isVisitorAway(this.#life))
    )
  }

  /** Whether it was in the queue and is not any more. */
  get leavesQueue(): boolean {
    return this.row.waiting && !isWaiting(this.#life)
  }

  /** Whether a party has lost its part: the contact is over, or is the agent's no more. */
  get losesParty(): boolean {
    const { ended, agent } = this.row
    return (
      (ended === null && isOver(this.#life)) ||
      (agent !== null && agent !== (this.#life.context.agent?.user ?? null))
    )
  }

  /** Begins the life of a contact whose row has just been made. */
  begin(step: LifeStep): void {
    this.#take(step)
  }

  /** Tells the contact's machine what has happened and carries out what it wants. */
  happen(event: ContactEvent): void {
    this.#take(advanceLife(this.#life, event))
  }

  /** Tells an agent something after the commit. */
  tell(agent: string, push: Push): void {
    this.pushes.push({ agent, push })
  }

  /** The agent has changed a form field. */
  noteEdit(edit: ServiceBodies['datachange']): void {
    this.#write('datachange', edit)
  }

  /** A telephone call of the contact goes on, or is over. */
  noteTelephone(news: ServiceBodies['telephone']): void {
    this.#write('telephone', news)
  }

  /** A message of the service to both parties, under an id that no entry has. */
  noteMessage(id: string, message: ServiceBodies['notice']): void {
    this.#write('notice', message, id)
  }

  /** Appends what a party wrote. */
  async append(inserts: readonly EntryInsert[]): Promise<AppendResult[]> {
    const outcomes = await this.load(appendAll, { change: this, inserts })
    inserts.forEach((insert, index) => {
      const outcome = outcomes[index]
      if (outcome?.isNew && outcome.seq !== null) this.#fold(entryOf(insert, outcome.seq, this.now))
    })
    return outcomes
  }

  schedule(kind: TimerKind, key: string, delayMs: number): void {
    this.timers.set(`${kind} ${key}`, { subject: this.row.id, kind, key, due: this.now + delayMs })
  }

  cancel(kind: TimerKind, key: string): void {
    this.timers.set(`${kind} ${key}`, { subject: this.row.id, kind, key, due: null })
  }

  /** The sessions that it has had, of one party. */
  async sessions(slot: Slot): Promise<SessionRow[]> {
    return (await this.load(sessionsOf, this.row.id)).filter((session) => session.slot === slot)
  }

  /** Whether its row holds it as it is: opening a contact changes nothing of it. */
  get isStored(): boolean {
    const { row } = this
    return (
      this.entries.length === 0 &&
      Object.entries(this.columns()).every(
        ([name, value]) => name.startsWith('state') || row[name as keyof ContactRow] === value,
      )
    )
  }

  /** What its row is to hold. */
  columns() {
    const life = lifeName(this.#life)
    const over = life === 'cleared' || life === 'transferred'
    return {
      life,
      waiting: isWaiting(this.#life),
      visitor_away: isVisitorAway(this.#life),
      queued_at: this.#life.context.queuedAt,
      agent: this.#life.context.agent?.user ?? null,
      machine: JSON.stringify(this.#life),
      state: JSON.stringify(this.#state),
      state_seq: this.#state.seq,
      ended: over ? (this.row.ended ?? this.now) : null,
    }
  }

  #take({ life, effects }: LifeStep): void {
    const wasWaiting = isWaiting(this.#life)
    this.#life = life
    for (const effect of effects) this.#carryOut(effect)
    if (!wasWaiting && isWaiting(life)) this.routing.enter(this.now)
  }

  #carryOut(effect: ContactEffect): void {
    switch (effect.type) {
      case 'writeLeft':
        return this.#writeLeft(effect.params)
      case 'writeAssigned':
        return this.#write('assigned', effect.params)
      case 'writeJoined':
        return this.#write('joined', effect.params)
      case 'writeDeclined':
        return this.#writeDeclined(effect.params)
      case 'refuse':
        return void this.refused.push(effect.params.user)
      case 'writeTransferred':
        return this.#write('transferred', effect.params)
      case 'writeCleared':
        return this.#write('cleared', effect.params)
      case 'schedule':
        return this.schedule('contact', effect.params.timer, this.#limitOf(effect.params.timer))
      case 'cancel':
        return this.cancel('contact', effect.params.timer)
      case 'scheduleGrace':
        return this.schedule('absence', effect.params.session, this.world.limits.graceMs)
      case 'cancelGrace':
        return this.cancel('absence', effect.params.session)
      case 'cancelAll':
        this.clearsTimers = true
        return this.timers.clear()
      case 'succeed':
        this.successor = effect.params
    }
  }

  #limitOf(timer: ContactTimer): number {
    const { world, row, now } = this
    const isSuccessor = row.transferred_from !== null
    return limitOf(timer, { context: this.#life.context, limits: world.limits, isSuccessor, now })
  }

  /** One that was to have the contact alone: anyone may now. Who handed it on is told. */
  #writeDeclined(agent: ServiceBodies['declined']): void {
    this.#write('declined', agent)
    const by = this.routing.decline(agent.user)
    if (by !== null) this.tell(by, { name: 'agent.declined', body: { id: this.row.id, ...agent } })
  }

  /** Once, until the session announces itself anew. The counts are those of the contact after this entry. */
  #writeLeft(fact: LeaveDetails): void {
    this.cancel('absence', fact.session)
    const before = this.#state.channels[fact.slot]
    if (!before.includes(fact.session) && !this.unannounced.delete(fact.session)) return
    const after = before.filter((session) => session !== fact.session)
    this.#write('left', { ...fact, channels: countChannels({ ...this.#state.channels, [fact.slot]: after }) })
  }

  /** Nobody else can append meanwhile, so the number is known before the entry is stored. */
  #write<T extends ServiceEntryType>(
    type: T,
    body: ServiceBodies[T],
    id = randomId(this.world.random, 's-'),
  ): void {
    const insert = serviceInsert({ contact: this.row.id, id }, type, body)
    const seq = this.#state.seq + 1
    this.unstored.push({ insert, seq })
    this.#fold(entryOf(insert, seq, this.now))
  }

  #fold(entry: Entry): void {
    this.#state = foldContact(this.#state, entry).state
    this.entries.push(entry)
  }
}
