import type { Entry, PhoneEnd, ServiceBodies, SharedState } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { lifeName } from '../contacts/index.ts'
import type { ContactChange, ContactStore } from '../contacts/index.ts'
import type { Retry } from '../retry.ts'
import { PatientGateway } from './patient-gateway.ts'
import type { PhoneRow, PhoneRows } from './phone-rows.ts'
import { MOVING, wantOf } from './phone-wants.ts'
import type { Ring } from './phone-wants.ts'
import type { PhoneCall, PhoneEvents, TelephonyGateway } from './telephony-gateway.ts'

/** Shorter than what the parties wait for a transition. */
const RING_LIMIT_MS = 25_000
/** Another node has a call of the contact that is to end first. */
const AGAIN_MS = 500

interface Live {
  readonly id: string
  /** The transition that it was made for. */
  readonly ref: number
  readonly timer: unknown
  /** Aborted when the service hangs up. */
  readonly over: AbortController
  /** Settles when the gateway has dialled, or has failed to. */
  dialled: Promise<void>
  isAnswered: boolean
}

interface End {
  /** Null: the contact should have one, and has none. */
  readonly call: string | null
  readonly ref: number
  readonly reason: PhoneEnd
}

export interface PhoneParts {
  readonly gateway: TelephonyGateway
  readonly store: Pick<ContactStore, 'read' | 'change'>
  /** Whose each call is. */
  readonly rows: Pick<PhoneRows, keyof PhoneRows>
  /** Whether this node takes new calls. */
  readonly takesCalls: () => boolean
  readonly clock: ServiceClock
  readonly random: Random
  readonly retry: Pick<Retry, 'run'>
  readonly onFault: (thrown: unknown) => void
}

/**
 * The telephone calls of the contacts: what the logs want and what the gateway carries are brought together,
 * one contact at a time, by the node whose the call is. What a call comes to stands in the log.
 */
export class PhoneCalls {
  readonly #parts: PhoneParts
  readonly #gateway: PatientGateway
  readonly #calls = new Map<string, Live>()
  #started = false
  #stopped = false

  constructor(parts: PhoneParts) {
    this.#parts = parts
    this.#gateway = new PatientGateway(parts)
  }

  async start(): Promise<void> {
    const left = await this.#inherit()
    await this.#gateway.within('reset', async () => this.#parts.gateway.reset?.(left.map(({ call }) => call)))
    if (!this.#parts.gateway.reset) for (const { contact, call } of left) this.#gateway.hangUp(contact, call)
    for (const row of left) this.#end(row.contact, { ...row, reason: 'failed' })
    this.#started = true
  }

  /** Notes what dead nodes have left: calls that the gateway gives to this node go on, others are hung up. */
  async takeOver(): Promise<void> {
    if (!this.#started || this.#stopped || !this.#parts.takesCalls()) return
    for (const row of await this.#inherit()) {
      this.#gateway.hangUp(row.contact, row.call)
      this.#end(row.contact, { ...row, reason: 'failed' })
    }
  }

  /** Hangs up everything: nobody would hear how it goes on. The rows are for who takes over. */
  async stop(): Promise<void> {
    this.#stopped = true
    const dials = [...this.#calls.values()].map(({ dialled }) => dialled)
    for (const contact of [...this.#calls.keys()]) this.#hangUp(contact)
    await this.#gateway.within('dial', () => Promise.all(dials))
    await this.#gateway.allEnded()
  }

  /** Takes a hint that entries were appended. */
  appended(contact: string, entries: readonly Entry[]): void {
    if (entries.some(({ type }) => MOVING.has(type))) this.sync(contact)
  }

  /** Compares a contact with its call, as often as it takes; what is asked for meanwhile follows. */
  sync(contact: string): void {
    this.#parts.retry.run(`call ${contact}`, () => this.#compare(contact))
  }

  /** Compares all contacts of which something is kept: a hint may have been lost. */
  async syncAll(): Promise<void> {
    for (const contact of new Set([...this.#calls.keys(), ...(await this.#parts.rows.own())]))
      this.sync(contact)
  }

  async #compare(contact: string): Promise<void> {
    const { rows, store } = this.#parts
    const call = this.#calls.get(contact)
    const [want, row] = [await wantOf(store, contact), await rows.find(contact)]
    const isOwn = row !== undefined && rows.isOwn(row)
    if (call && call === this.#calls.get(contact) && !(isOwn && row.call === call.id)) this.#drop(contact)
    if (want.kind === 'none') return this.#free(row)
    if (want.kind === 'ring') {
      if (row?.ref === want.ref) return
      if (row && !isOwn && row.call !== '') return this.#again(contact)
      await this.#free(row)
      return this.#ring(contact, want)
    }
    const isMissed = want.kind === 'keep' ? !row : !row || (isOwn && row.call !== '')
    if (!isMissed) return
    this.#hangUp(contact)
    const reason = want.kind === 'gone' ? 'hung_up' : 'failed'
    this.#end(contact, { call: row?.call ?? null, ref: row?.ref ?? 0, reason })
  }

  /** Another node has the call that was here: it has hung up, or goes on with it. */
  #drop(contact: string): void {
    this.#calls.get(contact)?.over.abort()
    this.#forget(contact)
  }

  /** The contact has no call any more, if it was this node's or is over. */
  async #free(row: PhoneRow | undefined): Promise<void> {
    if (!row || (row.call !== '' && !this.#parts.rows.isOwn(row))) return
    this.#hangUp(row.contact)
    await this.#gateway.ended(row.contact)
    await this.#parts.rows.remove(row)
  }

  #again(contact: string): void {
    this.#parts.clock.setTimeout(() => void (!this.#stopped && this.sync(contact)), AGAIN_MS)
  }

  /** Dials when the telephone is free, if the contact still wants that by then, and no other node does. */
  async #ring(contact: string, { ref, before }: Ring): Promise<void> {
    const { rows, random, store, takesCalls } = this.#parts
    if (!(await this.#lineFree(contact, before))) return this.#again(contact)
    const want = await wantOf(store, contact)
    if (want.kind !== 'ring' || want.ref !== ref || this.#stopped || !takesCalls()) return
    const id = randomId(random, 'p-')
    if (!(await rows.claim({ contact, call: id, ref }))) return this.#again(contact)
    if (!this.#stopped) this.#dial({ ...want, id, contact })
  }

  #dial({ id, contact, ref, number, agent }: Ring & Pick<PhoneCall, 'id' | 'contact'>): void {
    const { gateway, onFault } = this.#parts
    const { call, events } = this.#live({ contact, call: id, ref })
    const { signal } = call.over
    if (number === null) return events.ended('no_number')
    const dial = async (): Promise<void> =>
      gateway.dial({ id: call.id, contact, number, agent, signal }, events)
    call.dialled = dial().then(
      // It may have begun to ring after the service has hung up.
      () => void (signal.aborted && this.#gateway.hangUp(contact, call.id)),
      (thrown: unknown) => {
        if (!signal.aborted) onFault(thrown)
        events.ended('failed')
      },
    )
  }

  /** A call that this node has from now on, and what the gateway may say of it. */
  #live({ contact, call: id, ref }: Omit<PhoneRow, 'node'>): {
    readonly call: Live
    readonly events: PhoneEvents
  } {
    const timer = this.#parts.clock.setTimeout(
      () => current(() => this.#giveUp(contact, call)),
      RING_LIMIT_MS,
    )
    const over = new AbortController()
    const call: Live = { ...{ id, ref, timer, over }, dialled: Promise.resolve(), isAnswered: false }
    const current = (run: () => void): void => void (this.#calls.get(contact) === call && run())
    this.#calls.set(contact, call)
    const events: PhoneEvents = {
      answered: () => current(() => this.#answered(contact, call)),
      ended: (reason) => current(() => this.#over(contact, { call: id, ref, reason })),
    }
    return { call, events }
  }

  /** Takes over what dead nodes have left. Gives the calls that do not go on here. */
  async #inherit(): Promise<readonly PhoneRow[]> {
    const left: PhoneRow[] = []
    for (const row of await this.#parts.rows.takeOver()) {
      if (row.call === '') this.sync(row.contact)
      else if (!(await this.#adopt(row))) left.push(row)
    }
    return left
  }

  /** A call that both ends have goes on where the gateway can give it to this node. */
  async #adopt(row: PhoneRow): Promise<boolean> {
    const { gateway, store } = this.#parts
    if (!gateway.adopt || (await wantOf(store, row.contact)).kind !== 'keep') return false
    const { call, events } = this.#live(row)
    this.#parts.clock.clearTimeout(call.timer)
    call.isAnswered = true
    let isTaken = false
    await this.#gateway.within(
      'adopt',
      async () => (isTaken = (await gateway.adopt?.(row.call, events)) ?? false),
    )
    if (!isTaken) this.#drop(row.contact)
    return isTaken
  }

  /**
   * Resolves when what rang there before is over: a call of this contact, or of the one that it goes on from.
   * False: another node has that.
   */
  async #lineFree(contact: string, before: string | null): Promise<boolean> {
    if (before !== null) this.#hangUp(before)
    await Promise.all([this.#gateway.ended(contact), this.#gateway.ended(before ?? '')])
    const { rows } = this.#parts
    const row = before === null ? undefined : await rows.find(before)
    return !row || row.call === '' || rows.isOwn(row)
  }

  #answered(contact: string, call: Live): void {
    if (call.isAnswered) return
    call.isAnswered = true
    const { clock, rows } = this.#parts
    clock.clearTimeout(call.timer)
    this.#note(contact, { ref: call.ref, news: { state: 'answered' } }, (trx) =>
      rows.holds(trx, { contact, call: call.id }),
    )
  }

  #giveUp(contact: string, { id, ref }: Live): void {
    this.#hangUp(contact)
    this.#end(contact, { call: id, ref, reason: 'no_answer' })
  }

  /** The gateway says that the call is over. */
  #over(contact: string, end: End): void {
    this.#forget(contact)
    this.#end(contact, end)
  }

  /** Tells the parties, once: they turn Voice off, or give up turning it on. */
  #end(contact: string, { call, ref, reason }: End): void {
    this.#note(contact, { ref, news: { state: 'ended', reason } }, (trx) =>
      this.#parts.rows.end(trx, { contact, call, ref }),
    )
  }

  /**
   * Writes what a call came to while it is this node's, unless another one has taken its place by then: the
   * entry names no call.
   */
  #note(
    contact: string,
    { ref, news }: { readonly ref: number; readonly news: ServiceBodies['telephone'] },
    isOwn: (trx: ContactChange['trx']) => Promise<boolean>,
  ): void {
    const { retry, store } = this.#parts
    const write = async (change: ContactChange): Promise<void> => {
      if (!(await isOwn(change.trx))) return
      if (lifeName(change.life) === 'joined' && this.#isOf(contact, ref, change.state.shared))
        change.noteTelephone(news)
    }
    retry.run(`telephone ${contact}`, () => store.change(contact, write))
  }

  /** Whether the call that the contact has, or makes, is the one of that transition. */
  #isOf(contact: string, ref: number, { media, phase }: SharedState): boolean {
    if (media.Voice?.via === 'pstn') return (this.#calls.get(contact)?.ref ?? ref) === ref
    return phase.name === 'transiting' && phase.ref === ref
  }

  #hangUp(contact: string): void {
    const call = this.#calls.get(contact)
    if (!call) return
    this.#forget(contact)
    call.over.abort()
    this.#gateway.hangUp(contact, call.id)
  }

  #forget(contact: string): void {
    this.#parts.clock.clearTimeout(this.#calls.get(contact)?.timer)
    this.#calls.delete(contact)
  }
}
