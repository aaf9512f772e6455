/** Parts of the console that are loaded at their first use: the console is shown without waiting for them. */
export type Part = 'notes' | 'replies' | 'replyList' | 'past' | 'overview'

const LOADERS: Readonly<Record<Part, () => Promise<unknown>>> = {
  notes: () => import('./notes-element.ts'),
  replies: () => import('./replies-element.ts'),
  replyList: () => import('./reply-list.ts'),
  past: () => import('./past-element.ts'),
  overview: () => import('./supervisor-element.ts'),
}

/** A network that is away is not asked with each change of the page. */
const PAUSE_MS = 2_000

/** What is loaded, or on its way. What could not be loaded is asked for again at a later use. */
const loading = new Map<Part, Promise<unknown>>()

/** Loads a part once. Rejects where the network does not give it. */
export function loadPart(part: Part): Promise<unknown> {
  const known = loading.get(part)
  if (known) return known
  const asked = LOADERS[part]()
  loading.set(part, asked)
  asked.catch(() => setTimeout(() => loading.delete(part), PAUSE_MS))
  return asked
}
