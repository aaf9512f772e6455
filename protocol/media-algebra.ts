/**
 * Pure functions over media states, offers and answers. All arguments of one call are relative to the same
 * reader.
 */
import type { MediaCapabilities } from './capabilities.ts'
import { ContactError } from './errors.ts'
import type {
  Holds,
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  MediaStateDiff,
  MediaStateDiffDetails,
  OfferedDirection,
  PartialMediaState,
  Slot,
} from './media.ts'

const NATIVE = 'Native'
const SHARING = 'Sharing'
const NATIVE_BOTH: MediaStateDetails = { tx: true, rx: true, via: 'net', engine: NATIVE }

/** Whether a medium is on in either direction. */
export const isOn = (details: MediaStateDetails | undefined): details is MediaStateDetails =>
  details !== undefined && (details.tx || details.rx)

/** Names of the media that are on in either direction. */
export const mediaOn = (media: PartialMediaState): string[] =>
  Object.keys(media).filter((medium) => isOn(media[medium]))

/**
 * Builds with `Object.fromEntries`, never by assignment: names come from the wire, and `__proto__` is a name.
 */
const mapMedia = <Old, New>(
  media: Readonly<Record<string, Old | undefined>>,
  change: (details: Old, medium: string) => New,
): Record<string, New> =>
  Object.fromEntries(
    Object.entries(media).flatMap(([medium, details]) =>
      details ? [[medium, change(details, medium)]] : [],
    ),
  )

const onlyOn = (media: PartialMediaState, sharing: MediaStateDetails): MediaState => ({
  Sharing: sharing,
  ...Object.fromEntries(
    Object.entries(media).filter(([medium, details]) => medium !== SHARING && isOn(details)),
  ),
})

/** The state without the media that are off: the form in which states are kept and compared. */
export const normalize = (media: PartialMediaState): MediaState =>
  onlyOn(media, media[SHARING] ?? NATIVE_BOTH)

const withoutData = ({ data: _local, ...details }: MediaStateDetails): MediaStateDetails => details

/** The same media seen from the other side. `data` is local and does not pass. */
export const swap = <T extends PartialMediaState>(media: T): T =>
  mapMedia(media, (details) => ({ ...withoutData(details), tx: details.rx, rx: details.tx })) as unknown as T

/** The same offer seen from the other side. */
export const swapOffer = (offer: MediaOffer): MediaOffer =>
  mapMedia(offer, (details) => ({ ...details, tx: details.rx, rx: details.tx }))

/** The media without what is local to one side (`data`). */
export const stripData = <T extends PartialMediaState>(media: T): T =>
  mapMedia(media, withoutData) as unknown as T

/** `base` with the members that `changes` names; what is off afterwards is left out. */
export function merge(base: MediaState, changes: PartialMediaState): MediaState {
  const changed = mapMedia(changes, (details, medium) => ({ ...base[medium], ...details }))
  return onlyOn({ ...base, ...changed }, base.Sharing)
}

/** Whether two values are alike: plain objects and arrays by content, everything else by identity. */
export const sameValue = (a: unknown, b: unknown): boolean => alike(a, b, [])

function alike(a: unknown, b: unknown, assumed: readonly (readonly [unknown, unknown])[]): boolean {
  if (Object.is(a, b) || assumed.some(([left, right]) => left === a && right === b)) return true
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => alike(a[key], b[key], [...assumed, [a, b]]))
}

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
      ? { ...details, data: cloneOf(() => details.data, new Set()) }
      : withoutData(details),
  ) as unknown as T

type Plain = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Plain => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function cloneOf(read: () => unknown, above: Set<unknown>): unknown {
  try {
    const value = read()
    if (above.has(value)) return true
    if (!isPlain(value)) return structuredClone(value)
    above.add(value)
    const members = Object.keys(value).map((key) => [key, cloneOf(() => value[key], above)] as const)
    above.delete(value)
    return Array.isArray(value) ? members.map(([, copy]) => copy) : Object.fromEntries(members)
  } catch {
    return true
  }
}

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

/**
 * Media of a new contact for the agent, from the contact's first offer as the agent reads it (default: Chat
 * both ways).
 */
export function startingMedia(initialOffer: MediaOffer | undefined): MediaState {
  const chat =
    initialOffer === undefined
      ? NATIVE_BOTH
      : { ...NATIVE_BOTH, tx: isWanted(initialOffer.Chat?.tx), rx: isWanted(initialOffer.Chat?.rx) }
  return onlyOn({ Chat: chat }, NATIVE_BOTH)
}

/**
 * With which first offer a contact goes on under another id, relative to the agent: the Native media as they
 * are, all others off.
 */
export const carriedOffer = ({
  reader,
  media,
}: {
  readonly reader: Slot
  readonly media: MediaState
}): MediaOffer => offerFromState(nativeOnly(reader === 'agent' ? media : swap(media)))

const isWanted = (direction: OfferedDirection | undefined): boolean =>
  direction === 'required' || direction === 'optional'

const carrier = ({ via, engine }: { readonly via?: string; readonly engine?: string } = {}) => ({
  ...(via !== undefined && { via }),
  ...(engine !== undefined && { engine }),
})

/** An offer that describes `media`: on is `required`, off is `off`. */
export function offerFromState({ Sharing: _never, ...media }: PartialMediaState): MediaOffer {
  return mapMedia(media, (details) => ({
    tx: details.tx ? 'required' : 'off',
    rx: details.rx ? 'required' : 'off',
    ...carrier(details),
  }))
}

/**
 * `accepted`, `refused` (breaks a `required`) or `invalid` (turns on what was `off`, or names another `via`
 * or `engine`).
 */
export type Verdict = 'accepted' | 'refused' | 'invalid'

/** What an answer means for an offer. Sharing is ignored. */
export function judgeAnswer(offer: MediaOffer, answer: PartialMediaState): Verdict {
  let verdict: Verdict = 'accepted'
  for (const medium of negotiated(offer, answer)) {
    const one = judgeMedium(offer[medium], answer[medium])
    if (one === 'invalid') return 'invalid'
    if (one === 'refused') verdict = 'refused'
  }
  return verdict
}

function negotiated(offer: MediaOffer, answer: PartialMediaState): string[] {
  const media = new Set([...Object.keys(offer), ...Object.keys(answer)])
  media.delete(SHARING)
  return [...media]
}

function judgeMedium(offer: MediaOfferDetails | undefined, answer: MediaStateDetails | undefined): Verdict {
  const directions = [
    [offer?.tx ?? 'off', answer?.tx ?? false],
    [offer?.rx ?? 'off', answer?.rx ?? false],
  ] as const
  if (directions.some(([offered, given]) => offered === 'off' && given)) return 'invalid'
  if (
    isOn(answer) &&
    ((answer.via ?? offer?.via) !== offer?.via || (answer.engine ?? offer?.engine) !== offer?.engine)
  )
    return 'invalid'
  return directions.some(([offered, given]) => offered === 'required' && !given) ? 'refused' : 'accepted'
}

/** Whether an answer satisfies an offer. */
export const satisfies = (offer: MediaOffer, answer: PartialMediaState): boolean =>
  judgeAnswer(offer, answer) === 'accepted'

/** An answer in full: `via` and `engine` as offered, false for what is left out, Sharing ignored. */
export function completeAnswer(offer: MediaOffer, answer: PartialMediaState): PartialMediaState {
  const complete = (
    offered: MediaOfferDetails | undefined,
    given: MediaStateDetails | undefined,
  ): MediaStateDetails =>
    isOn(given)
      ? { tx: given.tx, rx: given.rx, ...carrier(offered), ...carrier(given) }
      : { tx: false, rx: false }
  return Object.fromEntries(
    negotiated(offer, answer).map((medium) => [medium, complete(offer[medium], answer[medium])]),
  )
}

/** The state to move to when `answer` accepts `offer`. Sharing stays; what is not offered is off. */
export const targetOfAnswer = (media: MediaState, offer: MediaOffer, answer: PartialMediaState): MediaState =>
  onlyOn(completeAnswer(offer, answer), media.Sharing)

/** The complete state that a direct transition leads to. Sharing stays; what is not named is off. */
export const targetOfDirect = (media: MediaState, target: PartialMediaState): MediaState =>
  onlyOn(stripData(target), media.Sharing)

/**
 * Whether `wanted` makes the other side transmit what it does not transmit in `media` in the same way
 * already.
 */
export const asksMoreOfOther = (media: MediaState, wanted: PartialMediaState): boolean =>
  transmitsMore(swap(media), swap(wanted))

/** Whether `wanted` transmits anything that `media` does not transmit over the same `via` and `engine`. */
export function transmitsMore(media: PartialMediaState, wanted: PartialMediaState): boolean {
  return Object.entries(wanted).some(([medium, details]) => {
    const now = media[medium]
    return (
      medium !== SHARING &&
      details?.tx === true &&
      !(now?.tx === true && now.via === details.via && now.engine === details.engine)
    )
  })
}

/** Whether an offer only turns things off or leaves them as they are: it can be accepted without asking. */
export function onlyTurnsOff(media: MediaState, offer: MediaOffer): boolean {
  const most = mostOf(offer)
  return !transmitsMore(media, most) && !asksMoreOfOther(media, most)
}

/** The most that accepting an offer can turn on. */
export const mostOf = (offer: MediaOffer): PartialMediaState =>
  mapMedia(offer, (details) => ({ ...details, tx: details.tx !== 'off', rx: details.rx !== 'off' }))

/** The answer that takes as much of an offer as `media` has on already. */
export function answerFromState(media: MediaState, offer: MediaOffer): PartialMediaState {
  const keep = (offered: OfferedDirection, now: boolean | undefined): boolean =>
    offered === 'required' || (offered === 'optional' && now === true)
  return mapMedia(offer, (details, medium) => ({
    ...details,
    tx: keep(details.tx, media[medium]?.tx),
    rx: keep(details.rx, media[medium]?.rx),
  }))
}

/** One way to carry a medium. */
export interface Choice {
  readonly via: string
  readonly engine: string
}

/** The `via` of a built-in engine, for each medium. */
export const builtInVia = (medium: string, engine: string): string | undefined => {
  if (engine === NATIVE) return medium === 'Voice' ? 'pstn' : 'net'
  return engine === 'WebRTC' ? 'net' : undefined
}

/** What two parties can do; `viaOf` knows the engines registered here. */
export interface Parties {
  readonly local: MediaCapabilities
  readonly remote: MediaCapabilities
  readonly viaOf?: (medium: string, engine: string) => string | undefined
}

/** The ways in which both parties can carry a medium. */
export function choicesFor(medium: string, { local, remote, viaOf = builtInVia }: Parties): Choice[] {
  const [here, there] = [local.Media[medium]?.Engines ?? {}, remote.Media[medium]?.Engines ?? {}]
  return Object.keys(here).flatMap((engine) => {
    const via = viaOf(medium, engine)
    return here[engine] === true &&
      Object.hasOwn(there, engine) &&
      there[engine] === true &&
      via !== undefined
      ? [{ via, engine }]
      : []
  })
}

const DIRECTIONS: ReadonlySet<unknown> = new Set(['required', 'optional', 'off'])

/**
 * The offer with `via` and `engine` filled in where exactly one choice is left.
 *
 * @throws {@link ContactError} `invalid_offer` — Sharing or an unknown medium is offered, a direction is
 *   not one of the three, or the choice is none or not unique.
 */
export function completeOffer(
  offer: MediaOffer,
  choices: (medium: string) => readonly Choice[] | undefined,
): MediaOffer {
  const refuse = (reason: string): never => {
    throw new ContactError('invalid_offer', `unable to offer media; ${reason}`)
  }
  const completed: [medium: string, details: MediaOfferDetails][] = []
  for (const [medium, details] of Object.entries(offer)) {
    if (details === undefined) continue
    const known = medium === SHARING ? undefined : choices(medium)
    if (!known)
      return refuse(
        medium === SHARING
          ? 'Sharing is never negotiated'
          : `the medium ${JSON.stringify(medium.slice(0, 32))} is unknown`,
      )
    if (!isPlain(details) || !DIRECTIONS.has(details.tx) || !DIRECTIONS.has(details.rx))
      return refuse(`tx and rx of ${medium} must be "required", "optional" or "off"`)
    if (details.tx === 'off' && details.rx === 'off') {
      completed.push([medium, { tx: 'off', rx: 'off' }])
      continue
    }
    const left = known.filter(
      ({ via, engine }) => (details.via ?? via) === via && (details.engine ?? engine) === engine,
    )
    const only = left[0]
    if (!only || left.length > 1)
      return refuse(
        left.length === 0
          ? `no engine of both parties carries ${medium} as asked`
          : `${medium} can be carried in several ways: name via and engine`,
      )
    completed.push([medium, { tx: details.tx, rx: details.rx, ...only }])
  }
  return Object.fromEntries(completed)
}
