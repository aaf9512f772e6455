/** What has been said, as a list to show. Pure: each function returns the next transcript. */
import type { Card } from './cards.ts'
import type { ErrorCode } from './sdk.ts'
import type { NoticeKey } from './messages/en.ts'

/**
 * How far an own message has come. `stored`: the service has it since before this page, which does not know
 * whether the other side has. `read`: somebody there has seen it.
 */
export type Delivery = 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'stored'

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
  | {
      readonly type: 'text'
      readonly text: string
      /** What can be answered by one click. */
      readonly replies?: readonly string[]
      /** Shown in the place of the text. */
      readonly card?: Card
    }
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
  /** The service has written it, not the other side. */
  readonly isService?: true
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

type Draft<T> = T extends Item ? Omit<T, 'key'> : never

export function add(transcript: Transcript, item: Draft<Item>): Transcript {
  const made = transcript.made + 1
  return {
    ...transcript,
    made,
    items: inOrder([...transcript.items, { ...item, key: `m${made}` }]).slice(-MAX_ITEMS),
  }
}

const hasFailed = (item: Item): boolean => item.kind === 'own' && item.delivery === 'failed'
const waits = (item: Item): boolean => item.kind === 'own' && !item.echoed && !hasFailed(item)

/**
 * Both sides show the order of the log; what is still to be stored stands last. What has failed stands where it
 * was written.
 */
export const inOrder = (items: readonly Item[]): readonly Item[] => {
  const others = items.filter((item) => !hasFailed(item))
  const inLog = [...others.filter((item) => !waits(item)), ...others.filter(waits)]
  return items
    .filter(hasFailed)
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .reduce(withFailed, inLog)
}

/** Below what others had said when it was written, and below what was written before it. */
function withFailed(items: readonly Item[], failed: Item): readonly Item[] {
  const heard = items.findLastIndex((item) => item.kind !== 'own' && numberOf(item) < numberOf(failed))
  // None of it is left, or it was read from the service afterwards.
  const from =
    heard === -1 ? items.findLastIndex((item) => item.kind !== 'own' && item.at <= failed.at) : heard
  const newer = items.findIndex(
    (item, index) => index > from && (item.kind !== 'own' || numberOf(item) > numberOf(failed)),
  )
  return items.toSpliced(newer === -1 ? items.length : newer, 0, failed)
}

/** The tab numbers items as it adds them. */
const numberOf = ({ key }: Item): number => Number(key.slice(1))

/** Key of the item added last. */
export const lastKey = (transcript: Transcript): string => transcript.items.at(-1)?.key ?? ''

/** Id of the last message of the remote; empty where there is none. */
export const lastHeard = ({ items }: Transcript): string =>
  items.findLast((item) => item.kind === 'remote')?.id ?? ''

/** How many messages of the remote stand after that one; all of them where it is not in the list. */
export const heardAfter = ({ items }: Transcript, id: string): number =>
  items
    .slice(items.findLastIndex((item) => item.kind === 'remote' && item.id === id) + 1)
    .filter(({ kind }) => kind === 'remote').length

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

const nickOf = (item: Item): string | undefined =>
  item.kind === 'own'
    ? undefined
    : item.kind === 'remote' && item.isService
      ? ` ${item.nick ?? ''}`
      : item.nick

/** Adds a notice, unless the last item says the same already. */
export function noticed(transcript: Transcript, notice: Omit<Notice, 'kind' | 'key'>): Transcript {
  const last = transcript.items.at(-1)
  if (last?.kind === 'notice' && last.notice === notice.notice && last.nick === notice.nick) return transcript
  return add(transcript, { ...notice, kind: 'notice' })
}

/** The message of one side that the service has stored under `id`. */
export const withId = ({ items }: Transcript, kind: Item['kind'], id: string | undefined): Item | undefined =>
  id === undefined
    ? undefined
    : items.find((item) => item.kind !== 'notice' && item.kind === kind && item.id === id)

/** A message as the service keeps it. */
export type StoredMessage = Omit<RemoteMessage, 'key'> | Omit<OwnMessage, 'key'>
/** What the service keeps of a conversation. */
export type StoredItem = StoredMessage | Omit<Notice, 'key'>

const shownAlready = (transcript: Transcript, stored: StoredItem): Item | undefined =>
  stored.kind === 'notice'
    ? transcript.items.find(
        (item) => item.kind === 'notice' && item.notice === stored.notice && item.nick === stored.nick,
      )
    : withId(transcript, stored.kind, stored.id)

/**
 * Adds what stands in the log, oldest first, and is not shown already: each one after the item that it follows
 * there, those before all that is shown in front.
 */
export function remembered(transcript: Transcript, log: readonly StoredItem[]): Transcript {
  const items: Item[] = []
  let { made } = transcript
  let taken = 0
  for (const stored of log) {
    const shown = shownAlready(transcript, stored)
    if (!shown) {
      made += 1
      items.push({ ...stored, key: `m${made}` })
      continue
    }
    const end = Math.max(taken, transcript.items.indexOf(shown) + 1)
    items.push(...transcript.items.slice(taken, end))
    taken = end
  }
  items.push(...transcript.items.slice(taken))
  return { ...transcript, made, items: items.slice(-MAX_ITEMS) }
}

/** Whether it is part of what was said: an own message that is not stored is none. */
export const isSaid = (item: Item): boolean =>
  item.kind !== 'own' || (item.delivery !== 'sending' && item.delivery !== 'failed')

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
