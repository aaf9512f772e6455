/**
 * Cards: a message of the application, `contact.sendAction('duolog.card', [{ text, title, … }])`, that any party may
 * send. A page that does not know it has its `text` to show; an answer is a chat message.
 */
import type { JsonValue } from 'duolog'
import { isRecord } from './is-record.ts'
import { isReply } from './quick-replies.ts'
import { webUrl } from './safe-text.ts'

const CARD = 'duolog.card'

/** What a card shows besides its `text`. */
export interface Card {
  readonly title: string
  readonly description?: string
  /** An address by https, and what the picture shows; shown to visitors only. */
  readonly image?: { readonly url: string; readonly alt: string }
  /** At most 3. */
  readonly links: readonly { readonly text: string; readonly url: string }[]
}

/** The argument of the action, as it is shown. */
interface ShownCard {
  readonly text: string
  readonly card: Card
  /** What can be answered by one click, as with quick replies. */
  readonly replies: readonly string[]
}

const MOST_LINKS = 3
const MOST_REPLIES = 10
const LONGEST = { title: 200, description: 1_000, alt: 200 } as const

/** What an action shows as a card; null where it is none, or says nothing. */
export function cardOf(code: string, [given]: readonly JsonValue[]): ShownCard | null {
  if (code !== CARD || !isRecord(given)) return null
  const text = textIn(given['text'], 8_192)
  const title = textIn(given['title'], LONGEST.title)
  if (text === '' || title === '') return null
  const description = textIn(given['description'], LONGEST.description)
  const image = imageIn(given)
  const { links, replies } = given
  return {
    text,
    card: {
      title,
      ...(description && { description }),
      ...(image && { image }),
      links: Array.isArray(links) ? links.flatMap(linkIn).slice(0, MOST_LINKS) : [],
    },
    replies: Array.isArray(replies) ? replies.filter(isReply).slice(0, MOST_REPLIES) : [],
  }
}

const textIn = (value: unknown, longest: number): string =>
  typeof value === 'string' && value.length <= longest ? value.trim() : ''

function imageIn({ image, alt }: Readonly<Record<string, unknown>>): Card['image'] | null {
  const url = typeof image === 'string' ? webUrl(image) : null
  return url?.protocol === 'https:' ? { url: url.href, alt: textIn(alt, LONGEST.alt) } : null
}

function linkIn(value: unknown): Card['links'] {
  if (!isRecord(value)) return []
  const { text, url } = value
  const address = typeof url === 'string' ? webUrl(url) : null
  return isReply(text) && address ? [{ text, url: address.href }] : []
}
