import { createActor, fromCallback, waitFor } from 'xstate'
import { mediaFact, mediaMachine } from '../../machines/eager.ts'
import type { MediaActor, MediaInput, WriteCommand } from '../../machines/eager.ts'
import { ContactError, LIMITS, isHolderGone } from '../../protocol/index.ts'
import type { Clock, MediaState, Slot, UnsentEntry } from '../../protocol/index.ts'
import type { actorOptions } from '../client/clock.ts'
import type { MediaPart } from '../contact/media-part.ts'
import type { Membership } from '../contact/membership.ts'
import type { SessionState } from '../contact/session-state.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { randomName } from '../values/random-id.ts'
import { MediaOperations } from './media-controller.ts'
import type { MediaHost } from './media-controller.ts'
import type { PendingHost } from './pending-offer.ts'

export interface ContactMediaOptions extends Omit<MediaHost, 'machine'> {
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
  /** Hands an entry to the outbox. */
  readonly write: (
    entry: UnsentEntry,
    onRefused: (error: ContactError) => void,
    /** It goes on under another id. */
    onId?: (id: string) => void,
  ) => void
  /** The service did not take the own `present`. */
  readonly onNotAnnounced: () => void
}

/** The media of a contact: the media machine of each of its sessions, and the operations on it. */
export class ContactMedia implements MediaPart {
  readonly operations: MediaOperations
  readonly #options: ContactMediaOptions
  /** Null until the current session is announced: the machine starts from what the log says then. */
  #machine: MediaActor | null = null
  /** Resolves when the machine has announced the session. */
  #announcing: Promise<void> | null = null
  /** Why the service did not take the last `present`. */
  #refusal: ContactError | null = null
  /**
   * By its id in the log: what the machine calls an own entry. Its names can be guessed from the session, so
   * the remote could take them for entries of its own.
   */
  readonly #names = new Map<string, string>()
  /** Entries that earlier machines of a session have written: no id is used twice. */
  #written = { session: '', entries: 0 }

  constructor(options: ContactMediaOptions) {
    this.#options = options
    this.operations = new MediaOperations({ ...options, machine: () => this.#machine })
  }

  get hasBegun(): boolean {
    return this.#machine !== null
  }

  /** As the media machine has them; null before the session is announced. */
  get media(): MediaState | null {
    return this.#machine?.getSnapshot().context.shared.media ?? null
  }

  announce = (state: SessionState): Promise<void> => (this.#announcing ??= this.#start(state))

  read(read: ReadEntry, { session, pending }: SessionState): void {
    const { fact, before, after } = read
    const { id } = read.entry
    const entry = { ...read.entry, id: this.#names.get(id) ?? `other ${id}` }
    this.#names.delete(id)
    const news = mediaFact(
      { before: before.shared, entry, fact, shared: after.shared },
      { slot: this.#options.role, session },
    )
    pending.notice(read, this.#machine)
    if (news) this.operations.tell(news)
  }

  holderGone = (isGone: boolean): void =>
    this.operations.tell({ type: isGone ? 'holder.gone' : 'holder.here' })

  async takeOver(): Promise<void> {
    const { holdsSlot, membership } = this.#options
    const machine = this.#machine
    if (!machine || holdsSlot()) return
    this.#refusal = null
    machine.send({ type: 'media.takeOver' })
    await waitFor(
      machine,
      (now) => holdsSlot() || now.matches({ init: 'displaced' }) || now.matches({ init: 'closed' }),
    ).catch(() => {})
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
    this.operations.showState()
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
    await waitFor(machine, (now) => now.matches('idle') || now.matches('init')).catch(() => {})
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

  #input({ session, connected, log, pending }: SessionState): MediaInput {
    const { role: slot, capabilities, offerLifetime = LIMITS.offerLifetime.usual } = this.#options
    const { shared } = log.state
    return {
      ...{ slot, session, shared, offerLifetime },
      capabilities: capabilities.local,
      gone: connected && isHolderGone(shared, slot, connected) ? shared.session[slot] : null,
      firstOffer: pending.firstOffer,
      written: this.#written.session === session ? this.#written.entries : 0,
    }
  }

  /** Resolves when the machine has announced the session. @throws why the service refuses that */
  #start(state: SessionState): Promise<void> {
    const { engines, actor, write } = this.#options
    const log = fromCallback<WriteCommand>(({ receive }) =>
      receive(({ entry }) => {
        if (machine !== this.#machine) return
        const id = randomName()
        this.#names.set(id, entry.id)
        let now = id
        const onRefused = (error: ContactError): void => {
          this.#names.delete(now)
          this.#refused(machine, entry.id, error)
        }
        write({ ...entry, id }, onRefused, (fresh) => {
          this.#names.delete(now)
          now = fresh
          this.#names.set(fresh, entry.id)
        })
      }),
    )
    const machine = createActor(mediaMachine.provide({ actors: { engines: engines.driver(), log } }), {
      ...actor(),
      input: this.#input(state),
    })
    machine.on('*', this.operations.told)
    state.pending.listen(machine)
    machine.subscribe(() => this.operations.showState())
    this.#machine = machine
    this.#refusal = null
    return this.#announced(machine)
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
export const pendingHost = ({
  delivery,
  engines: { controls, registry },
}: Pick<ContactMediaOptions, 'delivery' | 'engines'>): PendingHost => ({
  restoring: (media) => controls.restore(media),
  restored: (end) =>
    delivery.emit('restored', { ...end, media: registry.withData(end.media), ...controls.summary }),
  failed: (error) => delivery.emit('error', error),
})
