/** What an application asks about media states without changing anything. */
import { ContactError, algebra } from '../../protocol/index.ts'
import type { MediaState, MediaStateDiff, PartialMediaState } from '../../protocol/index.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'

/** @throws {@link ContactError} `invalid_argument` — no media state */
export function requireMedia(operation: string, media: unknown): asserts media is PartialMediaState {
  const bad = (reason: string): never => {
    throw new ContactError('invalid_argument', `unable to ${operation}; ${reason}`)
  }
  if (!isRecord(media)) return bad('media must be an object keyed by medium')
  for (const [medium, details] of Object.entries(media)) {
    if (details === undefined) continue
    if (!isRecord(details) || typeof details.tx !== 'boolean' || typeof details.rx !== 'boolean')
      bad(`tx and rx of ${medium.slice(0, 32)} must be booleans`)
  }
}

/** A deep clone, as `cloneMedia` of the contact. @throws {@link ContactError} `invalid_argument` */
export function cloneOf(media: MediaState, includeData = false): MediaState {
  return fromArguments('clone media', () => {
    requireMedia('clone media', media)
    return algebra.clone(media, includeData)
  })
}

/** What changes from one state to another. @throws {@link ContactError} `invalid_argument` */
export function diffOf(before: MediaState, after: MediaState): MediaStateDiff {
  return fromArguments('compare media', () => {
    requireMedia('compare media', before)
    requireMedia('compare media', after)
    return algebra.diff(before, after)
  })
}
