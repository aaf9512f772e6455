/**
 * The own messages of a transcript, from being written to being delivered. Pure: each function returns the
 * next transcript.
 */
import type { ErrorCode } from './sdk.ts'
import { add, inOrder, withId } from './transcript.ts'
import type { Body, Delivery, Item, OwnMessage, Transcript } from './transcript.ts'

const MAX_EARLY_ACKS = 100

export const ownMessage = (transcript: Transcript, body: Body, at: number): Transcript =>
  add(transcript, { kind: 'own', at, body, delivery: 'sending', echoed: false, pending: true })

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

/** The same, where the change gives the message another place in the list. */
function moved(...[transcript, isIt, next]: Parameters<typeof change>): Transcript {
  const changed = change(transcript, isIt, next)
  return changed === transcript ? changed : { ...changed, items: inOrder(changed.items) }
}

const reached = (
  { failure: _over, progress: _all, ...item }: OwnMessage,
  delivery: Delivery,
): OwnMessage => ({
  ...item,
  delivery: item.delivery === 'read' || item.delivery === 'delivered' ? item.delivery : delivery,
})

/** How far the upload of a file has come. */
export const progressed = (transcript: Transcript, key: string, progress: number): Transcript =>
  change(
    transcript,
    (item) => item.key === key && item.delivery === 'sending',
    (item) => ({ ...item, progress }),
  )

/** The page has been loaded anew: files that were being sent are lost. */
export const interrupted = (transcript: Transcript): Transcript =>
  transcript.items
    .filter((item): item is OwnMessage => item.kind === 'own' && item.body.type === 'file' && !item.echoed)
    .reduce((left, { key }) => failed(left, key, 'withdrawn'), transcript)

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
  return moved(
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

/** It stands last again, until the service has stored it. */
export const retried = (transcript: Transcript, key: string): Transcript =>
  moved(
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

/**
 * The remote has received the message `ref`. One whose id this page never learnt is the oldest such message
 * that was accepted.
 */
export function acknowledged(transcript: Transcript, ref: string): Transcript {
  const deliver = (item: OwnMessage): OwnMessage => reached({ ...item, id: ref }, 'delivered')
  const known = change(
    transcript,
    (item) => item.id === ref,
    (item) => ({ ...deliver(item), delivery: item.delivery === 'read' ? 'read' : 'delivered' }),
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

/** Somebody at the remote has seen the message `ref`, and every one before it. */
export function seen(transcript: Transcript, ref: string): Transcript {
  const last = transcript.items.findIndex((item) => item.kind === 'own' && item.id === ref)
  const isNews = (item: Item, index: number): item is OwnMessage =>
    index <= last && item.kind === 'own' && SEEN_FROM.includes(item.delivery)
  if (!transcript.items.some(isNews)) return transcript
  const items = transcript.items.map((item, index) =>
    isNews(item, index) ? { ...item, delivery: 'read' as const } : item,
  )
  return { ...transcript, items }
}

const SEEN_FROM: readonly Delivery[] = ['sent', 'delivered', 'stored']

const sameBody = (a: Body, b: Body): boolean =>
  (a.type === 'text' && b.type === 'text' && a.text === b.text) ||
  (a.type === 'link' && b.type === 'link' && a.url === b.url && a.desc === b.desc)
