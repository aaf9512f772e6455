import type { EngineEvent, MediaEngine } from '../../engines/eager.ts'
import { ContactError, algebra, deferred } from '../../protocol/index.ts'
import type {
  MediaCapabilities,
  MediaOffer,
  MediaState,
  MediaTransitionState,
  SharedState,
} from '../../protocol/index.ts'
import type { AnswerChoice } from '../api/media.ts'
import { here } from '../contact/lazy-modules.ts'
import type { MediaPart } from '../contact/media-part.ts'
import type { SessionState } from '../contact/session-state.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { randomName } from '../values/random-id.ts'
import { AskedState } from './asked-state.ts'
import type { ContactMediaOptions, Present } from './contact-media-options.ts'
import { LateEngines } from './late-engines.ts'
import { LateNegotiation } from './late-negotiation.ts'
import { NOTHING_PENDING, decides, isNegotiated, isNews, isOver, needsFromStart } from './negotiation-need.ts'
import type { Reader } from './negotiation-need.ts'
import type { Asked } from './media-operations.ts'
import type { Negotiation, NegotiationOptions } from './negotiation.ts'
import type { PendingMemory } from './pending-offer.ts'

const OFF: MediaState = { Sharing: { tx: false, rx: false } }

/**
 * The media of a contact. As long as nothing but Chat runs it announces the sessions, and knows from the log
 * how the media are; the {@link Negotiation} takes over from it at the first need.
 */
export class ContactMedia implements MediaPart {
  readonly #options: ContactMediaOptions
  readonly #late: LateNegotiation
  readonly engines: LateEngines
  /** The session that was looked at last for what needs the negotiation from the start. */
  #seen: SessionState | null = null
  /** Of the current session; null until it is announced. */
  #present: Present | null = null
  /** The contact is over for this page, or this page leaves. */
  #isClosed = false
  readonly #asked = new AskedState(() => this.#show())
  /** The state that the application was told last. */
  #shown: MediaTransitionState = 'init'

  constructor(options: ContactMediaOptions) {
    this.#options = options
    const engines = new LateEngines({
      ...options,
      onDropVideo: (engine) => this.#late.now?.operations.dropVideo(engine),
      onReport: (engine, event) => this.#reported(engine, event),
    })
    this.engines = engines
    const needs = {
      ...options,
      addEngine: this.addEngine,
      onState: () => this.#show(),
    } satisfies Partial<NegotiationOptions>
    this.#late = new LateNegotiation(
      options,
      ({ Negotiation }) => new Negotiation({ ...needs, engines: engines.attached(Negotiation.Engines) }),
      this.#takeUp,
    )
  }

  get hasBegun(): boolean {
    return this.#late.now?.hasBegun ?? this.#present !== null
  }

  get state(): MediaTransitionState {
    const { now } = this.#late
    if (now) return this.#asked.over(now.state)
    // Where it is needed from the start it says what stands: an offer, or a call that comes back.
    const isKnown = this.#shown !== 'init' || !this.#late.isNeeded
    const isIdle = this.#present && !this.#isClosed && this.#options.holdsSlot() && isKnown
    return this.#asked.over(isIdle ? 'idle' : 'init')
  }

  /** As the media machine has them; null before the session is announced. */
  get media(): MediaState | null {
    const { now } = this.#late
    return this.#isClosed ? OFF : (now?.media ?? null)
  }

  /** The current media, with the engines' local information. */
  getMedia(cloned = false): MediaState {
    const media = this.engines.withData(this.#current)
    return cloned ? algebra.clone(media, true) : media
  }

  getMediaOffer = (): MediaOffer => algebra.offerFromState(this.#current)

  /** An application has an offer only where the negotiation is there. @throws as `answer` of the contact */
  answer(offer: MediaOffer, choice?: AnswerChoice): MediaState {
    if (here.negotiation) return here.negotiation.Negotiation.answerOf(this.#current, offer, choice)
    throw new ContactError('invalid_argument', 'unable to answer the offer; there is none')
  }

  /** An operation on the negotiation, which is loaded before where it is not there. */
  ask<K extends keyof Asked>(name: K, ...args: Parameters<Asked[K]>): ReturnType<Asked[K]> {
    const run = ({ operations }: Negotiation, ...own: typeof args): unknown =>
      Reflect.apply(operations[name], operations, own)
    const isThere = this.#late.now !== null
    const asked = this.#late.ask(args, run) as ReturnType<Asked[K]>
    if (!isThere) this.#asked.wait(name, asked)
    return asked
  }

  /** Takes back an own offer that is under way, or waits. */
  withdraw(): void {
    if (this.#late.isNeeded) this.#late.tell(({ operations }) => operations.withdraw())
  }

  /** Adds an engine and its media to the capabilities. @throws what the engine's `capabilities` throws */
  addEngine = async (engine: MediaEngine): Promise<void> => {
    this.#options.capabilities.addEngine(engine.id, await this.engines.add(engine))
  }

  /** The own capabilities have changed. */
  capabilitiesSet(capabilities: MediaCapabilities): void {
    this.#late.now?.operations.tell({ type: 'capabilities.set', capabilities })
  }

  /** An engine broke, or what it captures has ended: also where it carries nothing. */
  #reported(engine: string, event: EngineEvent): void {
    if (!this.#present || this.#isClosed) return
    this.#late.need()
    this.#late.tell((now) => now.heard(engine, event))
  }

  announce = (state: SessionState): Promise<void> => {
    this.#look(state)
    const { now } = this.#late
    if (now) return now.announce(state)
    return (this.#present ?? this.#writePresent(state)).decided.promise
  }

  read(read: ReadEntry, state: SessionState): void {
    this.#look(state)
    if (this.#isClosed) return
    if (!this.#late.isNeeded && !isNegotiated(read, this.#reader(state))) return this.#readAlone(read, state)
    this.#late.need(read.before.shared)
    const isDecision = decides(read, this.#reader(state))
    if (isDecision) this.#present?.decided.resolve()
    if (this.#late.now || isNews(read)) this.#late.tellInPlace((now) => now.read(read, state), !isDecision)
  }

  memory(state: SessionState): PendingMemory | null {
    const { now, isNeeded } = this.#late
    return now ? now.memory(state) : isNeeded ? null : NOTHING_PENDING
  }

  holderGone(isGone: boolean): void {
    if (this.#present?.counts === false) this.#late.tell((now) => now.holderGone(isGone))
    else this.#late.now?.holderGone(isGone)
    if (this.#late.isNeeded) this.#late.need()
  }

  async takeOver(): Promise<void> {
    const { exclusion } = this.#late.now ?? {}
    if (exclusion) throw exclusion
    if (!this.hasBegun || this.#options.holdsSlot()) return
    await this.#late.ask([], (now) => now.takeOver())
  }

  readAgain(media: MediaState): void {
    const { now } = this.#late
    if (now) now.readAgain(media)
    else if (!this.#present) this.#changed(OFF, media)
  }

  leave = (): void => {
    const { now } = this.#late
    if (now) now.leave()
    else this.#close()
  }

  stopEngines = (): Promise<void> => this.engines.stop()

  async putAway(isSame: boolean): Promise<void> {
    const { now } = this.#late
    this.#present = null
    if (now) return now.putAway(isSame)
    this.#late.forget()
    this.#show()
    await this.stopEngines()
  }

  end(): void {
    this.#late.now?.end()
    void this.stopEngines()
  }

  /** How the media are now: all off for a page that has left the contact. */
  get #current(): MediaState {
    const { now } = this.#late
    if (now) return now.operations.media
    return this.#isClosed || this.#options.membership.isOver() ? OFF : this.#options.shared().media
  }

  /** The negotiation is there: it goes on with a session that holds its slot. */
  #takeUp = (now: Negotiation, from: SharedState | null): void => {
    const shared = from ?? this.#options.shared()
    if (this.#present?.counts && !this.#isClosed && this.#seen)
      void now.adopt(this.#seen, { shared, gone: null, present: null })
  }

  /** Looks once whether a session needs the negotiation from the start. */
  #look(state: SessionState): void {
    if (state === this.#seen) return
    this.#seen = state
    if (needsFromStart(state, this.#options)) this.#late.need(state.log.state.shared)
  }

  #reader = ({ session }: SessionState): Reader => ({
    ...{ role: this.#options.role, session },
    present: this.#present?.id,
  })

  #readAlone(read: ReadEntry, state: SessionState): void {
    const present = this.#present
    if (!present) return
    if (isOver(read.entry, this.#options.role)) return this.#close()
    if (decides(read, this.#reader(state))) {
      present.counts = true
      this.#late.forget()
      present.decided.resolve()
    } else if (!present.counts && isNews(read)) this.#late.tellEntry((now) => now.read(read, state), true)
    this.#show()
  }

  /** Beside a page that holds the slot and lives, the own name in `after` takes nothing: see {@link Negotiation}. */
  #writePresent(state: SessionState): Present {
    const { capabilities, write } = this.#options
    const { session, goneHolder: gone, log } = state
    const { shared } = log.state
    const present = { id: randomName(), decided: deferred(), counts: false, isRefused: false }
    const { decided } = present
    this.#present = present
    decided.promise.catch(() => {})
    this.#late.tell((now) => {
      if (!present.isRefused)
        now.adopt(state, { shared, gone, present: present.id }).then(decided.resolve, decided.reject)
    })
    const body = {
      capabilities: capabilities.local,
      media: algebra.holdsOf(algebra.nativeOnly(shared.media)),
      after: state.holder === null || gone !== null ? state.holder : session,
    }
    const onId = (fresh: string): void => {
      this.#late.now?.renamed(present.id, fresh)
      present.id = fresh
    }
    write({ id: present.id, type: 'present', body }, (error) => this.#refused(present, error), onId)
    return present
  }

  #refused(present: Present, error: ContactError): void {
    const { now } = this.#late
    if (now) return now.refused(present.id, error)
    if (present !== this.#present) return
    if (this.#options.membership.isInside()) {
      this.#late.tell((late) => late.refused(present.id, error))
      present.decided.resolve()
      return this.#late.need()
    }
    this.#present = null
    present.isRefused = true
    if (!this.#late.isNeeded) this.#late.forget()
    present.decided.reject(error)
  }

  /** The contact is over for this page: every medium is off. */
  #close(): void {
    if (!this.#present || this.#isClosed) return
    const { media } = this.#options.shared()
    this.#isClosed = true
    this.#late.forget()
    this.#present.decided.resolve()
    this.#changed(media, OFF)
    this.#show()
  }

  #changed(from: MediaState, to: MediaState): void {
    const { membership, delivery } = this.#options
    if (!membership.isEntering()) delivery.emitChange({ from, to }, this.engines.withData)
  }

  #show(): void {
    const { state } = this
    if (this.#late.now) this.#asked.reached(this.#late.now.state)
    if (state === this.#shown) return
    this.#shown = state
    this.#options.delivery.emit('mediastate', { state })
  }
}
