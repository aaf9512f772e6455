import type { Transaction } from 'kysely'
import { countChannels, foldContact } from '../../../protocol/index.ts'
import type { ContactState, Entry, Push, ServiceBodies, ServiceEntryType, Slot } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { appendWritings } from '../log/append.ts'
import type { RunQuery } from '../log/append.ts'
import { entryOf, serviceWriting } from '../log/writing.ts'
import type { Outcome, Writing } from '../log/writing.ts'
import { withdrawOffers } from '../queue/offer-rows.ts'
import type { ContactRow, SessionRow, Tables } from '../store/tables.ts'
import { clearTimer, clearTimersOf, setTimer } from '../timers/timer-rows.ts'
import type { TimerKind } from '../timers/timer-rows.ts'
import type { ContactEffect, ContactEvent, ContactLimits, ContactTimer, LeftFact, TransferTarget } from './contact.types.ts'
import { advanceLife, isWaiting, lifeName } from './life.ts'
import type { LifeStep, StoredLife } from './life.ts'

/** What every change of a contact needs from outside. */
export interface ContactWorld {
  readonly clock: ServiceClock
  readonly random: Random
  readonly limits: ContactLimits
}

interface Loaded {
  readonly row: ContactRow
  readonly state: ContactState
  readonly runQuery: RunQuery
}

/** One transaction over one contact, whose row it has locked: facts go in, entries, timers and the next snapshot come out. */
export class ContactChange {
  readonly trx: Transaction<Tables>
  readonly row: ContactRow
  readonly world: ContactWorld
  /** Entries appended so far. */
  readonly entries: Entry[] = []
  /** Told to agents after the commit. */
  readonly pushes: { readonly agent: string; readonly push: Push }[] = []
  /** Earliest timer that was set. */
  nextDue = Number.POSITIVE_INFINITY
  /** Where the contact goes on under a new id. */
  successor: TransferTarget | null = null
  readonly #runQuery: RunQuery
  #state: ContactState
  #life: StoredLife

  constructor(trx: Transaction<Tables>, world: ContactWorld, { row, state, runQuery }: Loaded) {
    this.trx = trx
    this.world = world
    this.row = row
    this.#runQuery = runQuery
    this.#state = state
    this.#life = JSON.parse(row.machine) as StoredLife
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
    return this.row.waiting !== isWaiting(this.#life) || this.row.life !== lifeName(this.#life)
  }

  /** Begins the life of a contact whose row has just been made. */
  async begin(step: LifeStep): Promise<void> {
    await this.#take(step)
  }

  /** Tells the contact's machine what has happened and carries out what it wants. */
  async happen(event: ContactEvent): Promise<void> {
    await this.#take(advanceLife(this.#life, event))
  }

  /** Tells an agent something after the commit. */
  tell(agent: string, push: Push): void {
    this.pushes.push({ agent, push })
  }

  /** Appends what a party wrote. */
  async append(writings: readonly Writing[]): Promise<Outcome[]> {
    const time = this.world.clock.now()
    const outcomes = await appendWritings(this.#runQuery, writings, time)
    writings.forEach((writing, index) => {
      const outcome = outcomes[index]
      if (outcome?.isNew && outcome.seq !== null) this.#fold(entryOf(writing, outcome.seq, time))
    })
    return outcomes
  }

  async schedule(kind: TimerKind, key: string, delayMs: number): Promise<void> {
    const due = this.world.clock.now() + delayMs
    this.nextDue = Math.min(this.nextDue, due)
    await setTimer(this.trx, { subject: this.row.id, kind, key, due })
  }

  async cancel(kind: TimerKind, key: string): Promise<void> {
    await clearTimer(this.trx, { subject: this.row.id, kind, key })
  }

  sessions(slot: Slot): Promise<SessionRow[]> {
    return this.trx.selectFrom('sessions').selectAll().where('contact', '=', this.row.id).where('slot', '=', slot).execute()
  }

  /** Stores the next snapshot. */
  async save(): Promise<void> {
    const life = lifeName(this.#life)
    if (this.row.waiting && !isWaiting(this.#life)) {
      for (const agent of await withdrawOffers(this.trx, this.row.id)) this.tell(agent, { name: 'agent.withdrawn', body: { id: this.row.id, reason: 'cleared' } })
    }
    const over = life === 'cleared' || life === 'transferred'
    await this.trx
      .updateTable('contacts')
      .set({
        life,
        waiting: isWaiting(this.#life),
        queued_at: this.#life.context.queuedAt,
        agent: this.#life.context.agent?.user ?? null,
        machine: JSON.stringify(this.#life),
        state: JSON.stringify(this.#state),
        state_seq: this.#state.seq,
        ended: over ? (this.row.ended ?? this.world.clock.now()) : null,
      })
      .where('id', '=', this.row.id)
      .execute()
  }

  async #take({ life, effects }: LifeStep): Promise<void> {
    this.#life = life
    for (const effect of effects) await this.#carryOut(effect)
  }

  async #carryOut(effect: ContactEffect): Promise<void> {
    switch (effect.type) {
      case 'writeLeft':
        return this.#writeLeft(effect.params)
      case 'writeAssigned':
        return this.#write('assigned', effect.params)
      case 'writeJoined':
        return this.#write('joined', effect.params)
      case 'writeDeclined':
        return this.#write('declined', effect.params)
      case 'writeTransferred':
        return this.#write('transferred', effect.params)
      case 'writeCleared':
        return this.#write('cleared', effect.params)
      case 'schedule':
        return this.schedule('contact', effect.params.timer, this.#limitOf(effect.params.timer))
      case 'cancel':
        return this.cancel('contact', effect.params.timer)
      case 'cancelAll':
        return clearTimersOf(this.trx, this.row.id)
      case 'succeed':
        this.successor = effect.params
    }
  }

  #limitOf(timer: ContactTimer): number {
    const { creationMs, waitMs, joinMs, closingMs, disconnectMs } = this.world.limits
    if (timer === 'creation' && this.row.transferred_from !== null) return disconnectMs
    return { creation: creationMs, wait: waitMs, join: joinMs, closing: closingMs, disconnect: disconnectMs }[timer]
  }

  /** The counts are those of the contact after this entry. */
  async #writeLeft(fact: LeftFact): Promise<void> {
    const after = { ...this.#state.channels, [fact.slot]: this.#state.channels[fact.slot].filter((session) => session !== fact.session) }
    await this.#write('left', { ...fact, channels: countChannels(after) })
    await this.cancel('absence', fact.session)
  }

  async #write<T extends ServiceEntryType>(type: T, body: ServiceBodies[T]): Promise<void> {
    const writing = serviceWriting({ contact: this.row.id, id: randomId(this.world.random, 's-') }, type, body)
    await this.append([writing])
  }

  #fold(entry: Entry): void {
    this.#state = foldContact(this.#state, entry).state
    this.entries.push(entry)
  }
}
