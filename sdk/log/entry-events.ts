/** The events of the entries that a machine does not decide about, as their definitions say. */
import { definitionOf, isUnopened } from '../../protocol/index.ts'
import type { ContactEventName, Slot } from '../../protocol/index.ts'
import type { Delivery } from '../contact/event-queue.ts'
import { randomName } from '../values/random-id.ts'
import type { ReadEntry } from './log-reader.ts'
import type { Outbox } from './outbox.ts'

/** What the events of a log need of their contact. */
export interface EventHost {
  readonly role: Slot
  readonly session: string
  /** Origin of the service. */
  readonly service: string
  readonly delivery: Delivery
  /** Takes acknowledgements. */
  readonly outbox: Pick<Outbox, 'add'>
  /** Called before the events of an entry; tells whether a handler took it. */
  readonly follower: (read: ReadEntry) => boolean
}

/** Emits the events of an entry, and acknowledges a message that a handler took. */
export function emitEntry(host: EventHost, read: ReadEntry): void {
  const { entry } = read
  const { delivery, outbox, role } = host
  const { events = {}, isMessage } = (isUnopened(entry) ? undefined : definitionOf(entry.type)) ?? {}
  const author = entry.type === 'attachment' ? entry.body.slot : entry.slot
  const isOwn = author === role
  let isFollowed = false
  delivery.inTurn(() => (isFollowed = host.follower(read)))
  const after = (isHandled: boolean): void => {
    if (!isMessage || isOwn || !(isHandled || isFollowed)) return
    outbox.add({ id: randomName(), type: 'ack', body: { ref: entry.id } }).catch(() => {})
  }
  for (const [name, make] of Object.entries(events))
    if (name.startsWith('local') === (entry.slot === role))
      delivery.emit(name as ContactEventName, make(entry as never, host) as never, { after })
}
