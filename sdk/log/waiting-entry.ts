/** Entries that wait to be stored, and which answers of the service decide nothing about them. */
import { typesWith } from '../../protocol/index.ts'
import type { ContactError, ErrorCode, UnsentEntry } from '../../protocol/index.ts'

/**
 * Codes of an answer that decides nothing: a fault of the service, an answer that cannot be read, a number
 * that does not follow. Bounded: the outbox refuses what is answered so for too long.
 */
export const FAULTS: ReadonlySet<ErrorCode> = new Set(['internal', 'protocol', 'invalid_state'])
/**
 * Codes after which the same drafts are sent again. `left`: the log tells whether the contact goes on
 * elsewhere or is over, and that ends the outbox.
 */
export const UNDECIDED: ReadonlySet<ErrorCode> = new Set([
  'offline',
  'timeout',
  'rate_limited',
  'left',
  ...FAULTS,
])
const SEALED = typesWith('isSealed')

/** What whoever adds an entry to an outbox wants of it. */
export interface AddOptions {
  /** It goes on under another id. */
  readonly onId?: ((id: string) => void) | undefined
  /** Takes it out, unless it is on its way. */
  readonly signal?: AbortSignal | undefined
}

/** What waits in an outbox. */
export interface Waiting {
  entry: UnsentEntry
  readonly bytes: number
  /** Number in the session: given when it is sent for the first time. */
  counter: number | null
  /** Key under which it was sent last. */
  key: string | null
  /** The service has stored it: whether it counts, the log says. */
  isStored: boolean
  readonly options: AddOptions
  /** Faults that it was answered with, and since when. */
  faults: number
  faultySince: number
  readonly resolve: (seq: number) => void
  readonly reject: (error: ContactError) => void
}

/** Whether entries of a type have a seal in a secure contact. */
export const isSealed = (type: string): boolean => SEALED.includes(type)

/** An entry that was not sent yet. */
export function waitingOf(
  entry: UnsentEntry,
  rest: Pick<Waiting, 'bytes' | 'reject' | 'resolve'> & { readonly options?: AddOptions },
): Waiting {
  const sent = { counter: null, key: null, isStored: false, faults: 0, faultySince: 0 }
  return { entry, ...sent, options: {}, ...rest }
}

/** What its sender has cancelled, and the service cannot have. */
export const cancelledIn = (queue: readonly Waiting[]): readonly Waiting[] =>
  queue.filter(({ counter, options }) => counter === null && options.signal?.aborted)

/** Whether something is on its way to the log, or may be. */
export const isUnderWay = (
  queue: readonly Waiting[],
  sealing: { readonly mayGo: (type: string) => boolean } | null | undefined,
): boolean => queue.some(({ isStored, entry }) => isStored || sealing?.mayGo(entry.type) !== false)

const LONGEST_QUEUE = 1_000
const LARGEST_QUEUE_BYTES = 1_048_576
/** What fills the queue: messages, and what the application tells as often as it likes. */
const COUNTED = [...typesWith('persists').filter((type) => type !== 'ack'), 'read']

/** Whether the queue has no room for an entry: only messages fill it, and only they find it full. */
export function isFullFor(queue: readonly Waiting[], { type }: UnsentEntry, bytes: number): boolean {
  if (!COUNTED.includes(type)) return false
  const counted = queue.filter(({ entry }) => COUNTED.includes(entry.type))
  const waiting = counted.reduce((sum, each) => sum + each.bytes, 0)
  return counted.length >= LONGEST_QUEUE || waiting + bytes > LARGEST_QUEUE_BYTES
}
