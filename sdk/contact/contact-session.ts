import { ContactError, isHolderGone } from '../../protocol/index.ts'
import type {
  Appended,
  Clock,
  ConnectedSessions,
  ContactData,
  ContactLife,
  Draft,
  Slot,
} from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import type { TellLeave } from '../client/pending-leaves.ts'
import type { Encryption, Sendable } from '../crypto/interface.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { ConnectedPages } from './connected-pages.ts'
import { isContactClosed } from './contact-closed.ts'
import type { Delivery } from './event-queue.ts'
import type { MediaPart } from './media-part.ts'
import type { Membership } from './membership.ts'
import type { SavedState } from './saved-state.ts'
import { SecondPage } from './second-page.ts'
import { SessionState } from './session-state.ts'

export interface ContactSessionOptions {
  readonly role: Slot
  readonly record: ContactData
  /** Entries older than this page emit no events; without it, all entries do. */
  readonly resumed: boolean
  readonly clock: Clock
  readonly log: Log
  /** Shows the log of a contact to an observer. */
  readonly show?: ((contact: string) => (read: ReadEntry) => void) | undefined
  readonly link: ServiceLink
  readonly delivery: Pick<Delivery, 'emit'>
  readonly membership: Membership
  readonly media: MediaPart
  /** What this tab has saved of a contact. */
  readonly saved: (contact: string) => SavedState
  /** Tells the service that a session has ended. */
  readonly leave: TellLeave
  readonly onEntry: (read: ReadEntry) => void
  /** The contact is open and read up to now; `counter`: the last number of this session that is stored. */
  readonly onOpen: (counter: number) => void
  /** Of a secure contact. */
  readonly encryption: Encryption | null
  /** The session is over; the next one begins, or the same one reads its log again. */
  readonly onNext: () => void
  /** The contact goes on under another id. */
  readonly onMove: (contact: string) => void
}

/**
 * This page's session in a contact: how it opens the contact, and follows it from one id to the next. The
 * {@link Membership} decides when; the rest of the contact asks here which contact and session it is now.
 */
export class ContactSession {
  readonly #options: ContactSessionOptions
  readonly #pages: ConnectedPages
  readonly #second: SecondPage
  readonly #resumer
  #state: SessionState
  /** The last one that the service has opened for this page. */
  #opened: SessionState

  constructor(options: ContactSessionOptions) {
    const { record, resumed, link, log, clock } = options
    this.#options = options
    this.#resumer = link.onResume(
      () => this.#resume(),
      () => log.warn('the contact could not be opened'),
    )
    this.#second = new SecondPage(clock, () => this.#endWaiting())
    this.#pages = new ConnectedPages({ ...options, second: this.#second, state: () => this.#state })
    this.#state = this.#opened = this.#begin(record, resumed ? null : 0)
  }

  /** Under the contact's id now. */
  get state(): SessionState {
    return this.#state
  }

  /**
   * Opens the contact where it is now, and announces this session. Returns how the contact stands then; null:
   * the page has given it up meanwhile.
   */
  enter = async (signal: AbortSignal): Promise<ContactLife | null> => {
    do {
      const isOpen = await this.#openWhereItIs(signal)
      if (!isOpen || signal.aborted) return null
      await this.#announce(this.#state)
    } while (this.#state.next !== null && !signal.aborted)
    return this.#state.log.state.life
  }

  /**
   * Tells the service that this page leaves, once `first` has settled. Without a connection it hears later.
   */
  async leave(reason: string | undefined, first: Promise<unknown>): Promise<void> {
    const { id, session } = this.#opened
    await this.#options.leave({ contact: id, session, ...(reason !== undefined && { reason }) }, first)
  }

  /** Hands drafts to the service. Where the contact is over for this session, its log says how that came. */
  append = async (drafts: readonly Sendable<Draft>[]): Promise<readonly Appended[]> => {
    const { id, session } = this.#state
    const look = (error: unknown): void => {
      if ((error as { readonly code?: unknown } | undefined)?.code === 'left') this.#resumer.ask()
    }
    const appending = this.#options.link.callHere('log.append', { contact: id, session, drafts: [...drafts] })
    appending.catch(look)
    const { appended } = await appending
    look(appended.flatMap((each) => ('error' in each ? [each.error] : [])).at(-1))
    return appended
  }

  /** This page is inside: another one of its party may have taken the slot since it let that go first. */
  entered(): void {
    if (this.#state.holder !== null) this.#endWaiting()
  }

  /** A party has come or gone, or another page of it is there. */
  slotsChanged(): void {
    this.entered()
    this.#pages.look()
  }

  /** The service says who is connected. */
  told = (connected: ConnectedSessions): void => this.#pages.told(connected)

  /** The service did not take the own `present`: who holds the slot may come back soon. */
  waitForOthers = (): void => this.#pages.waitForOthers()

  /** Takes slot and call over from another page of the party. @throws as {@link MediaPart.takeOver} */
  async takeOver(): Promise<void> {
    this.#options.membership.requireInside('take the contact over')
    this.#endWaiting()
    await this.#options.media.takeOver()
  }

  end(how: 'over' | 'dropped'): void {
    this.#resumer.stop()
    this.#pages.end()
    this.#second.end()
    this.#options.media.end()
    const { saved } = this.#state
    if (how === 'over') saved.erase()
    else saved.release()
  }

  /**
   * Opens the channel where the log was read to. Returns the last number of this session that the service has
   * stored, once everything stored by then has been read.
   */
  open = async (): Promise<number> => {
    const state = this.#state
    const { encryption } = this.#options
    const { log } = state
    this.#pages.forget()
    if (this.#options.media.hasBegun) this.#pages.waitForOthers()
    const known = Math.max(log.state.seq, state.seen ?? 0)
    const answer = await this.#options.link.callHere('contact.open', state.opening())
    const { head, counter, record, connected, same } = answer
    this.#opened = state
    state.record = record
    if (encryption && !record.secure) encryption.broken('lowered') // §5
    if (head < known || same === false) {
      this.#readAgain()
      return counter
    }
    state.opened(head)
    await log.reaches(head)
    if (state.next !== null || this.#options.membership.hasEnded()) return counter
    if (state.connected === null) state.setConnected(connected)
    this.#pages.look()
    this.#options.onOpen(counter)
    return counter
  }

  #begin(record: ContactData, seen: number | null, before?: SessionState): SessionState {
    const { role, saved, encryption, onEntry, link } = this.#options
    const show = this.#options.show?.(record.id)
    return new SessionState({
      ...{ role, record, saved: saved(record.id), seen, before, guard: encryption, line: link },
      onEntry: (read) => {
        show?.(read)
        onEntry(read)
      },
      onGap: (isAwaited) => this.#resumer.ask(isAwaited),
    })
  }

  /**
   * Resolves when this session has announced itself, lets another page go first, or the contact goes on
   * elsewhere meanwhile.
   */
  async #announce(state: SessionState): Promise<void> {
    if (this.#second.wait(state.holder === null)) return
    await Promise.race([this.#options.media.announce(state), state.moved])
  }

  /**
   * A page that let another one of its party go first follows it once that one holds the slot, or takes the
   * slot where it does not come.
   */
  #endWaiting(): void {
    const { membership, media } = this.#options
    if (membership.isInside() && this.#second.end()) media.announce(this.#state).catch(() => {})
  }

  /** After a reconnection. A contact that this party has no part in any more is given up. */
  async #resume(): Promise<void> {
    const { membership } = this.#options
    if (membership.isOutside() || membership.isOver()) return
    if (membership.isStranded()) return membership.actor.send({ type: 'link.resumed' })
    try {
      await this.open()
    } catch (thrown) {
      if (!isContactClosed(thrown)) throw thrown
      await this.#giveUp(thrown)
    }
  }

  /** What was read is not in the log any more, as after a restore of the service: it is read from its start. */
  #readAgain(): void {
    const { membership, delivery } = this.#options
    this.#state.next ??= this.#state.id
    delivery.emit(
      'error',
      new ContactError('protocol', 'unable to read on; the log is another one than before'),
    )
    membership.actor.send({ type: 'log.anew' })
  }

  /** Follows the contact over transfers. False: it was given up, or is over. */
  async #openWhereItIs(signal: AbortSignal): Promise<boolean> {
    const { membership, media, link } = this.#options
    try {
      do {
        if (this.#state.next !== null) await this.#goOn(this.#state.next)
        const moving = link.moved()
        if (moving) await moving
        if (signal.aborted) return false
        await this.open()
      } while (this.#state.next !== null && !signal.aborted)
      const { isReadAgain, log } = this.#state
      if (isReadAgain) media.readAgain(log.state.shared.media)
      return true
    } catch (thrown) {
      if (!membership.isMoving() || !isContactClosed(thrown)) throw thrown
      const { record } = await link
        .callHere('contact.read', { contact: this.#state.id })
        .catch(() => ({ record: null }))
      if (record?.state === 'cleared')
        membership.actor.send({ type: 'log.cleared', reason: record.reason ?? null })
      else await this.#giveUp(thrown)
      return false
    }
  }

  /**
   * Goes on under the id that the log has told, or with the same log from its start. What is still to be sent
   * is sent there; the media of the old session end.
   */
  async #goOn(next: string): Promise<void> {
    const { role, media, onMove, onNext } = this.#options
    const before = this.#state
    const { connected, log, saved } = before
    const isSame = next === before.id
    if (isSame) saved.erase()
    this.#second.move(
      media.hasBegun && !before.holdsSlot,
      connected === null || !isHolderGone(log.state.shared, role, connected),
    )
    this.#state = isSame
      ? this.#begin(before.record, null, before)
      : this.#begin(before.nextRecord(next, this.#options.saved(next)), before.seen === null ? null : 0)
    if (!isSame) onMove(next)
    const away = media.putAway(isSame)
    onNext()
    saved.erase()
    await away
  }

  /**
   * The part of this session is over. An agent may read a contact as long as it is theirs; a visitor may take
   * it up again.
   */
  async #giveUp(error: ContactError): Promise<void> {
    const { membership, delivery, role, link } = this.#options
    const mayBeOver = role === 'agent' && (error.code === 'left' || error.code === 'not_found')
    const isOver =
      mayBeOver &&
      (await link.callHere('contact.read', { contact: this.#state.id }).then(() => false, isContactClosed))
    if (membership.isOver()) return
    delivery.emit('error', error)
    if (isOver) membership.end()
    else membership.drop()
  }
}
