import { createActor, fromCallback } from 'xstate'
import { mediaMachine } from '../../machines/eager.ts'
import type { MediaInput, WriteCommand } from '../../machines/eager.ts'
import { ContactError, LIMITS, isHolderGone, wherePeerIs } from '../../protocol/index.ts'
import type { Appended, ConnectedSessions, ContactData, ContactLife, Draft } from '../../protocol/index.ts'
import { Chapter } from './chapter.ts'
import type { ContactCore } from './contact-core.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import { isContactClosed } from './contact-closed.ts'
import { showLog } from '../inspection/inspected-log.ts'
import { SecondPage } from './second-page.ts'
import { until } from '../async/until.ts'
import type { WishesHost } from '../media/pending-offer.ts'

/**
 * After a reconnection the others may be on their way back, too: who is missing counts as gone only after
 * this, milliseconds.
 */
const RETURN_MS = 5_000

/** A page's way into a contact, and after it from one id to the next. */
export class Passage {
  readonly #core: ContactCore
  readonly #onEntry: (read: ReadEntry) => void
  #chapter: Chapter
  /** The last one that the service has opened for this page. */
  #opened: Chapter
  readonly #second: SecondPage
  readonly #resumer
  #returning: unknown = null
  /** Why the service did not take the last `present` of this page. */
  #refusal: ContactError | null = null

  constructor(core: ContactCore, onEntry: (read: ReadEntry) => void) {
    const { record, resumed, link, log } = core.options
    this.#core = core
    this.#resumer = link.onResume(
      () => this.#resume(),
      () => log.warn('the contact could not be opened'),
    )
    this.#onEntry = onEntry
    this.#second = new SecondPage(core.options.clock, this.beginSecond)
    this.#chapter = this.#opened = this.#begin(record, resumed ? null : 0)
  }

  /** Where the contact is now. */
  get chapter(): Chapter {
    return this.#chapter
  }

  /**
   * Opens the contact where it is now, and announces this session. Gives how the contact stands then; null:
   * it was given up meanwhile.
   */
  async enter(signal: AbortSignal): Promise<ContactLife | null> {
    do {
      const isThere = await this.#openWhereItIs(signal)
      if (!isThere || signal.aborted) return null
      await this.#announce(this.#chapter)
    } while (this.#chapter.next !== null && !signal.aborted)
    return this.#chapter.log.state.life
  }

  /**
   * Resolves when this session has announced itself, lets another page go first, or the contact goes on
   * elsewhere meanwhile.
   */
  async #announce(chapter: Chapter): Promise<void> {
    chapter.isSecond &&= chapter.log.state.shared.session[this.#core.options.role] === null
    if (chapter.isSecond) this.#second.wait(chapter.isFirstThere)
    else await Promise.race([(chapter.announcing ??= this.#startMedia()), chapter.moved])
  }

  /** After a reconnection. A contact that this party has no part in any more is given up. */
  async #resume(): Promise<void> {
    const { membership } = this.#core
    if (membership.isOutside() || membership.isOver()) return
    if (membership.isStranded()) return membership.actor.send({ type: 'link.resumed' })
    try {
      await this.open()
    } catch (thrown) {
      if (!isContactClosed(thrown)) throw thrown
      await this.#giveUp(thrown)
    }
  }

  /**
   * Tells the service that this page leaves, once `first` has settled. Without a connection it hears later.
   */
  async leave(reason: string | undefined, first: Promise<unknown>): Promise<void> {
    const { id, session } = this.#opened
    await this.#core.options.leave({ contact: id, session, ...(reason !== undefined && { reason }) }, first)
  }

  /** Hands drafts to the service. Where the contact is over for this session, its log tells how that came. */
  async append(drafts: readonly Draft[]): Promise<readonly Appended[]> {
    const { id, session } = this.#chapter
    const look = (error: unknown): void => {
      if ((error as { readonly code?: unknown } | undefined)?.code === 'left')
        void this.#resumer.run().catch(() => {})
    }
    const appending = this.#core.options.link.call('log.append', {
      contact: id,
      session,
      drafts: [...drafts],
    })
    appending.catch(look)
    const { appended } = await appending
    look(appended.flatMap((each) => ('error' in each ? [each.error] : [])).at(-1))
    return appended
  }

  /**
   * A page that let another one of its party go first follows it once that one holds the slot, or takes the
   * slot where it does not come.
   */
  beginSecond = (): void => {
    if (!this.#chapter.isSecond || !this.#core.membership.isInside()) return
    this.#chapter.isSecond = false
    this.#second.end()
    this.#chapter.announcing ??= this.#startMedia()
    this.#chapter.announcing.catch(() => {})
  }

  /** A party has come or gone, or another page of it is there. */
  slotsChanged(): void {
    if (this.#chapter.log.state.shared.session[this.#core.options.role] !== null) this.beginSecond()
    this.lookAround()
  }

  /** The service tells who is connected. */
  told(connected: ConnectedSessions): void {
    this.#chapter.told(connected)
    this.lookAround()
  }

  /** Compares who is connected with who has a part in the contact. */
  lookAround = (): void => {
    const { role } = this.#core.options
    const { connected, log, isSecond, session } = this.#chapter
    if (isSecond) this.#second.look(connected !== null && connected[role].every((each) => each === session))
    if (connected === null) return
    const { shared } = log.state
    const { actor } = this.#core.membership
    const mayBeGone = this.#returning === null
    const peer = wherePeerIs(shared, role, connected)
    if (!isHolderGone(shared, role, connected)) this.#core.media.tell({ type: 'holder.here' })
    else if (mayBeGone) this.#core.media.tell({ type: 'holder.gone' })
    if (peer === 'here') actor.send({ type: 'peer.here' })
    else if (peer === null) actor.send({ type: 'peer.none' })
    else if (mayBeGone) actor.send({ type: 'peer.gone' })
  }

  /** Takes slot and call over from another page of the party. */
  async takeOver(): Promise<void> {
    this.beginSecond()
    const { media } = this.#chapter
    const { role } = this.#core.options
    if (!media || this.#chapter.holds(role)) return
    this.#refusal = null
    media.send({ type: 'media.takeOver' })
    await until(
      media,
      () =>
        this.#chapter.holds(role) ||
        media.getSnapshot().matches({ init: 'displaced' }) ||
        media.getSnapshot().matches({ init: 'closed' }),
    )
    this.#core.membership.requireInside('take the contact over')
    if (!this.#chapter.holds(role))
      throw (
        this.#refusal ??
        new ContactError('glare', 'unable to take the contact over; another page of this party was first')
      )
  }

  end(how: 'over' | 'dropped'): void {
    this.#resumer.stop()
    this.#core.options.clock.clearTimeout(this.#returning)
    this.#second.end()
    this.#chapter.media?.stop()
    const { kept } = this.#chapter
    if (how === 'over') kept.erase()
    else kept.release()
  }

  #begin(record: ContactData, seen: number | null, before?: Chapter): Chapter {
    const { role, kept, inspect } = this.#core.options
    const show = showLog(record.id, inspect)
    const onEntry = (read: ReadEntry): void => {
      show(read)
      this.#onEntry(read)
    }
    return new Chapter({
      role,
      record,
      kept: kept(record.id),
      seen,
      before,
      onEntry,
      onGap: () => void this.open().catch(() => {}),
      wishes: this.#wishesHost(),
    })
  }

  #wishesHost(): WishesHost {
    const core = this.#core
    return {
      now: () => core.options.clock.now(),
      restoring: (media) => core.engines.controls.restore(media),
      restored: (end) =>
        core.delivery.emit('restored', {
          ...end,
          media: core.engines.registry.withData(end.media),
          ...core.engines.controls.summary,
        }),
      failed: (error) => core.delivery.emit('error', error),
    }
  }

  /**
   * Opens the channel where the log was read to. Gives the last number of this session that the service has
   * stored, once everything stored by then has been read.
   */
  async open(): Promise<number> {
    const chapter = this.#chapter
    const { id, session, log } = chapter
    chapter.connected = null
    this.#second.look(false)
    if (chapter.media) this.#waitForOthers()
    const known = Math.max(log.state.seq, chapter.seen ?? 0)
    const { head, counter, record, connected } = await this.#core.options.link.call('contact.open', {
      contact: id,
      session,
      cursor: log.state.seq,
    })
    this.#opened = chapter
    chapter.record = record
    if (head < known) {
      this.#startOver()
      return counter
    }
    chapter.enteredAt(head)
    await log.reaches(head)
    if (chapter.next !== null || this.#core.over.aborted) return counter
    if (chapter.connected === null) chapter.told(connected)
    this.lookAround()
    this.#core.outbox.resume(counter)
    this.#core.relay.resume()
    return counter
  }

  /** What was read is not in the log any more, as after a restore of the service: it is read from its start. */
  #startOver(): void {
    const { membership, delivery } = this.#core
    this.#chapter.next ??= this.#chapter.id
    delivery.emit('error', new ContactError('protocol', 'unable to read on; the log is shorter than it was'))
    membership.actor.send({ type: 'log.anew' })
  }

  #waitForOthers(): void {
    const { clock } = this.#core.options
    clock.clearTimeout(this.#returning)
    this.#returning = clock.setTimeout(() => {
      this.#returning = null
      this.lookAround()
    }, RETURN_MS)
  }

  /** Follows the contact over transfers. False: it was given up, or is over. */
  async #openWhereItIs(signal: AbortSignal): Promise<boolean> {
    const { membership, options } = this.#core
    try {
      do {
        if (this.#chapter.next !== null) await this.#turn(this.#chapter.next)
        if (signal.aborted) return false
        await this.open()
      } while (this.#chapter.next !== null && !signal.aborted)
      this.#tellMediaAnew(this.#chapter)
      return true
    } catch (thrown) {
      if (!membership.isMoving() || !isContactClosed(thrown)) throw thrown
      const { record } = await options.link
        .call('contact.read', { contact: this.#chapter.id })
        .catch(() => ({ record: null }))
      if (record?.state === 'cleared')
        membership.actor.send({ type: 'log.cleared', reason: record.reason ?? null })
      else await this.#giveUp(thrown)
      return false
    }
  }

  /** Where the log is read anew, all media have ended for the application: what holds now is news. */
  #tellMediaAnew({ isAnew, media, log }: Chapter): void {
    const from = { Sharing: { tx: false, rx: false } }
    if (isAnew && !media) this.#core.media.told({ type: 'media.changed', from, to: log.state.shared.media })
  }

  /**
   * Goes on under the id that the log has told, or with the same log from its start: what is still to be sent
   * goes there, the media of the old one end.
   */
  async #turn(next: string): Promise<void> {
    const core = this.#core
    const { role, onMove } = core.options
    const before = this.#chapter
    const { connected, log, isSecond, media } = before
    const isSame = next === before.id
    this.#second.end()
    if (isSame) before.kept.erase()
    this.#chapter = isSame
      ? this.#begin(before.record, null, before)
      : this.#begin(before.successor(next), before.seen === null ? null : 0)
    this.#chapter.isSecond = isSecond || (media !== null && !before.holds(role))
    this.#chapter.isFirstThere = connected === null || !isHolderGone(log.state.shared, role, connected)
    if (!isSame) onMove(next)
    core.media.showState()
    core.outbox.startAnew()
    before.kept.erase()
    if (isSame) media?.send({ type: 'contact.leave' })
    await before.putMediaAway()
    await core.engines.stop()
  }

  /**
   * The part of this session is over. An agent may read a contact as long as it is theirs; a visitor may take
   * it
   * up again.
   */
  async #giveUp(error: ContactError): Promise<void> {
    const { membership, delivery, options } = this.#core
    const mayBeOver = options.role === 'agent' && (error.code === 'left' || error.code === 'not_found')
    const isOver =
      mayBeOver &&
      (await options.link
        .call('contact.read', { contact: this.#chapter.id })
        .then(() => false, isContactClosed))
    if (membership.isOver()) return
    delivery.emit('error', error)
    if (isOver) membership.end()
    else membership.drop()
  }

  #mediaInput({ session, connected, log, written }: Chapter): MediaInput {
    const { role: slot, offerLifetime = LIMITS.offerLifetime.usual } = this.#core.options
    const { shared } = log.state
    const gone = connected && isHolderGone(shared, slot, connected) ? shared.session[slot] : null
    return {
      slot,
      session,
      capabilities: this.#core.capabilities.local,
      offerLifetime,
      shared,
      gone,
      written,
    }
  }

  /** Resolves when the media machine has announced this session. @throws why the service refuses that */
  #startMedia(): Promise<void> {
    const core = this.#core
    const chapter = this.#chapter
    const refused = (id: string, error: ContactError): void => {
      if (media.getSnapshot().status !== 'active') return
      const announced = media.getSnapshot().matches({ init: 'announcing' })
      this.#refusal = error
      media.send({ type: 'log.refused', id, code: error.code, reason: error.message })
      if (announced && chapter.media === media && core.options.link.isConnected) this.#waitForOthers()
    }
    const log = fromCallback<WriteCommand>(({ receive }) =>
      receive(
        ({ entry }) => chapter === this.#chapter && core.write(entry, (error) => refused(entry.id, error)),
      ),
    )
    const media = createActor(mediaMachine.provide({ actors: { engines: core.engines.driver(), log } }), {
      ...core.observed('media'),
      input: this.#mediaInput(chapter),
    })
    media.on('*', (emitted) => core.media.told(emitted))
    media.on('offer.settled', ({ id, outcome, media: now }) => chapter.wishes.settled(id, outcome, now))
    media.subscribe(() => {
      chapter.wishes.fulfil(media)
      core.media.showState()
    })
    chapter.media = media
    this.#refusal = null
    return new Promise((resolve, reject) => {
      const watching = media.subscribe((snapshot) => {
        if (snapshot.matches({ init: 'announcing' })) return
        watching.unsubscribe()
        if (this.#refusal === null || core.membership.isInside()) return resolve()
        chapter.giveMediaUp()
        reject(this.#refusal)
      })
      media.start()
    })
  }
}
