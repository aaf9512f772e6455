/** The other party's view, written independently of the code under test. */
import type { Fact, MediaOffer, PartialMediaState, SharedState } from '../../protocol/index.ts'

const turned = (media: object): object =>
  Object.fromEntries(
    Object.entries(media as Record<string, { tx: unknown; rx: unknown }>).map(([medium, details]) => {
      const { tx: rx, rx: tx } = details
      return [medium, { ...details, tx, rx }]
    }),
  )

export const mirrorMedia = <T extends PartialMediaState | MediaOffer>(media: T): T => turned(media) as T

/** A shared state as the other party must see it. */
export function mirrorState({ reader, phase, media, session }: SharedState): SharedState {
  const other = reader === 'visitor' ? 'agent' : 'visitor'
  const seen = { reader: other, media: mirrorMedia(media), session } as const
  if (phase.name === 'offered') return { ...seen, phase: { ...phase, offer: mirrorMedia(phase.offer) } }
  if (phase.name === 'transiting')
    return {
      ...seen,
      phase: {
        ...phase,
        target: mirrorMedia(phase.target),
        answer: phase.answer && mirrorMedia(phase.answer),
      },
    }
  return { ...seen, phase }
}

/** A fact as the other party must learn it. */
export function mirrorFact(fact: Fact): Fact {
  if (fact.kind === 'committed') return { ...fact, answer: fact.answer && mirrorMedia(fact.answer) }
  if (fact.kind === 'ended' && fact.ending.kind === 'refused')
    return { ...fact, ending: { ...fact.ending, answer: mirrorMedia(fact.ending.answer) } }
  return fact
}
