/**
 * One page life of a party: its production machine, its engines as `sdk/media/engine-driver.ts` runs them,
 * and what the application and the checker know.
 */
import type { MediaSnapshot } from '../../machines/index.ts'
import { NO_MEMORY } from './memory.ts'
import type { ComesBack, Memory } from './memory.ts'
import type {
  MediaState,
  PartialMediaState,
  ServiceBodies,
  SharedState,
  Slot,
  UnsentEntry,
} from '../../protocol/index.ts'

/** The modules under test: from the tree, or from a copy with a safeguard taken out. */
export interface Production {
  readonly machines: Pick<
    typeof import('../../machines/index.ts'),
    'mediaMachine' | 'mediaFact' | 'cutAfter' | 'isFirstDueAfter'
  >
  readonly protocol: Pick<typeof import('../../protocol/index.ts'), 'fold' | 'initialSharedState' | 'algebra'>
  readonly telephone: Pick<typeof import('../../sdk/media/phone.ts'), 'callAfter'>
}

/** What is told of a telephone call. */
export type PhoneState = ServiceBodies['telephone']['state']

/** What the engines are doing. `hangs`: it never settles; an undo then ends by destroying the engine. */
export interface Operation {
  readonly kind: 'prepare' | 'work' | 'undo'
  readonly ref: number
  readonly to: MediaState | null
  readonly hangs: boolean
}

/**
 * `frozen`: connected, and never does anything again. `closed`: gone, and the service has not noticed.
 * `hostile`: writes what it likes.
 */
export type Life = 'live' | 'frozen' | 'closed' | 'gone' | 'hostile'

export interface Local {
  readonly slot: Slot
  readonly session: string
  readonly life: Life
  readonly snapshot: MediaSnapshot
  /** The fold of what has been read. */
  readonly shared: SharedState
  /** Types of the delayed events that are armed. */
  readonly timers: readonly string[]
  readonly operation: Operation | null
  readonly carried: MediaState
  /** Nobody knows what the engines carry until they are undone: work was interrupted, or failed. */
  readonly blurred: boolean
  /** Media whose capture has ended, and whose transmission nothing has turned off. */
  readonly lost: readonly string[]
  /** Own transmissions whose devices are acquired, and that the engines do not carry. */
  readonly acquired: readonly string[]
  /** The transition that this page has called failed, while it stands. */
  readonly gaveUp: number | null
  /** From now on every work fails. */
  readonly dud: boolean
  /** Offers of the application whose Promise is pending. */
  readonly pending: readonly string[]
  /** Offers that the application has been asked about and has not answered. */
  readonly asked: readonly number[]
  /**
   * Own transmissions that this side has agreed to, as the checker reckons, and those that an absence has
   * cut.
   */
  readonly agreed: readonly string[]
  readonly window: readonly string[]
  /**
   * The session that holds the slot, where this page was told that its page is gone, or its user wants
   * everything here.
   */
  readonly succeeds: string | null
  /** The service has refused its `present`: what it tells of who is there makes the page look again. */
  readonly unheard: boolean
  /** What this page knows of the telephone call; null: nothing since a change of media began. */
  readonly phone: PhoneState | null
  /** What the log says of the offers that the SDK makes by itself, as far as it was read. */
  readonly memory: Memory
  /** The contact's first offer was decided on this page. */
  readonly isFirstDecided: boolean
  /** A call that is to come back, from when the machine hears of it until it tells how that went. */
  readonly comesBack: ComesBack | null
  /** How the own offer has ended, as the checker reckons; null while it is open. */
  readonly verdict: string | null
}

/** What a page starts from. */
export const FRESH = {
  timers: [],
  operation: null,
  blurred: false,
  lost: [],
  phone: null,
  memory: NO_MEMORY,
  isFirstDecided: false,
  comesBack: null,
  unheard: false,
  acquired: [],
  gaveUp: null,
  dud: false,
  pending: [],
  asked: [],
  agreed: [],
  window: [],
  succeeds: null,
  verdict: null,
} as const

export interface Outcome {
  readonly local: Local
  readonly letters: readonly UnsentEntry[]
  readonly fault: string | null
  /** How Promises of the application were settled. */
  readonly settled: readonly string[]
}

/** Why a machine does something. */
export interface Cause {
  readonly event: string
  /** The page before the event; null for a new one. */
  readonly before: Local | null
}

export const publicState = ({ snapshot: { value } }: Local): string =>
  typeof value === 'string' ? value : (Object.keys(value)[0] ?? '')

export const isIn = ({ snapshot: { value } }: Local, state: string, substate: string): boolean =>
  typeof value === 'object' && (value as Readonly<Record<string, unknown>>)[state] === substate

/** Own transmissions: those that need the remote, or all. */
export const transmissions = (media: PartialMediaState, all = false): string[] =>
  Object.entries(media).flatMap(([medium, details]) =>
    medium !== 'Sharing' && details?.tx && (all || details.engine !== 'Native')
      ? [`${medium} ${details.via ?? ''} ${details.engine ?? ''}`]
      : [],
  )

/**
 * Own transmissions that need a word of their own side: all but Chat's, also over a telephone, which needs no
 * remote.
 */
export const spoken = (media: PartialMediaState): string[] =>
  transmissions(media, true).filter((one) => !one.startsWith('Chat '))

/** Milliseconds that each party lets its offers stand: the shortest and the longest time. */
export const LIFETIMES = { visitor: 10_000, agent: 300_000 } as const

export const OFF: MediaState = { Sharing: { tx: false, rx: false } }

/** A change that the machine makes by itself has no Promise of the application. */
export const isOwnName = ({ session }: Local, id: string): boolean => id.startsWith(`${session}.`)
