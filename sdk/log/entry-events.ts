/** Which entry of the log is which event of the contact: one table for messages, one for membership. */
import type { MembershipActor, MembershipEvent } from '../../machines/eager.ts'
import { algebra, countChannels, otherSlot } from '../../protocol/index.ts'
import type {
  ContactEvents,
  EndReason,
  PartyEntry,
  Sender,
  ServiceEntry,
  Slot,
  Stamp,
} from '../../protocol/index.ts'
import type { Delivery } from '../contact/event-queue.ts'
import type { ReadEntry } from './log-reader.ts'
import type { Outbox } from './outbox.ts'

const { diff, isOn, mostOf } = algebra

/** Who wrote an entry. */
export const senderOf = ({ from, slot }: PartyEntry): Sender => ({
  from_id: from.id,
  ...(from.nick !== undefined && { from_nick: from.nick }),
  agent: slot === 'agent',
})

/** Which message an entry is. */
export const stampOf = ({ id, time }: Pick<PartyEntry, 'id' | 'time'>): Stamp => ({ id, ts: time })

/** What messages need of their contact. */
export interface MessagesHost {
  readonly role: Slot
  readonly session: string
  /** Origin of the service. */
  readonly service: string
  readonly delivery: Delivery
  readonly outbox: Pick<Outbox, 'add'>
  /** Hears of each entry when its events are told; says whether a handler had it. */
  readonly follower: (read: ReadEntry) => boolean
}

/** Delivers a message of either side, and acknowledges what a handler has seen. */
export function messageEvent(host: MessagesHost, read: ReadEntry): void {
  const { entry } = read
  const { delivery, role, service, outbox, session } = host
  const own = (entry.type === 'attachment' ? entry.body.slot : entry.slot) === role
  let isFollowed = false
  delivery.inTurn(() => (isFollowed = host.follower(read)))
  const acknowledge = (heard: boolean): void => {
    if (heard || isFollowed)
      outbox.add({ id: `${session}.ack.${entry.seq}`, type: 'ack', body: { ref: entry.id } }).catch(() => {})
  }
  switch (entry.type) {
    case 'text':
      return own
        ? delivery.emit('localtext', { text: entry.body.text, ...stampOf(entry) })
        : delivery.emit(
            'text',
            { text: entry.body.text, ...stampOf(entry), ...senderOf(entry) },
            { after: acknowledge },
          )
    case 'link':
      return own
        ? delivery.emit('locallink', { ...entry.body, ...stampOf(entry) })
        : delivery.emit(
            'link',
            { ...entry.body, ...stampOf(entry), ...senderOf(entry) },
            { after: acknowledge },
          )
    case 'action':
      return own
        ? undefined
        : delivery.emit(
            'action',
            {
              action_code: entry.body.code,
              args: [...entry.body.args],
              ...stampOf(entry),
              ...senderOf(entry),
            },
            { after: acknowledge },
          )
    case 'ack':
      return own ? undefined : delivery.emit('ack', { ref: entry.body.ref, ...senderOf(entry) })
    case 'datachange':
    case 'telephone':
      return delivery.emit<'datachange' | 'telephone'>(entry.type, entry.body)
    case 'attachment':
      return delivery.emit('attachment', attachmentOf(entry, service), own ? {} : { after: acknowledge })
    default:
      return undefined
  }
}

/** What a file's entry tells the application. */
export function attachmentOf(
  entry: Extract<ServiceEntry, { readonly type: 'attachment' }>,
  service: string,
): ContactEvents['attachment'] {
  const { slot, from, url, ...meta } = entry.body
  const { referenceId } = meta
  return {
    url: new URL(url ?? '', service).href,
    meta: { ...meta, ...(referenceId !== undefined && { ref: referenceId }) },
    ...stampOf(entry),
    from_id: from.id,
    ...(from.nick !== undefined && { from_nick: from.nick }),
    agent: slot === 'agent',
  }
}

interface Reader {
  readonly slot: Slot
  readonly session: string
  /** Id of the contact's visitor. */
  readonly visitor: string
}

/** What an entry means to this party's membership. */
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

/** Whether a side has turned a medium off: by its offer, or by its answer what an offer left open. */
function hasTurnedOff({ fact, before, after, answered }: ReadEntry, slot: Slot): boolean {
  if (fact.kind !== 'committed') return false
  const open = mostOf(answered ?? {})
  return Object.keys(diff(before.shared.media, after.shared.media).removed.media).some(
    (medium) => (fact.by === slot) !== isOn(open[medium]),
  )
}

const LOCAL_REASONS: Readonly<Partial<Record<EndReason, 'abandon' | 'cancel' | 'closed' | 'user'>>> = {
  abandon: 'abandon',
  cancel: 'cancel',
  vvcu: 'closed',
  user: 'user',
}

/** Whose membership is told. */
export interface MembershipHost {
  readonly role: Slot
  readonly delivery: Pick<Delivery, 'emit'>
  readonly membership: { readonly actor: MembershipActor }
  /** Id of the contact now. */
  readonly contact: () => string
}

/** Turns what the membership machine emits into the contact's events. */
export function publishMembership({ role, delivery, membership, contact: id }: MembershipHost): void {
  const { actor } = membership
  actor.on('assigned', ({ agent }) =>
    delivery.emit('assigned', { id: id(), user: agent.user, nick: agent.nick }),
  )
  actor.on('joined', ({ agent }) => delivery.emit('joined', { id: id(), ...agent }))
  actor.on('declined', ({ body }) => delivery.emit('declined', { id: id(), ...body }))
  actor.on('transferred', ({ body }) => delivery.emit('transferred', { id: id(), to: body }))
  actor.on('peeraway', ({ away }) => delivery.emit('peeraway', { away }))
  actor.on('left', ({ body }) => delivery.emit('left', { id: id(), ...body }))
  actor.on('localleft', ({ reason }) => {
    const local = reason === null ? (role === 'agent' ? 'user' : 'closed') : LOCAL_REASONS[reason]
    delivery.emit('localleft', local === undefined ? {} : { reason: local })
  })
  actor.on('cleared', ({ reason }) =>
    delivery.emit('cleared', { id: id(), ...(reason !== null && { reason }) }),
  )
}
