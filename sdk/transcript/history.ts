/**
 * What was said before a transfer of a secure contact, where its visitor's page tells it to the next agent
 * (encryption.md section 3): as JSON `[{ contact, entries }]`, the newest contact first and in each the newest
 * entry, as a plain contact has them.
 */
import { visitorMessages } from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'
import type { TranscriptMessage } from '../api/transcript.ts'
import { HISTORY_BYTES } from '../attachments/file-encryption.ts'
import { earlier, readBefore } from './log-parts.ts'
import type { OpenFile, Part, Place, Said, TranscriptHost } from './log-parts.ts'
import { messageOf } from './message-of-entry.ts'

/** Begins the cursor of a place in what was told of earlier contacts. */
export const HISTORY = 'history:'

/** What this page can read of the contacts that this one went on from, the newest; null where that is nothing. */
export async function historyOf(host: TranscriptHost): Promise<Blob | null> {
  const told: { contact: string; entries: Entry[] }[] = []
  let bytes = 2
  let place = await earlier(host, { contact: host.id, entries: [], from: 0, transfers: 0 })
  while (place !== null) {
    const part: Part = await readBefore(host, place)
    const { contact } = part
    for (const entry of part.entries.toReversed()) {
      const shown = host.encryption?.readable(contact, entry)
      if (!shown || !messageOf(host.service, contact, shown)) continue
      if (told.at(-1)?.contact !== contact) told.push({ contact, entries: [] })
      bytes += new TextEncoder().encode(JSON.stringify(shown)).length + contact.length + 64
      if (bytes > HISTORY_BYTES) return fileOf(told) // §3
      told.at(-1)?.entries.push(shown)
    }
    place = await earlier(host, part)
  }
  return told.length === 0 ? null : fileOf(told)
}

const fileOf = (told: unknown): Blob => new Blob([JSON.stringify(told)])

/** Where the transcript goes on that ends with a part; null where nothing was told of earlier contacts. */
export function historyPlace({ id, encryption }: TranscriptHost, { contact, from }: Part): Place | null {
  const file = contact === id && from === 0 ? encryption?.files.history('visitor') : null
  return file ? { contact: `${HISTORY}${file}`, before: null } : null
}

/** Messages of what was told, from a place on. */
export async function toldBefore(
  host: TranscriptHost,
  { contact, before }: Place,
  { limit, openFile }: { readonly limit: number; readonly openFile: OpenFile },
): Promise<Said> {
  const id = contact.slice(HISTORY.length)
  if (host.encryption?.files.history('visitor') !== id) return { said: [], next: null }
  const all = messagesOf(host.service, await (await openFile(id)).text())
  const [start, end] = [before ?? 0, (before ?? 0) + limit]
  return { said: all.slice(start, end), next: end < all.length ? { contact, before: end } : null }
}

/** What another page says was told: nothing of it is believed but what the schemas of entries take. */
function messagesOf(service: string, text: string): readonly TranscriptMessage[] {
  return listOf(parsed(text)).flatMap((part) => {
    const { contact, entries } = Object(part) as { readonly contact?: unknown; readonly entries?: unknown }
    return listOf(entries).flatMap((entry) => {
      const known = typeof contact === 'string' ? entryOf(contact, entry) : null
      const message = known && messageOf(service, contact as string, known)
      return message ? [message] : []
    })
  })
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function entryOf(contact: string, entry: unknown): Entry | null {
  try {
    const push = visitorMessages.parsePush('log.entries', { contact, entries: [entry] })
    return push?.name === 'log.entries' ? (push.body.entries[0] ?? null) : null
  } catch {
    return null
  }
}
