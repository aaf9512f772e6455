/**
 * What the service shows to one party next: what the other party wrote, in its place or in another, and what the
 * service makes up with keys of its own.
 */
import type { Draft, Entry } from '../../../protocol/index.ts'
import type { AgreedKey, KeyPair } from '../../../sdk/crypto/agreement.ts'
import type { Production } from './load.ts'
import { agentOf } from './page.ts'
import type { Page } from './page.ts'
import type { Happening, Party } from './party.ts'
import { Randomness, drawing } from './symbols.ts'

/** Keys that the service can put in the place of others': two pairs of its own, and one that makes zeros. */
export type Forged = 's1' | 's2' | 'zero'

export interface Signature {
  readonly signer: string
  readonly signature: string
}

/**
 * `isLate`: the service knew all that decides either code when it chose. `tab`: only this page of the party reads
 * it, or it happens there; without one all its pages do, or the newest one.
 */
export type Move = { readonly isLate?: boolean; readonly tab?: number } & (
  | { readonly do: 'own' }
  /** `isAsItWas`: it names the step that its author has answered, which may be another one here. */
  | { readonly do: 'genuine'; readonly draft: Draft; readonly isAsItWas?: boolean }
  /** A key by its bytes, base64: one that was learned. */
  | { readonly do: 'share'; readonly key: string; readonly resume?: string; readonly signed?: Signature }
  | { readonly do: 'commit'; readonly key: Forged; readonly resume?: readonly string[] }
  | { readonly do: 'reveal'; readonly key: string }
  | { readonly do: 'present' }
  | { readonly do: 'left' }
  | { readonly do: 'filler' }
  /** Another session of the party itself takes its slot, and goes on in the agreement. */
  | { readonly do: 'other'; readonly type: 'commit' | 'present' | 'share' }
  /** The agreement ends with a key of before, by its id. */
  | { readonly do: 'named'; readonly id: string }
  | { readonly do: Happening }
)

/** What no entry says. */
export const isHappening = (move: Move): move is Move & { readonly do: Happening } =>
  ['accepted', 'compared', 'opened', 'reload', 'returned', 'transferred'].includes(move.do)

/** The pairs of the service, and all secrets that it has: of these, and of pairs that others have discarded. */
export class Secrets {
  readonly #production: Production
  readonly #pairs = new Map<string, KeyPair>()

  constructor(production: Production) {
    this.#production = production
    drawing(new Randomness('service'), () => {
      for (const [at, name] of ['s1', 's2'].entries())
        this.#pairs.set(name, production.keyPair(new Uint8Array(32).fill(100 + at)))
    })
  }

  /** Public key, base64. */
  publicOf = (name: Forged): string =>
    this.#production.base64(this.#pairs.get(name)?.publicKey ?? new Uint8Array(32))

  /** Secret of a public key of its own, null for zeros and those of others. */
  pairOf = (publicKey: string) =>
    [...this.#pairs.values()].find((pair) => this.#production.base64(pair.publicKey) === publicKey) ?? null

  get all(): readonly Uint8Array[] {
    return [...this.#pairs.values()].map(({ secretKey }) => secretKey)
  }
}

const OTHER = { visitor: 'agent', agent: 'visitor' } as const

/** Who reads: a party by one of its pages. */
export interface Reader {
  readonly party: Party
  readonly page: Page
}

/** The entry that a move puts at the end of a page's log; null where it cannot be made. */
export function entryOf(
  production: Production,
  secrets: Secrets,
  { party, page }: Reader,
  move: Move,
): Entry | null {
  const seq = page.entries.length + 1
  const { keys, shared } = page.state
  const other = OTHER[page.slot]
  const ref = keys && 'ref' in keys ? keys.ref : 0
  const session = shared.session[other] ?? `${other}-0`
  const place = (draft: object, slot: string = other): Entry =>
    ({ seq, time: 0, slot, from: { id: slot === 'agent' ? agentOf(page.contact) : 'v' }, ...draft }) as Entry
  const forged = (type: string, body: object): Entry =>
    place({ id: `f${seq}`, session, counter: counterAfter(page, session), type, body })
  const own = `${page.slot}-9`
  const forgedOwn = (type: string, body: object): Entry =>
    place({ id: `o${seq}`, session: own, counter: counterAfter(page, own), type, body }, page.slot)
  switch (move.do) {
    case 'own': {
      const read = new Set(page.entries.map(({ id }) => id))
      const draft = party.written.find(({ id, session }) => session === party.front.session && !read.has(id))
      return draft ? place(draft, page.slot) : null
    }
    case 'genuine':
      return place(
        move.isAsItWas === true ? move.draft : fitted(move.draft, { ref, after: shared.session[other] }),
      )
    case 'present':
      return place({
        id: `p${seq}`,
        session: `${other}-0`,
        counter: counterAfter(page, `${other}-0`),
        type: 'present',
        body: { capabilities: { Media: {}, Mobile: false }, media: {}, after: shared.session[other] },
      })
    case 'share':
      return forged('keyShare', {
        ref,
        key: move.key,
        ...(move.resume !== undefined && { resume: move.resume }),
        ...move.signed,
      })
    case 'commit': {
      return forged('keyCommit', {
        commit: commitOf(production, secrets, { page, session, key: move.key }),
        ...(move.resume && { resume: move.resume }),
      })
    }
    case 'reveal':
      return reveal(production, secrets, page, { move, entry: forged('keyReveal', { ref, key: move.key }) })
    case 'left':
      return place(
        { id: '', type: 'left', body: { slot: other, session, reason: 'closed', channels: { total: 0 } } },
        'service',
      )
    case 'filler':
      return place({ id: '', type: 'datachange', body: {} }, 'service')
    case 'other':
      if (move.type === 'present')
        return forgedOwn('present', {
          capabilities: { Media: {}, Mobile: false },
          media: {},
          after: shared.session[page.slot],
        })
      return move.type === 'commit'
        ? forgedOwn('keyCommit', { commit: commitOf(production, secrets, { page, session: own, key: 's1' }) })
        : forgedOwn('keyShare', { ref, key: secrets.publicOf('s1') })
    case 'named': {
      const body = { ref, key: secrets.publicOf('s1'), seal: { key: move.id, read: 0, mac: MAC } }
      return page.slot === 'visitor' ? forgedOwn('keyReveal', body) : forged('keyReveal', body)
    }
    default:
      return null
  }
}

/** A seal that nobody has made. */
const MAC = Buffer.alloc(32).toString('base64')

const commitOf = (
  production: Production,
  secrets: Secrets,
  { page, session, key }: { readonly page: Page; readonly session: string; readonly key: Forged },
): string =>
  production.base64(production.commitOf(page.contact, session, bytes(production, secrets.publicOf(key))))

/** An entry about the step that stands in this log. */
function fitted(
  draft: Draft,
  { ref, after }: { readonly ref: number; readonly after: string | null },
): object {
  const isStep = draft.type === 'keyShare' || draft.type === 'keyReveal'
  if (draft.type !== 'present' && !isStep) return draft
  return { ...draft, body: { ...draft.body, ...(isStep ? { ref } : { after }) } }
}

/** The next number of a session. */
const counterAfter = ({ entries }: Page, session: string): number =>
  entries.reduce(
    (last, one) => (one.slot !== 'service' && one.session === session ? Math.max(last, one.counter) : last),
    0,
  ) + 1

const bytes = (production: Production, text: string): Uint8Array =>
  production.fromBase64(text) ?? new Uint8Array(32)

/** A reveal under a key that the service works out itself, sealed as the visitor would. */
function reveal(
  production: Production,
  secrets: Secrets,
  agent: Page,
  { move, entry }: { readonly move: Extract<Move, { do: 'reveal' }>; readonly entry: Entry },
): Entry | null {
  const commit = agent.entries.findLast((one) => one.type === 'keyCommit')
  const share = agent.entries.findLast((one) => one.type === 'keyShare')
  if (commit?.type !== 'keyCommit' || share?.type !== 'keyShare') return null
  const { contact } = agent
  const key = forgedKey(production, secrets, {
    contact,
    visitorSession: commit.session,
    agentSession: share.session,
    commit: commit.body.commit,
    agentKey: share.body.key,
    visitorKey: move.key,
    late: share.seq,
  })
  if (!key) return null
  const read = agent.entries.length
  const head = agent.entries.reduce<Uint8Array>(
    (before, one) => production.nextHead(before, one as never),
    production.firstHead(contact),
  )
  const draft = entry as unknown as Draft
  const pen = {
    contact,
    slot: 'visitor',
    key: key.id,
    keys: key.visitor,
    random: (length: number) => new Uint8Array(length),
  }
  const sealed = production.sealedDraft(draft, pen as never, { read, head: head as never })
  return { ...entry, body: sealed.body } as Entry
}

/** The key of an agreement of which the service has the visitor's secret; null where it has not. */
function forgedKey(
  production: Production,
  secrets: Secrets,
  known: {
    readonly contact: string
    readonly visitorSession: string
    readonly agentSession: string
    readonly commit: string
    readonly agentKey: string
    readonly visitorKey: string
    readonly late: number
  },
): AgreedKey | null {
  const { commit, agentKey, visitorKey, late, ...sessions } = known
  const pair = secrets.pairOf(visitorKey)
  const isZero = visitorKey === secrets.publicOf('zero')
  if (!pair && !isZero) return null
  try {
    const secret = pair
      ? production.sharedSecret(pair, bytes(production, agentKey))
      : (new Uint8Array(32) as never)
    return production.deriveKey(secret, {
      ...sessions,
      commit: bytes(production, commit),
      agentKey: bytes(production, agentKey),
      visitorKey: bytes(production, visitorKey),
      resumed: null,
      // Where a rule is taken out that keeps it from the schedule.
      ...{ late },
    })
  } catch {
    return null
  }
}
