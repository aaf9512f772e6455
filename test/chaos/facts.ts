/**
 * What the parties of a run note down, a line of JSON each, and what is read of the store after it. The checker
 * looks at nothing else: it imports neither the SDK nor the service.
 */

export type Role = 'visitor' | 'agent'

/** What a page did or saw. Texts are `<page>#<number>`, so that each is unlike any other. */
export type Seen =
  | { readonly what: 'opened'; readonly role: Role; readonly contact: string }
  /** The page gave its contact back without leaving it. */
  | { readonly what: 'closed' }
  | { readonly what: 'leaves'; readonly contact: string }
  | { readonly what: 'send'; readonly contact: string; readonly text: string }
  | { readonly what: 'stored'; readonly text: string; readonly id: string }
  | { readonly what: 'refused'; readonly text: string; readonly code: string }
  /** The event `text` or `localtext`, in the order of the events. */
  | { readonly what: 'read'; readonly contact: string; readonly text: string }
  | { readonly what: 'asked'; readonly key: string }
  | { readonly what: 'ran'; readonly key: string }
  | { readonly what: 'answered'; readonly key: string; readonly code: string | null }
  /** Message `n` that a page has heard of a data channel over the service; `stream` is its sender's end of it. */
  | { readonly what: 'framed'; readonly stream: string; readonly n: number }
  /** At the end of the run `n` messages have gone out on this end, which is still open. */
  | { readonly what: 'stream'; readonly stream: string; readonly n: number }
  | { readonly what: 'file'; readonly contact: string; readonly id: string; readonly sha256: string }
  | { readonly what: 'opened-file'; readonly id: string; readonly sha256: string }
  | {
      readonly what: 'offered'
      readonly contact: string
      readonly agent: string
      readonly expiresInMs: number
    }
  /** `answers`: from then on the agent is not asked any more, whatever comes of it. */
  | {
      readonly what: 'answers' | 'withdrawn' | 'accepted' | 'declined'
      readonly contact: string
      readonly agent: string
    }
  /** At the end of the run, when nothing is disturbed any more. */
  | {
      readonly what: 'final'
      readonly contact: string
      readonly texts: readonly string[]
      readonly own: string
      readonly remote: string
    }
  | { readonly what: 'failed'; readonly doing: string; readonly code: string }
  /** The process had no time for so long. */
  | { readonly what: 'late'; readonly ms: number }

/** A line of a party's history; `at` in milliseconds since the epoch. */
export type Fact = Seen & { readonly at: number; readonly page: string }

/** A fault as the nemesis made it. */
export interface Fault {
  readonly name: string
  readonly target: string
  readonly from: number
  readonly until: number
  /** Processes of parties that were killed by it, or had no time. */
  readonly killed?: readonly string[]
  readonly stopped?: readonly string[]
  /** Nobody could be served: the store, or all nodes. */
  readonly outage?: boolean
}

/** A node that nobody has told to end has ended. */
export interface OwnEnd {
  readonly node: string
  readonly at: number
  readonly code: number | string
  readonly last: string
}

export interface StoredEntry {
  readonly contact: string
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly session: string | null
  readonly counter: number | null
  readonly time: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What stands in the store after a run. */
export interface Stored {
  readonly at: number
  readonly contacts: readonly { readonly id: string; readonly life: string; readonly head: number }[]
  readonly entries: readonly StoredEntry[]
  readonly sessions: readonly {
    readonly contact: string
    readonly session: string
    readonly ended: boolean
  }[]
  readonly timers: readonly { readonly subject: string; readonly kind: string; readonly due: number }[]
  readonly files: readonly {
    readonly id: string
    readonly seq: number | null
    readonly sha256: string | null
  }[]
}

/** All that the checker judges. */
export interface Run {
  readonly facts: readonly Fact[]
  readonly faults: readonly Fault[]
  readonly ends: readonly OwnEnd[]
  readonly stored: Stored
}

/** The page that wrote a text. */
export const pageOf = (text: string): string => text.slice(0, text.lastIndexOf('#'))

/** The text's number among those of its page. */
export const numberOf = (text: string): number => Number(text.slice(text.lastIndexOf('#') + 1))

/** The process that a page is in. */
export const processOf = (page: string): string => page.slice(0, page.indexOf('/'))

/** A page hears over a node, and the store: as many programs may have been late. */
const ON_THE_WAY = 3

/** How much later something may have been seen between two times, as the machine had no time for its programs. */
export function latenessIn({ facts }: Pick<Run, 'facts'>, from: number, until: number): number {
  const late = new Map<string, number>()
  for (const fact of facts)
    if (fact.what === 'late' && fact.at >= from && fact.at - fact.ms <= until)
      late.set(fact.page, (late.get(fact.page) ?? 0) + fact.ms)
  return ON_THE_WAY * Math.max(0, ...late.values())
}
