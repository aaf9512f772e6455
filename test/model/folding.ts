/** Changes of what entries do to the shared state. */
import { algebra } from '../../protocol/index.ts'
import type {
  Entry,
  Fact,
  MediaOffer,
  PartialMediaState,
  PartyEntry,
  SharedState,
  Slot,
} from '../../protocol/index.ts'
import type { Folded } from '../../protocol/fold.ts'
import { replace } from './replace.ts'
import type { Replacement } from './replace.ts'

type Change = readonly Replacement[]
type Fold = (state: SharedState, entry: Entry) => Folded
const { swap } = algebra
export const replaced = <N extends keyof typeof algebra>(
  name: N,
  by: (real: (typeof algebra)[N]) => (typeof algebra)[N],
): Change => [replace('algebra', name, by)]
export const fold = (by: (real: Fold) => Fold): Change => [replace('fold', 'fold', by)]

/** What the fold makes of entries with this effect. */
export const folds = (
  kind: Fact['kind'],
  change: (folded: SharedState, before: SharedState) => SharedState,
): Change =>
  fold((real) => (before, entry) => {
    const { state, fact } = real(before, entry)
    return { state: fact.kind === kind ? change(state, before) : state, fact }
  })

/** A void entry leaves the state as it was before it was changed for the fold. */
export const orVoid = (state: SharedState, folded: Folded): Folded =>
  folded.fact.kind === 'void' ? { ...folded, state } : folded

/** An entry about an offer is taken from anybody: the offer is read as one of `by`. */
export const entitled = (type: PartyEntry['type'], by: (slot: Slot) => Slot): Change =>
  fold((real) => (state, entry) => {
    const { phase } = state
    if (entry.type !== type || phase.name !== 'offered') return real(state, entry)
    const folded = orVoid(state, real({ ...state, phase: { ...phase, by: by(entry.slot) } }, entry))
    const now = folded.state.phase
    return {
      ...folded,
      state: { ...folded.state, phase: now.name === 'idle' ? now : { ...now, by: phase.by } },
    }
  })

/** Who counts as ready when a `ready` is read. */
export const readies = (change: (ready: readonly Slot[], slot: Slot) => readonly Slot[]): Change =>
  fold((real) => (state, entry) => {
    const { phase } = state
    if (entry.type !== 'ready' || phase.name !== 'transiting') return real(state, entry)
    return orVoid(
      state,
      real({ ...state, phase: { ...phase, ready: change(phase.ready, entry.slot) } }, entry),
    )
  })

/** The reader's own entries are read otherwise. */
export const ownRead = <T extends 'offer' | 'direct' | 'answer'>(
  type: T,
  change: (entry: Extract<PartyEntry, { type: T }>) => Entry,
): Change =>
  fold(
    (real) => (state, entry) =>
      real(
        state,
        entry.type === type && entry.slot === state.reader
          ? change(entry as Extract<PartyEntry, { type: T }>)
          : entry,
      ),
  )

const NEGOTIATION: ReadonlySet<string> = new Set([
  'capabilities',
  'offer',
  'direct',
  'answer',
  'reject',
  'withdraw',
  'ready',
  'failed',
])
export const isNegotiation = (entry: Entry): entry is PartyEntry => NEGOTIATION.has(entry.type)
export const isAbout = (entry: Entry): boolean => 'ref' in entry.body

/** A direct change is judged as if its reader had written it. */
export function judgedByReader(): Change {
  let isOthers = false
  const reads = fold((real) => (state, entry) => {
    isOthers = entry.slot !== state.reader
    return real(state, entry)
  })
  return [
    ...reads,
    ...replaced(
      'asksMoreOfOther',
      (real) => (media, wanted) => (isOthers ? real(swap(media), swap(wanted)) : real(media, wanted)),
    ),
  ]
}

export const givesOff = (offer: MediaOffer, answer: PartialMediaState): boolean =>
  Object.entries(answer).some(([medium, given]) =>
    (['tx', 'rx'] as const).some((way) => given?.[way] === true && (offer[medium]?.[way] ?? 'off') === 'off'),
  )

/** `media` over the ways and engines of `wanted`. */
export const carriedAs = (media: PartialMediaState, wanted: PartialMediaState): never =>
  Object.fromEntries(
    Object.entries(media).map(([medium, details]) => [
      medium,
      details && { ...wanted[medium], tx: details.tx, rx: details.rx },
    ]),
  ) as never

/** An offer that leaves nothing to the other side. */
export const allRequired = (offer: MediaOffer): MediaOffer =>
  Object.fromEntries(
    Object.entries(offer).map(([medium, details]) => [
      medium,
      details && {
        ...details,
        tx: details.tx === 'off' ? 'off' : 'required',
        rx: details.rx === 'off' ? 'off' : 'required',
      },
    ]),
  )

/** An answer that leaves it to the offer. */
export const unnamed = (answer: PartialMediaState, member: 'via' | 'engine'): PartialMediaState =>
  Object.fromEntries(
    Object.entries(answer).map(([medium, details]) => [
      medium,
      details && {
        tx: details.tx,
        rx: details.rx,
        ...(member === 'via' ? engineOf(details) : viaOf(details)),
      },
    ]),
  )

const engineOf = ({ engine }: { readonly engine?: string }) => (engine === undefined ? {} : { engine })
const viaOf = ({ via }: { readonly via?: string }) => (via === undefined ? {} : { via })
