/** What can happen on a walk. */
import type {
  MediaOffer,
  MediaOfferDetails,
  OfferedDirection,
  PartialMediaState,
  Slot,
} from '../../protocol/index.ts'
import type { FakeBehaviour, FakeOperation } from '../../testing/index.ts'

/** One step of a walk: plain data, so that a walk that failed can be kept. */
export type Step =
  | { readonly do: 'offer'; readonly slot: Slot; readonly offer: MediaOffer; readonly byCallback: boolean }
  | { readonly do: 'transit'; readonly slot: Slot; readonly media: PartialMediaState }
  /** The application answers the offer that it was asked about last. */
  | { readonly do: 'answer'; readonly slot: Slot; readonly how: Answer }
  /** From now on it answers at once, or (null) when it is told to. */
  | { readonly do: 'manner'; readonly slot: Slot; readonly how: Answer | null }
  | { readonly do: 'withdraw' | 'cut' | 'away' | 'back' | 'reload' | 'leave' | 'text'; readonly slot: Slot }
  | { readonly do: 'break' | 'hold' | 'release'; readonly slot: Slot; readonly engine: EngineName }
  | { readonly do: 'unplug'; readonly slot: Slot; readonly engine: EngineName; readonly medium: string }
  | {
      readonly do: 'script'
      readonly slot: Slot
      readonly engine: EngineName
      readonly operation: FakeOperation
      readonly behaviour: FakeBehaviour
    }
  | {
      readonly do: 'thaw'
      readonly slot: Slot
      readonly engine: EngineName
      readonly behaviour: Exclude<FakeBehaviour, 'freeze'>
    }
  | { readonly do: 'capability'; readonly slot: Slot; readonly path: string; readonly value: boolean }
  /** The contact goes on with another agent. */
  | { readonly do: 'transfer' }
  | { readonly do: 'lose'; readonly slot: Slot; readonly nth: number; readonly answerOnly: boolean }
  | { readonly do: 'tab' | 'closeTab' | 'settle' }
  | { readonly do: 'time'; readonly ms: number }

export type EngineName = 'WebRTC' | 'Other'
export type Answer = 'most' | 'least' | 'none' | 'beyond' | 'reject'

/** After these an offer that the SDK makes by itself may fail. */
export const DISTURBING: ReadonlySet<Step['do']> = new Set([
  'script',
  'break',
  'unplug',
  'lose',
  'cut',
  'away',
  'hold',
  'thaw',
  'capability',
  'tab',
  'transfer',
  'time',
])

const WAYS: Readonly<Record<'most' | 'least' | 'none' | 'beyond', (direction: OfferedDirection) => boolean>> =
  {
    most: (direction) => direction !== 'off',
    least: (direction) => direction === 'required',
    none: () => false,
    beyond: () => true,
  }
export const answerOf = (
  { tx, rx }: MediaOfferDetails,
  how: keyof typeof WAYS,
): { tx: boolean; rx: boolean } => ({ tx: WAYS[how](tx), rx: WAYS[how](rx) })
