/** Random logs of contacts: mostly what fits the state, partly what a hostile or late party could write. */
import fc from 'fast-check'
import { algebra, fold, initialSharedState, otherSlot } from '../../protocol/index.ts'
import type { Entry, MediaOffer, PartialMediaState, SharedState, Slot } from '../../protocol/index.ts'
import { CAPABILITIES, entry, left, serviceEntry } from '../support/entries.ts'
import { acceptance, wireOffer, wirePartial } from '../support/media-arbitraries.ts'
import { mirrorMedia } from '../support/mirror.ts'

const SLOTS = ['visitor', 'agent'] as const
const KINDS = [
  'fitting',
  'present',
  'left',
  'offer',
  'direct',
  'answer',
  'reject',
  'withdraw',
  'ready',
  'failed',
  'message',
  'capabilities',
  'transferred',
  'cleared',
] as const

/** One step of a log before it is known what it meets. */
interface Move {
  readonly kind: (typeof KINDS)[number]
  readonly slot: Slot
  /** Number of the session that writes where `aims` is false. */
  readonly session: number
  /** Session, `ref`, `after`, `holds` and media fit the state. */
  readonly aims: boolean
  readonly offer: MediaOffer
  readonly media: PartialMediaState
  readonly choices: readonly (readonly [boolean, boolean])[]
  readonly offset: number
}

const often = <T>(...weighted: readonly (readonly [number, T])[]): fc.Arbitrary<T> =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const move: fc.Arbitrary<Move> = fc.record(
  {
    kind: fc.oneof(
      { weight: 3, arbitrary: fc.constant('fitting' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...KINDS) },
    ),
    slot: fc.constantFrom(...SLOTS),
    session: fc.nat({ max: 1 }),
    aims: often([7, true], [1, false]),
    offer: wireOffer,
    media: wirePartial,
    choices: fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 6, maxLength: 6 }),
    offset: fc.nat({ max: 3 }),
  },
  { noNullPrototype: true },
)

/** Sessions of each slot: two to four in all. */
type Sessions = Readonly<Record<Slot, readonly string[]>>
const sessions: fc.Arbitrary<Sessions> = fc.record({
  visitor: fc.constantFrom(['v1'], ['v1', 'v2']),
  agent: fc.constantFrom(['a1'], ['a1', 'a2']),
})

/** Logs of contacts with two to four sessions. */
export const logs: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(sessions, fc.array(move, { maxLength: 60, size: 'max' }))
  .map(([known, moves]) => {
    let state = initialSharedState('visitor')
    return moves.map((one, index) => {
      const made = make(index + 1, toFitting(one, state), { state, known })
      state = fold(state, made).state
      return made
    })
  })

interface World {
  readonly state: SharedState
  readonly known: Sessions
}

function toFitting(one: Move, { session, phase }: SharedState): Move {
  if (one.kind !== 'fitting') return one
  const absent = SLOTS.find((slot) => session[slot] === null)
  if (absent) return { ...one, kind: 'present', slot: absent }
  if (phase.name === 'idle') return { ...one, kind: one.offset === 0 ? 'direct' : 'offer' }
  if (phase.name === 'offered') return { ...one, kind: 'answer', slot: otherSlot(phase.by) }
  return { ...one, kind: 'ready', slot: phase.ready[0] ? otherSlot(phase.ready[0]) : one.slot }
}

function make(seq: number, one: Move, world: World): Entry {
  const { slot, kind } = one
  const session = sessionOf(one, world)
  const ref = refOf(one, world.state)
  switch (kind) {
    case 'fitting':
    case 'message':
      return entry(seq, slot, session, 'text', { text: 'hello' })
    case 'capabilities':
      return entry(seq, slot, session, 'capabilities', { capabilities: CAPABILITIES })
    case 'present':
      return entry(seq, slot, session, 'present', {
        capabilities: CAPABILITIES,
        media: holdsOf(one, world.state),
        after: one.aims ? world.state.session[slot] : one.offset === 0 ? null : session,
      })
    case 'left':
      return left(seq, slot, session)
    case 'transferred':
      return serviceEntry(seq, 'transferred', { toId: 'next' })
    case 'cleared':
      return serviceEntry(seq, 'cleared', {})
    case 'offer':
      return entry(seq, slot, session, 'offer', { offer: one.offer, restore: one.offset === 0 })
    case 'direct':
      return entry(seq, slot, session, 'direct', {
        target: one.aims ? lessOf(one, world.state) : one.media,
        restore: one.offset === 0,
      })
    case 'answer':
      return entry(seq, slot, session, 'answer', { ref, answer: answerOf(one, world.state) })
    case 'reject':
      return entry(seq, slot, session, 'reject', { ref, reason: 'busy' })
    case 'withdraw':
      return entry(seq, slot, session, 'withdraw', { ref, reason: 'withdrawn' })
    case 'ready':
      return entry(seq, slot, session, 'ready', { ref })
    case 'failed':
      return entry(seq, slot, session, 'failed', { ref, code: 'media_denied' })
  }
}

function sessionOf({ kind, slot, session, aims }: Move, { state, known }: World): string {
  const some = known[slot][session % known[slot].length] ?? slot
  return aims && kind !== 'present' ? (state.session[slot] ?? some) : some
}

const refOf = ({ aims, offset }: Move, { phase }: SharedState): number => {
  const ref = phase.name === 'idle' ? 1 : phase.ref
  return aims ? ref : Math.max(1, ref - 1 + offset)
}

/** Held: most of what is on, or something else. */
function holdsOf({ aims, media, choices }: Move, state: SharedState): Record<string, string> {
  const held = Object.entries(algebra.holdsOf(aims ? state.media : algebra.normalize(media)))
  return Object.fromEntries(held.filter((_one, index) => choices[index]?.some((kept) => kept) ?? true))
}

/** What a party can turn off, or transmit more, by itself; relative to the other party. */
function lessOf({ slot, media, choices }: Move, state: SharedState): PartialMediaState {
  const seen = slot === 'visitor' ? mirrorMedia(state.media) : state.media
  const kept = Object.entries(seen).map(([medium, one], index) => [
    medium,
    {
      ...one,
      tx: one?.tx === true && choices[index]?.[0] !== false,
      rx: one?.rx === true && choices[index]?.[1] !== false,
    },
  ])
  const more = Object.entries(media).flatMap(([medium, one]) =>
    Object.hasOwn(seen, medium) ? [] : [[medium, { ...one, tx: false }]],
  )
  return Object.fromEntries([...kept, ...more])
}

/**
 * An answer, relative to the other party: one that satisfies the offer, with `media` thrown in where it does
 * not aim.
 */
function answerOf({ slot, aims, media, choices }: Move, { phase }: SharedState): PartialMediaState {
  if (phase.name !== 'offered') return media
  const offered = slot === 'visitor' ? mirrorMedia(phase.offer) : phase.offer
  return aims ? acceptance(offered, choices) : { ...acceptance(offered, choices), ...media }
}
