/** Pure functions over media states. All arguments of one call are relative to the same reader. */
import type {
  Holds,
  MediaState,
  MediaStateDetails,
  MediaStateDiff,
  MediaStateDiffDetails,
  PartialMediaState,
} from './media.ts'
import { copyOrTrue, sameValue } from './plain-value.ts'

const NATIVE = 'Native'
/** The medium of shared documents. It is never offered; it is on while a party shows something. */
export const SHARING = 'Sharing'
/** The details of a medium that the engine `Native` carries both ways. */
export const NATIVE_BOTH: MediaStateDetails = { tx: true, rx: true, via: 'net', engine: NATIVE }

/** Whether a medium is on in either direction. */
export const isOn = (details: MediaStateDetails | undefined): details is MediaStateDetails =>
  details !== undefined && (details.tx || details.rx)

/** Names of the media that are on in either direction. */
export const mediaOn = (media: PartialMediaState): string[] =>
  Object.keys(media).filter((medium) => isOn(media[medium]))

/**
 * Each medium changed. Uses `Object.fromEntries`, never assignment: names come from the wire, and `__proto__`
 * is
 * a name.
 */
export const mapMedia = <Old, New>(
  media: Readonly<Record<string, Old | undefined>>,
  change: (details: Old, medium: string) => New,
): Record<string, New> =>
  Object.fromEntries(
    Object.entries(media).flatMap(([medium, details]) =>
      details ? [[medium, change(details, medium)]] : [],
    ),
  )

/** A state with the media that are on; Sharing is as given. */
export const onlyOn = (media: PartialMediaState, sharing: MediaStateDetails): MediaState => ({
  Sharing: sharing,
  ...Object.fromEntries(
    Object.entries(media).filter(([medium, details]) => medium !== SHARING && isOn(details)),
  ),
})

/** The state without the media that are off: the form in which states are stored and compared. */
export const normalize = (media: PartialMediaState): MediaState =>
  onlyOn(media, media[SHARING] ?? NATIVE_BOTH)

const withoutData = ({ data: _local, ...details }: MediaStateDetails): MediaStateDetails => details

/** The same media seen from the other side. `data` is local and does not pass. */
export const swap = <T extends PartialMediaState>(media: T): T =>
  mapMedia(media, (details) => ({ ...withoutData(details), tx: details.rx, rx: details.tx })) as unknown as T

/** The media without what is local to one side (`data`). */
export const stripData = <T extends PartialMediaState>(media: T): T =>
  mapMedia(media, withoutData) as unknown as T

/** Whether two states are equal, what is off being the same as what is not mentioned. */
export const sameMedia = (a: PartialMediaState, b: PartialMediaState): boolean =>
  sameValue(normalize(stripData(a)), normalize(stripData(b)))

/**
 * What changes from `before` to `after`. A medium whose engine changes is `changed`, under its new engine.
 */
export function diff(before: PartialMediaState, after: PartialMediaState): MediaStateDiff {
  const media = [...new Set([...mediaOn(before), ...mediaOn(after)])].map((medium) => ({
    medium,
    old: before[medium],
    now: after[medium],
  }))
  const stayed = media.filter(({ old, now }) => isOn(old) && isOn(now))
  return {
    added: groupOf(media.filter(({ old }) => !isOn(old)).map(({ medium, now }) => [medium, now])),
    removed: groupOf(media.filter(({ now }) => !isOn(now)).map(({ medium, old }) => [medium, old])),
    changed: groupOf(
      stayed.filter(({ old, now }) => !sameValue(old, now)).map(({ medium, now }) => [medium, now]),
    ),
  }
}

function groupOf(
  media: readonly (readonly [medium: string, details: MediaStateDetails | undefined])[],
): MediaStateDiffDetails {
  const carried = media.map(([medium, details]) => ({ medium, engine: details?.engine ?? NATIVE }))
  return {
    media: Object.fromEntries(carried.map(({ medium, engine }) => [medium, engine])),
    engine: Object.fromEntries(
      carried.map(({ engine }) => [
        engine,
        carried.filter((one) => one.engine === engine).map(({ medium }) => medium),
      ]),
    ),
  }
}

/** Deep clone. With `includeData`, what cannot be cloned (a stream, a function, a cycle) becomes `true`. */
export const clone = <T extends PartialMediaState>(media: T, includeData = false): T =>
  mapMedia(media, (details) =>
    includeData && details.data !== undefined
      ? { ...details, data: copyOrTrue(() => details.data) }
      : withoutData(details),
  ) as unknown as T

/** The media that a session still holds: the others are off in both directions. */
export function meet(media: MediaState, holds: Holds): MediaState {
  return onlyOn(
    Object.fromEntries(
      Object.entries(media).filter(
        ([medium, details]) => Object.hasOwn(holds, medium) && holds[medium] === details?.engine,
      ),
    ),
    media.Sharing,
  )
}

/** The media that need no remote: those of the engine `Native`. */
export const nativeOnly = (media: MediaState): MediaState =>
  onlyOn(
    Object.fromEntries(Object.entries(media).filter(([, details]) => details?.engine === NATIVE)),
    media.Sharing,
  )

/** What a session holds of `media`. */
export const holdsOf = (media: MediaState): Holds =>
  Object.fromEntries(
    Object.entries(media).flatMap(([medium, details]) =>
      isOn(details) ? [[medium, details.engine ?? NATIVE]] : [],
    ),
  )
