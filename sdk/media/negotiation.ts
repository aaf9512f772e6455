import { createActor } from 'xstate'
import type { EngineEvent } from '../../engines/eager.ts'
import { mediaFact, mediaMachine } from '../../machines/media/index.ts'
import type { MediaActor, MediaInput, MediaSnapshot } from '../../machines/media/index.ts'
import { ContactError, LIMITS } from '../../protocol/index.ts'
import type { Clock, MediaState, MediaTransitionState, SharedState, Slot } from '../../protocol/index.ts'
import { until } from '../async/until.ts'
import type { actorOptions } from '../client/clock.ts'
import type { Membership } from '../contact/membership.ts'
import type { SessionState } from '../contact/session-state.ts'
import { showsLog } from '../inspection/inspected-log.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { CallControls } from './call-controls.ts'
import { answerOf } from './chosen-answer.ts'
import { ContactEngines } from './contact-engines.ts'
import { engineDriver } from './engine-driver.ts'
import { MediaOperations } from './media-operations.ts'
import type { MediaHost } from './media-operations.ts'
import { OwnEntries } from './own-entries.ts'
import type { Write } from './own-entries.ts'
import { PendingOffers } from './pending-offer.ts'
import type { PendingHost, PendingMemory } from './pending-offer.ts'

/** What the negotiation needs of its contact. */
export interface NegotiationOptions extends Omit<MediaHost, 'machine'> {
  readonly role: Slot
  readonly clock: Clock
  /** Milliseconds that an own offer stands; the usual time without. */
  readonly offerLifetime?: number | undefined
  readonly link: Pick<ServiceLink, 'isConnected'>
  readonly membership: MediaHost['membership'] & Pick<Membership, 'isInside' | 'requireInside'>
  /** Options of the machine's actor. */
  readonly actor: () => ReturnType<typeof actorOptions> & { readonly id: string }
  /** Whether this page's session holds its party's slot. */
  readonly holdsSlot: () => boolean
  readonly write: Write
  /** The service did not take the own `present`. */
  readonly onNotAnnounced: () => void
  /** The media may be in another state. */
  readonly onState: () => void
}

/** From where a session is taken over that was announced before the negotiation was there. */
export interface Announced {
  /** The shared state when it was announced; of a session that holds its slot by now, the one to go on from. */
  readonly shared: SharedState
  /** The session that held the own slot then, where its page was gone. */
  readonly gone: string | null
  /** Id of its `present` in the log, which is not decided yet; null for a session that holds its slot. */
  readonly present: string | null
}

/**
 * The negotiation of a contact: the media machine of each of its sessions, and the operations on it. Loaded when
 * something is negotiated for the first time.
 */
export class Negotiation {
  /** What attaches the engines of a contact. */
  static readonly Engines = ContactEngines
  static readonly answerOf = answerOf
  static readonly showsLog = showsLog
  readonly operations: MediaOperations
  readonly #options: NegotiationOptions
  /** The offers that the SDK makes by itself, of each session. */
  readonly #pending = new WeakMap<SessionState, PendingOffers>()
  #own: PendingOffers | null = null
  /** Null until the current session is announced: the machine starts from what the log says then. */
  #machine: MediaActor | null = null
  /** Resolves when the machine has announced the session. */
  #announcing: Promise<void> | null = null
  /** Why the service did not take the last `present`. */
  #refusal: ContactError | null = null
  readonly #entries: OwnEntries
  /** Entries that earlier machines of a session have written: no id is used twice. */
  #written = { session: '', entries: 0 }

  constructor(options: NegotiationOptions) {
    this.#options = options
    this.#entries = new OwnEntries(options.write)
    this.operations = new MediaOperations({ ...options, machine: () => this.#machine })
  }

  get hasBegun(): boolean {
    return this.#machine !== null
  }

  /** As the media machine has them; null before the session is announced. */
  get media(): MediaState | null {
    return this.#machine?.getSnapshot().context.shared.media ?? null
  }

  get state(): MediaTransitionState {
    return this.operations.state
  }

  announce = (state: SessionState): Promise<void> =>
    (this.#announcing ??= this.#start(state, { shared: state.log.state.shared, gone: state.goneHolder }))

  /** Goes on with a session that was announced before. Resolves as {@link Negotiation.announce}. */
  adopt(state: SessionState, { shared, gone, present }: Announced): Promise<void> {
    const { role } = this.#options
    const free = { ...shared, session: { ...shared.session, [role]: null } }
    const from = { gone, shared: present === null ? free : shared }
    this.#entries.adopt(present)
    this.#announcing = this.#start(state, from)
    if (present === null) this.#machine?.send({ type: 'log.slotHeld', shared })
    return this.#announcing
  }

  /** The service has not taken the `present` of a session that was adopted. */
  refused(present: string, error: ContactError): void {
    const id = this.#entries.forget(present)
    if (id !== undefined && this.#machine) this.#refused(this.#machine, id, error)
  }

  /** The `present` of a session that was adopted goes on under another id. */
  renamed = (present: string, fresh: string): void => this.#entries.renamed(present, fresh)

  /** What the log says of the offers that the SDK is to make in a session. */
  memory = (state: SessionState): PendingMemory => this.#pendingOf(state).memory

  read(read: ReadEntry, state: SessionState): void {
    const { session } = state
    const { fact, before, after } = read
    const { id } = read.entry
    const entry = { ...read.entry, id: this.#entries.forget(id) ?? `other ${id}` }
    const news = mediaFact(
      { before: before.shared, entry, fact, shared: after.shared },
      { slot: this.#options.role, session },
    )
    this.#pendingOf(state).notice(read, this.#machine)
    if (news) this.operations.tell(news)
  }

  /** What an engine reports while there is no driver. */
  heard = (engine: string, event: EngineEvent): void => this.#options.engines.report(engine, event)

  holderGone = (isGone: boolean): void =>
    this.operations.tell({ type: isGone ? 'holder.gone' : 'holder.here' })

  /** Why this page takes no part in media any more, although it is in the contact; null where it does. */
  get exclusion(): ContactError | null {
    return this.#machine?.getSnapshot().matches({ init: 'closed' }) ? this.#refusal : null
  }

  async takeOver(): Promise<void> {
    const { holdsSlot, membership } = this.#options
    const machine = this.#machine
    if (!machine || holdsSlot()) return
    this.#refusal = null
    this.#own?.takesOver()
    machine.send({ type: 'media.takeOver' })
    await until(
      machine,
      (now) => holdsSlot() || now.matches({ init: 'displaced' }) || now.matches({ init: 'closed' }),
    )
    membership.requireInside('take the contact over')
    if (!holdsSlot())
      throw (
        this.#refusal ??
        new ContactError('glare', 'unable to take the contact over; another page of this party was first')
      )
  }

  readAgain(media: MediaState): void {
    const from = { Sharing: { tx: false, rx: false } }
    if (!this.#machine) this.operations.told({ type: 'media.changed', from, to: media })
  }

  leave = (): void => this.operations.tell({ type: 'contact.leave' })

  stopEngines = (): Promise<void> => this.#options.engines.stop()

  async putAway(isSame: boolean): Promise<void> {
    const machine = this.#detach()
    this.#show()
    if (isSame) machine?.send({ type: 'contact.leave' })
    if (machine) await this.undo(machine)
    await this.stopEngines()
  }

  end(): void {
    this.#machine?.stop()
    void this.#options.engines.registry.stop()
  }

  /**
   * Drops an offer that was never stored, undoes what it started, and stops the machine. Resolves when the
   * engines carry nothing of it any more.
   */
  async undo(machine: MediaActor): Promise<void> {
    const { own, shared } = machine.getSnapshot().context
    if (own?.ref === null) machine.send({ type: 'log.voided', id: own.id, reason: 'peer_left', shared })
    const isQuiet = (now: MediaSnapshot): boolean => now.matches('idle') || now.matches('init')
    if (!isQuiet(machine.getSnapshot())) await until(machine, isQuiet)
    machine.stop()
  }

  #detach(): MediaActor | null {
    const machine = this.#machine
    this.#machine = this.#announcing = null
    if (!machine) return null
    const { session, written } = machine.getSnapshot().context
    this.#written = { session, entries: written }
    return machine
  }

  #pendingOf(state: SessionState): PendingOffers {
    const known = this.#pending.get(state)
    if (known) return known
    const { session, saved, firstOffer, log } = state
    const pending = new PendingOffers({
      ...{ slot: this.#options.role, session, kept: saved, initialOffer: firstOffer },
      seq: () => log.state.seq,
      host: pendingHost(this.#options, this.operations.controls),
    })
    this.#pending.set(state, pending)
    return pending
  }

  #show = (): void => {
    this.operations.answers.look()
    this.#options.onState()
  }

  #input(state: SessionState, from: Start): MediaInput {
    const { role: slot, capabilities, offerLifetime = LIMITS.offerLifetime.usual } = this.#options
    const { session } = state
    return {
      ...{ slot, session, offerLifetime, ...from },
      capabilities: capabilities.local,
      firstOffer: this.#pendingOf(state).firstOffer,
      written: this.#written.session === session ? this.#written.entries : 0,
    }
  }

  /** Resolves when the machine has announced the session. @throws why the service refuses that */
  #start(state: SessionState, from: Start): Promise<void> {
    const { engines, clock, actor } = this.#options
    const log = this.#entries.actor({
      isWanted: () => machine === this.#machine,
      onRefused: (id, error) => this.#refused(machine, id, error),
    })
    const driver = engineDriver(engines.registry, clock, engines.attach)
    const machine = createActor(mediaMachine.provide({ actors: { engines: driver, log } }), {
      ...actor(),
      input: this.#input(state, from),
    })
    machine.on('*', this.operations.told)
    this.#own = this.#pendingOf(state)
    this.#own.listen(machine)
    this.#machine = machine
    this.#refusal = null
    const announcing = this.#announced(machine)
    machine.subscribe(this.#show)
    return announcing
  }

  #announced(machine: MediaActor): Promise<void> {
    return new Promise((resolve, reject) => {
      const watching = machine.subscribe((snapshot) => {
        if (snapshot.matches({ init: 'announcing' })) return
        watching.unsubscribe()
        if (this.#refusal === null || this.#options.membership.isInside()) return resolve()
        this.#detach()?.stop()
        reject(this.#refusal)
      })
      machine.start()
    })
  }

  #refused(machine: MediaActor, id: string, error: ContactError): void {
    if (machine.getSnapshot().status !== 'active') return
    const isAnnouncing = machine.getSnapshot().matches({ init: 'announcing' })
    this.#refusal = error
    machine.send({ type: 'log.refused', id, code: error.code, reason: error.message })
    if (isAnnouncing && machine === this.#machine && this.#options.link.isConnected)
      this.#options.onNotAnnounced()
  }
}

/** Whom the offers concern that the SDK makes by itself. */
const pendingHost = (
  { delivery, engines: { registry } }: Pick<NegotiationOptions, 'delivery' | 'engines'>,
  controls: CallControls,
): PendingHost => ({
  agreed: () => controls.agreed,
  agree: controls.agree,
  restoring: (media) => controls.restore(media),
  restored: (end) =>
    delivery.emit('restored', { ...end, media: registry.withData(end.media), ...controls.summary }),
  failed: (error) => delivery.emit('error', error),
})

/** From where a media machine starts. */
type Start = Pick<MediaInput, 'shared' | 'gone'>
