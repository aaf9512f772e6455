import { firstOf } from '../../../protocol/index.ts'
import type { ContactRequest, Entry, PhoneEnd, ServiceBodies, SharedState } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { isVisitorGone, lifeName } from '../contacts/index.ts'
import type { ContactChange, ContactStore, StoredLife } from '../contacts/index.ts'
import type { Retry } from '../retry.ts'
import type { PhoneEvents, TelephonyGateway } from './telephony-gateway.ts'

/** Shorter than what the parties wait for a transition. */
const RING_LIMIT_MS = 25_000
/** For the gateway to say that it has carried something out. */
const ANSWER_LIMIT_MS = 5_000

/** Entries after which a contact may want a call, or want it no more. */
const MOVING: ReadonlySet<Entry['type']> = new Set([
  'answer',
  'direct',
  'ready',
  'failed',
  'present',
  'left',
  'transferred',
  'cleared',
])

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

/**
 * What a contact wants: to be called for a transition, or to keep what it has; `gone`: its media are on, and
 * nobody is there for them.
 */
type Want =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'ring'
      readonly ref: number
      readonly number: string | null
      readonly agent: string
      readonly before: string | null
    }
  | { readonly kind: 'keep' }
  | { readonly kind: 'gone' }

type Ring = Extract<Want, { kind: 'ring' }>

interface End {
  readonly ref: number
  readonly reason: PhoneEnd
}

interface PhoneParts {
  readonly gateway: TelephonyGateway
  readonly store: Pick<ContactStore, 'read' | 'change'>
  readonly clock: ServiceClock
  readonly random: Random
  readonly retry: Pick<Retry, 'run'>
  readonly onFault: (thrown: unknown) => void
}

/**
 * The telephone calls of the contacts: what the logs want and what the gateway carries are brought together,
 * one contact at a time. What a call comes to stands in the log.
 */
export class PhoneCalls {
  readonly #parts: PhoneParts
  readonly #calls = new Map<string, Live>()
  /** What the gateway has been told to end, by contact. */
  readonly #ending = new Map<string, Promise<void>>()
  /**
   * Contacts whose parties have been told that their call is over, and the transition that it was made for;
   * until they want none, or another.
   */
  readonly #told = new Map<string, number>()
  #stopped = false

  constructor(parts: PhoneParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    await this.#within('reset', async () => this.#parts.gateway.reset?.())
  }

  /** Hangs up everything: nobody would hear how it goes on. */
  async stop(): Promise<void> {
    this.#stopped = true
    const dials = [...this.#calls.values()].map(({ dialled }) => dialled)
    for (const contact of [...this.#calls.keys()]) this.#hangUp(contact)
    await this.#within('dial', () => Promise.all(dials))
    await Promise.all(this.#ending.values())
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
  syncAll(): void {
    for (const contact of new Set([...this.#calls.keys(), ...this.#told.keys()])) this.sync(contact)
  }

  async #compare(contact: string): Promise<void> {
    const want = await this.#wantOf(contact)
    const call = this.#calls.get(contact)
    if (want.kind === 'none' || (want.kind === 'ring' && this.#told.get(contact) !== want.ref))
      this.#told.delete(contact)
    if (
      call &&
      (want.kind === 'none' || want.kind === 'gone' || (want.kind === 'ring' && want.ref !== call.ref))
    )
      this.#hangUp(contact)
    if (want.kind === 'ring' && call?.ref !== want.ref && !this.#told.has(contact))
      await this.#ring(contact, want)
    if (want.kind === 'gone' || (want.kind === 'keep' && !call))
      this.#end(contact, { ref: call?.ref ?? 0, reason: want.kind === 'gone' ? 'hung_up' : 'failed' })
  }

  async #wantOf(contact: string): Promise<Want> {
    const read = await this.#parts.store.read(contact)
    if (read?.row.life !== 'joined' || read.state.keys) return { kind: 'none' }
    const { phase, media } = read.state.shared
    if (media.Voice?.via === 'pstn')
      return { kind: isVisitorGone(JSON.parse(read.row.machine) as StoredLife) ? 'gone' : 'keep' }
    if (phase.name !== 'transiting' || phase.target.Voice?.via !== 'pstn') return { kind: 'none' }
    return {
      kind: 'ring',
      ref: phase.ref,
      number: firstOf((JSON.parse(read.row.details) as ContactRequest).data ?? [], 'phone') ?? null,
      agent: read.row.agent ?? '',
      before: read.row.transferred_from,
    }
  }

  /** Dials when the telephone is free, if the contact still wants that by then. */
  async #ring(contact: string, { ref, before }: Ring): Promise<void> {
    await this.#lineFree(contact, before)
    const want = await this.#wantOf(contact)
    if (want.kind === 'ring' && want.ref === ref && !this.#stopped) this.#dial(contact, want)
  }

  #dial(contact: string, { ref, number, agent }: Ring): void {
    const { gateway, clock, random, onFault } = this.#parts
    const timer = clock.setTimeout(() => current(() => this.#giveUp(contact, ref)), RING_LIMIT_MS)
    const call: Live = {
      id: randomId(random, 'p-'),
      ref,
      timer,
      over: new AbortController(),
      dialled: Promise.resolve(),
      isAnswered: false,
    }
    const { signal } = call.over
    const current = (run: () => void): void => void (this.#calls.get(contact) === call && run())
    const events: PhoneEvents = {
      answered: () => current(() => this.#answered(contact, call)),
      ended: (reason) => current(() => this.#over(contact, { ref, reason })),
    }
    this.#calls.set(contact, call)
    if (number === null) return events.ended('no_number')
    const dial = async (): Promise<void> =>
      gateway.dial({ id: call.id, contact, number, agent, signal }, events)
    call.dialled = dial().then(
      // It may have begun to ring after the service has hung up.
      () => void (signal.aborted && this.#endCall(contact, call.id)),
      (thrown: unknown) => {
        if (!signal.aborted) onFault(thrown)
        events.ended('failed')
      },
    )
  }

  /**
   * Resolves when what rang there before is over: a call of this contact, or of the one that it goes on from.
   */
  async #lineFree(contact: string, before: string | null): Promise<void> {
    if (before !== null) this.#hangUp(before)
    await Promise.all([this.#ending.get(contact), this.#ending.get(before ?? '')])
  }

  #answered(contact: string, call: Live): void {
    if (call.isAnswered) return
    call.isAnswered = true
    this.#parts.clock.clearTimeout(call.timer)
    this.#note(contact, call.ref, { state: 'answered' })
  }

  #giveUp(contact: string, ref: number): void {
    this.#hangUp(contact)
    this.#end(contact, { ref, reason: 'no_answer' })
  }

  /** The gateway says that the call is over. */
  #over(contact: string, end: End): void {
    this.#forget(contact)
    this.#end(contact, end)
  }

  /** Tells the parties, once: they turn Voice off, or give up turning it on. */
  #end(contact: string, { ref, reason }: End): void {
    if (this.#told.has(contact)) return
    this.#told.set(contact, ref)
    this.#note(contact, ref, { state: 'ended', reason })
  }

  /** Writes what a call came to, unless another one has taken its place by then: the entry names no call. */
  #note(contact: string, ref: number, news: ServiceBodies['telephone']): void {
    const { retry, store } = this.#parts
    const write = async (change: ContactChange): Promise<void> => {
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
    this.#endCall(contact, call.id)
  }

  #endCall(contact: string, id: string): void {
    const before = this.#ending.get(contact)
    const hangUp = async (): Promise<void> => this.#parts.gateway.hangUp(id)
    const ending = Promise.all([before, this.#within('hang up', hangUp)]).then(() => {
      if (this.#ending.get(contact) === ending) this.#ending.delete(contact)
    })
    this.#ending.set(contact, ending)
  }

  #forget(contact: string): void {
    this.#parts.clock.clearTimeout(this.#calls.get(contact)?.timer)
    this.#calls.delete(contact)
  }

  /** Waits for the gateway, but not for ever. Never rejects. */
  async #within(what: string, run: () => Promise<unknown>): Promise<void> {
    const { clock, onFault } = this.#parts
    let timer: unknown
    const limit = new Promise<never>((_settle, fail) => {
      timer = clock.setTimeout(
        () => fail(new Error(`the telephony gateway does not ${what}`)),
        ANSWER_LIMIT_MS,
      )
    })
    await Promise.race([run(), limit]).catch(onFault)
    clock.clearTimeout(timer)
  }
}
