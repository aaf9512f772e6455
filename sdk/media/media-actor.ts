/** What a running media machine says of itself. */
import type { MediaActor } from '../../machines/media/index.ts'
import { otherSlot } from '../../protocol/index.ts'
import type { MediaTransitionState } from '../../protocol/index.ts'

/** The public state: the top-level key of the machine's value. */
export const stateOf = (media: MediaActor | null): MediaTransitionState => {
  if (!media) return 'init'
  const { value } = media.getSnapshot()
  return (typeof value === 'string' ? value : Object.keys(value)[0]) as MediaTransitionState
}

/** Whether nobody holds the other party's slot. */
export const isAlone = (media: MediaActor): boolean => {
  const { shared, slot } = media.getSnapshot().context
  return shared.session[otherSlot(slot)] === null
}

/** Number of the offer or transition that stands; null while there is none. */
export const phaseRef = (media: MediaActor | null): number | null => {
  const phase = media?.getSnapshot().context.shared.phase
  return phase && phase.name !== 'idle' ? phase.ref : null
}
