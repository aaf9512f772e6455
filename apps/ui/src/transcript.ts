/** What has been said, as a list to show. Pure: each function gives the next transcript. */
import type { ErrorCode } from './sdk.ts'
import type { NoticeKey } from './messages/en.ts'

/**
 * How far an own message has come. `stored`: the service has it since before this page, which does not know
 * whether the other side has.
 */
export type Delivery = 'sending' | 'sent' | 'delivered' | 'failed' | 'stored'

export interface AttachmentBody {
  readonly type: 'file'
  /** Missing until the service has the file. */
  readonly id?: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly mimetype: string
  /** Of a picture, pixels. */
  readonly width?: number
  readonly height?: number
  /** The name that the page which sends it has given it; none other has it. */
  readonly ref?: string
}

export type Body =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'link'; readonly url: string; readonly desc?: string }
  | AttachmentBody

export interface OwnMessage {
  readonly kind: 'own'
  readonly key: string
  readonly at: number
  readonly body: Body
  readonly delivery: Delivery
  /** Given by the service's acceptance; acknowledgements name it. */
  readonly id?: string
  /** The contact has told of this message by its own event. */
  readonly echoed: boolean
  /** This page waits to hear what has become of it. */
  readonly pending?: true
  readonly failure?: ErrorCode
  /** How much of a file has gone out, 0 to 1. */
  readonly progress?: number
}

export interface RemoteMessage {
  readonly kind: 'remote'
  readonly key: string
  /** Id of the message, where the contact has told it. */
  readonly id?: string
  readonly at: number
  readonly body: Body
  readonly nick?: string
}

/** Something that happened, in words of the message table. */
export interface Notice {
  readonly kind: 'notice'
  readonly key: string
  readonly at: number
  readonly notice: NoticeKey
  readonly nick?: string
}

export type Item = OwnMessage | RemoteMessage | Notice

export interface Transcript {
  readonly items: readonly Item[]
  /** Number of items made so far; keys are made of it. */
  readonly made: number
  /** Acknowledgements that came before the id of their message. */
  readonly earlyAcks: readonly string[]
}

export const emptyTranscript: Transcript = { items: [], made: 0, earlyAcks: [] }

const MAX_ITEMS = 2000
const MAX_EARLY_ACKS = 100

type Draft<T> = T extends Item ? Omit<T, 'key'> : never

function add(transcript: Transcript, item: Draft<Item>): Transcript {
  const made = transcript.made + 1
  return {
    ...transcript,
    made,
    items: inOrder([...transcript.items, { ...item, key: `m${made}` }]).slice(-MAX_ITEMS),
  }
}

/** Both sides show the order of the log: what is not stored yet stands last. */
const inOrder = (items: readonly Item[]): readonly Item[] => {
  const waits = (item: Item): boolean => item.kind === 'own' && !item.echoed
  return [...items.filter((item) => !waits(item)), ...items.filter(waits)]
}

/** Key of the item added last. */
export const lastKey = (transcript: Transcript): string => transcript.items.at(-1)?.key ?? ''

export const ownMessage = (transcript: Transcript, body: Body, at: number): Transcript =>
  add(transcript, { kind: 'own', at, body, delivery: 'sending', echoed: false, pending: true })

/** A message of the remote, unless the list has it already. */
export const remoteMessage = (
  transcript: Transcript,
  message: Omit<RemoteMessage, 'kind' | 'key'>,
): Transcript =>
  withId(transcript, 'remote', message.id) ? transcript : add(transcript, { ...message, kind: 'remote' })

/**
 * Whether somebody else speaks than in the item before: one of the other side's agents may follow another.
 */
export const beginsTurn = (item: Item, previous: Item | undefined): boolean =>
  previous?.kind !== item.kind || nickOf(previous) !== nickOf(item)

const nickOf = (item: Item): string | undefined => (item.kind === 'own' ? undefined : item.nick)

/** Adds a notice, unless the last item says the same already. */
export function noticed(transcript: Transcript, notice: Omit<Notice, 'kind' | 'key'>): Transcript {
  const last = transcript.items.at(-1)
  if (last?.kind === 'notice' && last.notice === notice.notice && last.nick === notice.nick) return transcript
  return add(transcript, { ...notice, kind: 'notice' })
}

const change = (
  transcript: Transcript,
  isIt: (item: OwnMessage) => boolean,
  next: (item: OwnMessage) => OwnMessage,
): Transcript => {
  const index = transcript.items.findIndex((item) => item.kind === 'own' && isIt(item))
  const found = transcript.items[index]
  return found?.kind === 'own'
    ? { ...transcript, items: transcript.items.with(index, next(found)) }
    : transcript
}

const reached = (
  { failure: _over, progress: _all, ...item }: OwnMessage,
  delivery: Delivery,
): OwnMessage => ({
  ...item,
  delivery: item.delivery === 'delivered' ? 'delivered' : delivery,
})

/** How far the upload of a file has come. */
export const progressed = (transcript: Transcript, key: string, progress: number): Transcript =>
  change(
    transcript,
    (item) => item.key === key && item.delivery === 'sending',
    (item) => ({ ...item, progress }),
  )

/** The page has been loaded anew: files that were being sent are lost. */
export const interrupted = (transcript: Transcript): Transcript => ({
  ...transcript,
  items: transcript.items.map((item) =>
    item.kind === 'own' && item.body.type === 'file' && item.delivery === 'sending' && !item.echoed
      ? { ...item, delivery: 'failed', failure: 'withdrawn' }
      : item,
  ),
})

/** A message that was taken back before it was sent. */
export const cancelled = (transcript: Transcript, key: string): Transcript => ({
  ...transcript,
  items: transcript.items.filter(
    (item) => !(item.kind === 'own' && item.key === key && item.delivery === 'sending'),
  ),
})

/**
 * The service has stored the message under `id`. Where the list has that one from the log already, it is
 * shown once.
 */
export function accepted(transcript: Transcript, key: string, id: string): Transcript {
  const stored = withId(transcript, 'own', id)
  const other = takenFor(transcript, key, id)
  if (other && !stored) return accepted(apart(transcript, other), key, id)
  if (stored && stored.key !== key)
    return other ? transcript : { ...transcript, items: transcript.items.filter((item) => item.key !== key) }
  const early = transcript.earlyAcks.includes(id)
  const next = change(
    transcript,
    (item) => item.key === key,
    ({ pending: _over, ...item }) => ({
      ...reached(item, early ? 'delivered' : 'sent'),
      id,
      body: item.body.type === 'file' ? { ...item.body, id } : item.body,
    }),
  )
  return early ? { ...next, earlyAcks: next.earlyAcks.filter((ref) => ref !== id) } : next
}

export function failed(transcript: Transcript, key: string, failure: ErrorCode): Transcript {
  const other = takenFor(transcript, key)
  return change(
    other ? apart(transcript, other) : transcript,
    (item) => item.key === key && item.delivery === 'sending',
    ({ pending: _over, ...item }) => ({ ...item, delivery: 'failed', failure }),
  )
}

/**
 * The message of this page that was taken for another tab's with the same words: the contact has told of one
 * that is not `id`.
 */
const takenFor = ({ items }: Transcript, key: string, id?: string): OwnMessage | undefined =>
  items.find(
    (item): item is OwnMessage =>
      item.kind === 'own' &&
      item.key === key &&
      item.pending === true &&
      item.id !== undefined &&
      item.id !== id,
  )

/** Shows the other tab's message and that of this page, which is not stored yet. */
function apart(transcript: Transcript, both: OwnMessage): Transcript {
  const { pending: _ours, ...theirs } = both
  const { id: _theirs, ...ours } = both
  const made = transcript.made + 1
  const pair: Item[] = [
    { ...theirs, key: `m${made}` },
    { ...ours, delivery: 'sending', echoed: false },
  ]
  const items = transcript.items.flatMap((item) => (item === both ? pair : [item]))
  return { ...transcript, made, items: inOrder(items) }
}

export const retried = (transcript: Transcript, key: string): Transcript =>
  change(
    transcript,
    (item) => item.key === key && item.delivery === 'failed',
    ({ failure: _over, ...item }) => ({ ...item, delivery: 'sending', pending: true }),
  )

export const discarded = (transcript: Transcript, key: string): Transcript => ({
  ...transcript,
  items: transcript.items.filter(
    (item) => !(item.kind === 'own' && item.key === key && item.delivery === 'failed'),
  ),
})

/** Which stored message it is, and when the service stored it. */
export interface Stored {
  readonly id?: string
  readonly at: number
}

/**
 * The contact tells of an own message: one written here, or (not found here) in another tab or by an earlier
 * page.
 */
export function echoed(transcript: Transcript, body: Body, { at, id }: Stored): Transcript {
  const known = withId(transcript, 'own', id)
  if (known?.kind === 'own' && known.echoed) return transcript
  const found = known?.kind === 'own' ? known : writtenHere(transcript, body, id)
  const told = { body, at, echoed: true, ...(id !== undefined && { id }) }
  if (!found) return add(transcript, { kind: 'own', delivery: 'sent', ...told })
  return {
    ...transcript,
    items: inOrder([
      ...transcript.items.filter((item) => item !== found),
      { ...reached(found, 'sent'), ...told },
    ]),
  }
}

/**
 * The message of this page that an event without a known id tells of: the oldest one that says the same. One
 * that was refused is not stored; one that had no answer in time may be.
 */
function writtenHere({ items }: Transcript, body: Body, id: string | undefined): OwnMessage | undefined {
  const own = items.filter((item): item is OwnMessage => item.kind === 'own' && !item.echoed)
  if (body.type === 'file')
    return own.find((item) => item.body.type === 'file' && item.body.ref && item.body.ref === body.ref)
  const same = own.filter((item) => (item.id === undefined || id === undefined) && sameBody(item.body, body))
  return (
    same.find(({ delivery }) => delivery !== 'failed') ?? same.find(({ failure }) => failure === 'timeout')
  )
}

const withId = ({ items }: Transcript, kind: Item['kind'], id: string | undefined): Item | undefined =>
  id === undefined
    ? undefined
    : items.find((item) => item.kind !== 'notice' && item.kind === kind && item.id === id)

/** A message as the service keeps it. */
export type StoredMessage = Omit<RemoteMessage, 'key'> | Omit<OwnMessage, 'key'>

/** Puts what was said before this page was here in front, oldest first, without what it shows already. */
export function remembered(transcript: Transcript, earlier: readonly StoredMessage[]): Transcript {
  const missing = earlier
    .filter(({ kind, id }) => !withId(transcript, kind, id))
    .map((message, index): Item => ({ ...message, key: `m${transcript.made + index + 1}` }))
  return {
    ...transcript,
    made: transcript.made + missing.length,
    items: [...missing, ...transcript.items].slice(-MAX_ITEMS),
  }
}

/**
 * The remote has received the message `ref`. One whose id this page never learnt is the oldest such message
 * that was accepted.
 */
export function acknowledged(transcript: Transcript, ref: string): Transcript {
  const deliver = (item: OwnMessage): OwnMessage => reached({ ...item, id: ref }, 'delivered')
  const known = change(
    transcript,
    (item) => item.id === ref,
    (item) => ({ ...deliver(item), delivery: 'delivered' }),
  )
  if (known !== transcript) return known
  const pending = transcript.items.some((item) => item.kind === 'own' && item.delivery === 'sending')
  const orphan = pending
    ? transcript
    : change(transcript, (item) => item.id === undefined && item.echoed && item.delivery === 'sent', deliver)
  return orphan === transcript
    ? { ...transcript, earlyAcks: [...transcript.earlyAcks, ref].slice(-MAX_EARLY_ACKS) }
    : orphan
}

const sameBody = (a: Body, b: Body): boolean =>
  (a.type === 'text' && b.type === 'text' && a.text === b.text) ||
  (a.type === 'link' && b.type === 'link' && a.url === b.url && a.desc === b.desc)

/** What a message says, in one line. */
export const bodyText = (body: Body): string =>
  body.type === 'text' ? body.text : body.type === 'link' ? body.url : body.name

/** Whether a value read from storage is a transcript of this version. */
export function isTranscript(value: unknown): value is Transcript {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('items' in value) ||
    !('made' in value) ||
    !('earlyAcks' in value)
  )
    return false
  return (
    Array.isArray(value.items) &&
    Number.isSafeInteger(value.made) &&
    Array.isArray(value.earlyAcks) &&
    value.items.every(isItem)
  )
}

const isItem = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('key' in value)) return false
  return value.kind === 'notice'
    ? 'notice' in value
    : (value.kind === 'own' || value.kind === 'remote') &&
        'body' in value &&
        typeof value.body === 'object' &&
        value.body !== null
}
