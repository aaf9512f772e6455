/** What the log tells the membership machine, and the events of the contact for what that machine emits. */
import type { MembershipActor, MembershipEvent } from '../../machines/eager.ts'
import { algebra, countChannels, otherSlot } from '../../protocol/index.ts'
import type { EndReason, Slot } from '../../protocol/index.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { ReadEntry } from './log-reader.ts'

interface Reader {
  readonly slot: Slot
  readonly session: string
  /** Id of the contact's visitor. */
  readonly visitor: string
}

/** The event of the membership machine for an entry; null for none. */
export function membershipEvent(read: ReadEntry, me: Reader): MembershipEvent | null {
  const { entry, after } = read
  switch (entry.type) {
    case 'assigned':
      return { type: 'log.assigned', agent: entry.body }
    case 'joined':
      return { type: 'log.joined', agent: entry.body }
    case 'declined':
      return { type: 'log.declined', body: entry.body }
    case 'transferred':
      return { type: 'log.transferred', body: entry.body }
    case 'cleared':
      return { type: 'log.cleared', reason: entry.body.reason ?? null }
    case 'left': {
      const { session, slot, ...body } = entry.body
      if (session === me.session) return { type: 'log.selfLeft', reason: entry.body.reason ?? null }
      return slot === me.slot ? null : { type: 'log.left', body }
    }
    default:
      break
  }
  const by = isTakenOver(read, me) ? me.slot : otherSlot(me.slot)
  if (by !== me.slot && !hasTurnedOff(read, by)) return null
  return {
    type: 'log.left',
    body: {
      ...(by === 'agent' ? { user: after.agent?.user ?? '' } : { vvcu: me.visitor }),
      channels: countChannels(after.channels),
    },
  }
}

const isTakenOver = ({ fact, before }: ReadEntry, me: Reader): boolean =>
  fact.kind === 'present' &&
  fact.slot === me.slot &&
  fact.session !== me.session &&
  before.shared.session[me.slot] === me.session

/** Whether a party turned a medium off: by its offer, or by its answer where the offer was `optional`. */
function hasTurnedOff({ fact, before, after, answered }: ReadEntry, slot: Slot): boolean {
  if (fact.kind !== 'committed') return false
  const open = algebra.mostOf(answered ?? {})
  return Object.keys(algebra.diff(before.shared.media, after.shared.media).removed.media).some(
    (medium) => (fact.by === slot) !== algebra.isOn(open[medium]),
  )
}

const LOCAL_REASONS: Readonly<Partial<Record<EndReason, 'abandon' | 'cancel' | 'closed' | 'user'>>> = {
  abandon: 'abandon',
  cancel: 'cancel',
  vvcu: 'closed',
  user: 'user',
}

/** What the events of membership need of their contact. */
export interface MembershipHost {
  readonly role: Slot
  readonly delivery: Pick<Delivery, 'emit' | 'inTurn'>
  readonly membership: { readonly actor: MembershipActor }
  /** Id of the contact: another one after a transfer. */
  readonly contact: () => string
}

/**
 * Emits the contact's events for what the membership machine emits. Returns the id that the contact has for the
 * application: the next one as `transferred` is told, not while events of the old log wait.
 */
export function publishMembership({ role, delivery, membership, contact: id }: MembershipHost): () => string {
  const { actor } = membership
  const earlier: string[] = []
  actor.on('assigned', ({ agent }) =>
    delivery.emit('assigned', { id: id(), user: agent.user, nick: agent.nick }),
  )
  actor.on('joined', ({ agent }) => delivery.emit('joined', { id: id(), ...agent }))
  actor.on('declined', ({ body }) => delivery.emit('declined', { id: id(), ...body }))
  actor.on('transferred', ({ body }) => {
    if (role === 'visitor') {
      earlier.push(id())
      delivery.inTurn(() => void earlier.shift())
    }
    delivery.emit('transferred', { id: id(), to: body })
  })
  actor.on('peeraway', ({ away }) => delivery.emit('peeraway', { away }))
  actor.on('left', ({ body }) => delivery.emit('left', { id: id(), ...body }))
  actor.on('localleft', ({ reason }) => {
    const local = reason === null ? (role === 'agent' ? 'user' : 'closed') : LOCAL_REASONS[reason]
    delivery.emit('localleft', local === undefined ? {} : { reason: local })
  })
  actor.on('cleared', ({ reason }) =>
    delivery.emit('cleared', { id: id(), ...(reason !== null && { reason }) }),
  )
  return () => earlier[0] ?? id()
}
