import { ContactError } from '../../../protocol/index.ts'
import type { Calls, ContactData, ContactRequest, ContactState, Slot } from '../../../protocol/index.ts'
import type { AgentPrincipal, Principal } from '../auth/principal.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { openSessions } from '../cluster/session-openings.ts'
import type { OpenedAt, Opening } from '../cluster/session-openings.ts'
import type { Writer } from '../log/entry-insert.ts'
import type { ContactRow, SessionRow } from '../store/tables.ts'
import type { ContactChange } from './contact-change.ts'
import { recordOf } from './contact-record.ts'
import { editField, rateContact } from './data-edit.ts'
import type { ContactStore } from './contact-store.ts'
import { ReplacedError, hasLeft, notFound } from './contact-errors.ts'
import { isInLog } from './opening.ts'
import type { Opened, OpeningAsked, SessionRef } from './opening.ts'
import { endSession, isLeft, sessionsOf } from './session-rows.ts'

interface Leaving {
  readonly session: string
  /** In the party's own words: kept in the record. */
  readonly reason?: string
}

/** Of one party, over the life of a contact. */
const SESSIONS_LIMIT = 500
/** What an opening is that takes no place. */
const READ_ONLY = { counter: 0, epoch: null, former: null } as const

/** Creating, opening and leaving contacts, for a principal whose rights it checks. */
export class ContactService {
  readonly #store: ContactStore
  readonly #random: Random
  /** The identity of this node. */
  readonly #node: () => string

  constructor(store: ContactStore, random: Random, node: () => string) {
    this.#store = store
    this.#random = random
    this.#node = node
  }

  create(
    principal: Principal,
    { request, contact }: { request: string; contact: ContactRequest },
  ): Promise<string> {
    return this.#store.create({
      id: randomId(this.#random, 'c-'),
      visitor: principal.id,
      request,
      details:
        principal.use === 'visitor' && principal.nick !== undefined
          ? { ...contact, nick: principal.nick }
          : contact,
    })
  }

  /** Contacts that a visitor has had. @throws {@link ContactError} `invalid_argument` */
  list({ id }: Principal, before?: string): Promise<Calls['contact.list']['result']> {
    return this.#store.pastContacts(id, before)
  }

  /**
   * Announces the session; a lost connection of the same session is forgiven.
   *
   * @throws {@link ReplacedError} `offline`: a later opening of the page counts, or this node has been
   *   declared dead
   */
  open(principal: Principal, { contact, session, opening = null, last }: OpeningAsked): Promise<Opened> {
    const node = this.#node()
    return this.#store.change(contact, async (change) => {
      const known = await change.load(sessionsOf, contact)
      const existing = known.find((each) => each.session === session)
      const slot = slotToOpen(change.row, principal, existing)
      if (!existing && known.filter((each) => each.principal === principal.id).length >= SESSIONS_LIMIT)
        throw new ContactError(
          'forbidden',
          'unable to open the contact; this party has had too many sessions of it',
        )
      const place = isReadOnly(change.row, existing)
        ? READ_ONLY
        : await announce(change, { contact, session, slot, principal: principal.id, node, opening })
      const nick = slot === 'visitor' ? change.row.nick : principal.use === 'agent' ? principal.nick : null
      return {
        slot,
        nick,
        head: change.state.seq,
        ...place,
        record: recordOf(change.row, change.state, slot),
        state: change.state,
        elsewhere: known.flatMap((each) =>
          each.node === null || each.node === node || each.session === session
            ? []
            : [{ session: each.session, slot: each.slot, node: each.node, epoch: each.epoch }],
        ),
        isOver: isOver(change.row),
        isSame: last && (await isInLog(change, last)),
      }
    })
  }

  /** Changes a form field. */
  edit(agent: AgentPrincipal, edit: Calls['agent.edit']['args']): Promise<void> {
    return this.#store.change(edit.contact, (change) => editField(change, agent, edit), {
      characters: JSON.stringify(edit).length,
    })
  }

  /** The visitor rates a contact that is over. */
  rate(visitor: Principal, rating: Calls['contact.rate']['args']): Promise<void> {
    return this.#store.change(rating.contact, (change) => rateContact(change, visitor, rating))
  }

  async read(principal: Principal, contact: string): Promise<ContactData> {
    const { row, state, slot } = await this.#readable(principal, contact)
    return recordOf(row, state, slot)
  }

  /** Fails unless the principal may read the contact's log. */
  async checkReadable(principal: Principal, contact: string): Promise<number> {
    return (await this.#readable(principal, contact)).row.head
  }

  /**
   * Who wrote with a session that has had a part in the contact, and has none any more.
   *
   * @throws {@link ContactError} `not_joined`: this party has no such session, or may open the contact with
   *   it; `not_found`: an agent's, that is no more
   */
  async formerWriter(principal: Principal, { contact, session }: SessionRef): Promise<Writer> {
    const { row, known } = await this.#store.readSession(contact, session)
    if (!row && principal.use === 'agent') throw notFound(contact)
    if (
      !row ||
      !isOf(principal, known) ||
      (!isOver(row) && !known.ended && (known.slot === 'visitor' || row.agent === principal.id))
    )
      throw new ContactError(
        'not_joined',
        'unable to use the contact; this connection has not opened it with this session',
      )
    return {
      contact,
      session,
      slot: known.slot,
      principal: principal.id,
      nick: principal.use === 'agent' ? principal.nick : row.nick,
      epoch: null,
    }
  }

  /** Whether the principal has a contact that is not over. */
  hasOpen(principal: Principal): Promise<boolean> {
    return this.#store.hasOpenOf(principal)
  }

  /**
   * Ends the session for good. Gives the position of the last entry that says so. A visitor leaves a contact
   * wherever it has gone on meanwhile, unless another session of theirs carries it.
   */
  async leave(
    principal: Principal,
    { contact, session, reason }: SessionRef & { reason?: string },
  ): Promise<number> {
    const leaving = { session, ...(reason !== undefined && { reason }) }
    const { head, goesOn } = await this.#store.change(contact, async (change) => {
      const known = await change.load(sessionsOf, contact)
      const own = known.find((each) => each.session === session && isOf(principal, each))
      const slot = slotOf(change.row, principal, own)
      if (!own)
        throw new ContactError('not_joined', 'unable to leave the contact; this session has not opened it')
      if (own.ended) return { head: change.state.seq, goesOn: false }
      if (!isOver(change.row)) await change.load(endSession, { contact, session })
      const goesOn = await leaveChannels(change, slot, leaving)
      return { head: change.state.seq, goesOn: goesOn && slot === 'visitor' }
    })
    if (goesOn) await this.#leaveSuccessors({ contact, session }, leaving)
    return head
  }

  /** The session ends last: until then, leaving again goes on to what was not reached. */
  async #leaveSuccessors(first: SessionRef, leaving: Leaving): Promise<void> {
    let goesOn = true
    for (
      let next = await this.#store.successorOf(first.contact);
      next !== null && goesOn;
      next = await this.#store.successorOf(next)
    )
      goesOn = await this.#store.change(next, (change) => leaveChannels(change, 'visitor', leaving))
    await this.#store.change(first.contact, (change) => change.load(endSession, first))
  }

  async #readable(
    principal: Principal,
    contact: string,
  ): Promise<{ row: ContactRow; state: ContactState; slot: Slot }> {
    const read = await this.#store.read(contact)
    if (!read) throw notFound(contact)
    if (principal.use === 'agent' && read.row.life === 'transferred') {
      if (await this.#store.hasSuccessorOf(read.row, principal.id)) return { ...read, slot: 'agent' }
      if (read.row.agent === principal.id) throw hasLeft()
    }
    return { ...read, slot: slotOf(read.row, principal, undefined) }
  }
}

const isOver = (row: ContactRow): boolean => row.life === 'cleared' || row.life === 'transferred'

/** A session may still read how a contact ended. */
const isReadOnly = (row: ContactRow, existing: SessionRow | undefined): boolean =>
  isOver(row) || (existing?.ended ?? false)

/** Whether a session is this party's: nobody else opens, leaves or writes with it. */
const isOf = (principal: Principal, session: SessionRow | undefined): session is SessionRow =>
  session !== undefined && session.principal === principal.id && session.slot === principal.use

/** The slot that the principal owns. A contact of another visitor does not exist for this one. */
function slotOf(row: ContactRow, principal: Principal, existing: SessionRow | undefined): Slot {
  if (principal.use === 'visitor') {
    if (row.visitor !== principal.id) throw notFound(row.id)
    return 'visitor'
  }
  if (row.agent === principal.id) return 'agent'
  if (isOf(principal, existing)) throw hasLeft()
  throw new ContactError('not_assigned', 'unable to use the contact; it is not assigned to this agent')
}

function slotToOpen(row: ContactRow, principal: Principal, existing: SessionRow | undefined): Slot {
  const slot = slotOf(row, principal, existing)
  if (existing && !isOf(principal, existing))
    throw new ContactError('forbidden', 'unable to open the contact; the session belongs to another party')
  if (existing?.ended) throw hasLeft()
  if (row.life === 'cleared' && !existing) throw hasLeft()
  if (row.life === 'transferred' && slot === 'agent') throw hasLeft()
  return slot
}

/** Gives the session to this node. */
async function announce(change: ContactChange, opening: Opening): Promise<OpenedAt> {
  const opened = await change.load(openSessions, opening)
  if (!opened) throw new ReplacedError('open')
  change.happen({ type: 'session.heard', session: opening.session })
  return opened
}

/**
 * A session that is a channel of its party leaves; those of the same party whose connection is gone end with
 * the one that leaves last. Any other ends its party's part only where that has no channel at all. True
 * where the contact has gone on, and none of the party's other sessions was connected to follow it.
 */
async function leaveChannels(
  change: ContactChange,
  slot: Slot,
  { session, reason }: Leaving,
): Promise<boolean> {
  const channels = change.state.channels[slot]
  if (channels.length > 0 && !channels.includes(session)) return false
  const others = (await change.sessions(slot)).filter(
    (other) => other.session !== session && channels.includes(other.session),
  )
  const last = others.every((other) => !other.connected)
  if (isOver(change.row)) return last && change.row.life === 'transferred'
  if (reason !== undefined)
    await change.trx
      .updateTable('contacts')
      .set({ leave_reason: reason })
      .where('id', '=', change.row.id)
      .execute()
  if (!channels.includes(session) && !(await isLeft(change.trx, { contact: change.row.id, session })))
    change.unannounced.add(session)
  for (const other of last ? others : []) {
    await change.load(endSession, { contact: change.row.id, session: other.session })
    change.happen({ type: 'session.replaced', slot, session: other.session })
  }
  if (slot === 'visitor') change.happen({ type: 'visitor.left', session, last, now: change.now })
  else change.happen({ type: 'agent.left', session, last })
  return false
}
