/** Messages of the service, which the organisation's back end asks for. */
import { ContactError } from '../../../protocol/index.ts'
import type { ContactRequest, ServiceBodies } from '../../../protocol/index.ts'
import { randomId } from '../clock/random.ts'
import type { ContactChange } from './contact-change.ts'
import { isOver } from './life.ts'

/** What the back end writes. `id`: its own name of the message; sent again under it, it is stored once. */
export type ServiceMessage = ServiceBodies['notice'] & { readonly id?: string | undefined }

/** A message in the log. */
export interface WrittenMessage {
  readonly id: string
  readonly seq: number
  /** ISO 8601. */
  readonly time: string
}

const OPERATION = 'unable to write the message'
/** Before an id of the back end: pages and the service itself make up ids of other forms. */
const PREFIX = 'b-'

/**
 * Writes a message into the log of a contact, for both parties.
 * @throws {@link ContactError} `invalid_state`: the contact is over; `forbidden`: it is secure, and the message would
 *   not be encrypted; `invalid_argument`: an entry of another kind has the id
 */
export async function writeMessage(
  change: ContactChange,
  { id, ...body }: ServiceMessage,
): Promise<WrittenMessage> {
  const { row, trx, now, world } = change
  const known = id === undefined ? randomId(world.random, PREFIX) : `${PREFIX}${id}`
  const before = await trx
    .selectFrom('entries')
    .select(['seq', 'type', 'time'])
    .where('contact', '=', row.id)
    .where('id', '=', known)
    .executeTakeFirst()
  if (before && before.type !== 'notice')
    throw new ContactError('invalid_argument', `${OPERATION}; something else has its id`)
  if (before) return writtenOf({ ...before, id: known })
  if (isOver(change.life)) throw new ContactError('invalid_state', `${OPERATION}; the contact is over`)
  if ((JSON.parse(row.details) as ContactRequest).secure)
    throw new ContactError('forbidden', `${OPERATION}; it would not be encrypted`)
  change.noteMessage(known, body)
  return writtenOf({ id: known, seq: change.state.seq, time: now })
}

const writtenOf = ({ id, seq, time }: Omit<WrittenMessage, 'time'> & { time: number }): WrittenMessage => ({
  id,
  seq,
  time: new Date(time).toISOString(),
})
