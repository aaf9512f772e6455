/** Canned replies: whose they are, which fit what is typed, and what is sent of them. */
import type { Agent, CannedReply } from 'duolog/agent'
import { Changes, within } from '../../ui/src/index.ts'
import type { Observable } from '../../ui/src/index.ts'

/** Own replies: how many, and characters of one. */
export const REPLIES = { most: 100, shortcut: 32, text: 2_048 } as const
const SHORTCUT = /^[\p{L}\p{N}_-]{1,32}$/u
/** A slash and the beginning of a shortcut, and nothing else. */
const TYPED = /^\/([\p{L}\p{N}_-]{0,32})$/u
/** Of the list that is offered. */
const OFFERED = 8
const READ_LIMIT_MS = 10_000

export interface OfferedReply extends CannedReply {
  readonly isOwn: boolean
}

/** Why a reply is not kept. `unkept`: it is, for as long as the page is there. */
export type ReplyFault = 'invalid' | 'taken' | 'full' | 'unkept'

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const isReply = (value: unknown): value is CannedReply => {
  const { shortcut, text } = Object(value) as { readonly shortcut?: unknown; readonly text?: unknown }
  return (
    typeof shortcut === 'string' &&
    SHORTCUT.test(shortcut) &&
    typeof text === 'string' &&
    text.trim() !== '' &&
    text.length <= REPLIES.text
  )
}

/** The beginning of a shortcut where a message is written; null where that is no shortcut. */
export const typedShortcut = (message: string): string | null => TYPED.exec(message)?.[1] ?? null

/** Replies whose shortcut begins so, then those that have it elsewhere; an own one hides the organisation's. */
export function matching(replies: readonly OfferedReply[], typed: string): readonly OfferedReply[] {
  const wanted = typed.toLowerCase()
  const place = ({ shortcut }: OfferedReply): number => shortcut.toLowerCase().indexOf(wanted)
  return replies
    .filter((reply) => place(reply) !== -1)
    .toSorted((a, b) => Number(place(a) > 0) - Number(place(b) > 0) || a.shortcut.localeCompare(b.shortcut))
    .slice(0, OFFERED)
}

/** A text with the names of the parties in place of `{visitor}` and `{agent}`; other braces stay. */
export const filled = (text: string, names: { readonly visitor: string; readonly agent: string }): string =>
  text.replaceAll(/\{(visitor|agent)\}/g, (_hole, who: 'visitor' | 'agent') => names[who])

/** Replies by the agent whose they are. */
const known = new WeakMap<Agent, CannedReplies>()

/** The replies of who has signed in; those of the organisation are asked for with each connection. */
export function repliesOf(agent: Agent, id: string): CannedReplies {
  const found = known.get(agent)
  if (found) return found
  const replies = new CannedReplies(id)
  known.set(agent, replies)
  agent.on('connection', ({ state }) => void (state === 'online' && replies.read(agent)))
  void replies.read(agent)
  return replies
}

type Store = Pick<Storage, 'getItem' | 'setItem'>

/**
 * The replies of an agent: their own, kept by this browser under their id, and those of the organisation, which the
 * service has. What is kept is checked when it is read; what is none is passed over.
 */
export class CannedReplies implements Observable {
  readonly #changes = new Changes()
  readonly #store: () => Store
  readonly #key: string
  #own: readonly CannedReply[]
  #shared: readonly CannedReply[] = []
  readonly subscribe: Observable['subscribe'] = (listener) => this.#changes.subscribe(listener)

  constructor(agent: string, store: () => Store = () => localStorage) {
    this.#store = store
    this.#key = `duolog-agent-replies:${agent}`
    this.#own = this.#kept()
  }

  get own(): readonly CannedReply[] {
    return this.#own
  }
  get shared(): readonly CannedReply[] {
    return this.#shared
  }
  /** What is offered where a message is written. */
  get all(): readonly OfferedReply[] {
    const own = this.#own.map((reply) => ({ ...reply, isOwn: true }))
    const rest = this.#shared.filter(({ shortcut }) => !own.some((each) => same(each.shortcut, shortcut)))
    return [...own, ...rest.map((reply) => ({ ...reply, isOwn: false }))]
  }

  /** Asks the service for those of the organisation; a service that has none leaves the own ones. */
  async read(agent: Pick<Agent, 'replies'>): Promise<void> {
    this.#shared = await within(READ_LIMIT_MS, () => agent.replies()).catch(() => this.#shared)
    this.#changes.announce()
  }

  /** Keeps a reply, in place of the one with the shortcut `former` where that is given. */
  keep(reply: CannedReply, former: string | null = null): ReplyFault | null {
    if (!isReply(reply)) return 'invalid'
    const others = this.#own.filter(({ shortcut }) => former === null || !same(shortcut, former))
    if (others.some(({ shortcut }) => same(shortcut, reply.shortcut))) return 'taken'
    if (others.length >= REPLIES.most) return 'full'
    return this.#is([...others, { shortcut: reply.shortcut, text: reply.text }])
  }

  remove(shortcut: string): ReplyFault | null {
    return this.#is(this.#own.filter((each) => !same(each.shortcut, shortcut)))
  }

  #is(own: readonly CannedReply[]): ReplyFault | null {
    this.#own = own.toSorted((a, b) => a.shortcut.localeCompare(b.shortcut))
    this.#changes.announce()
    try {
      this.#store().setItem(this.#key, JSON.stringify(this.#own))
      return null
    } catch {
      return 'unkept'
    }
  }

  #kept(): readonly CannedReply[] {
    try {
      const found: unknown = JSON.parse(this.#store().getItem(this.#key) ?? '[]')
      if (!Array.isArray(found)) return []
      const replies = found.filter(isReply).map(({ shortcut, text }) => ({ shortcut, text }))
      return replies
        .filter(({ shortcut }, at) => replies.findIndex((each) => same(each.shortcut, shortcut)) === at)
        .slice(0, REPLIES.most)
    } catch {
      return []
    }
  }
}
