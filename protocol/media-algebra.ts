/** Pure functions over media states, offers and answers. All arguments of one call are relative to the same reader. */
import type { MediaCapabilities } from './capabilities.ts'
import { ContactError } from './errors.ts'
import type { Holds, MediaOffer, MediaOfferDetails, MediaState, MediaStateDetails, MediaStateDiff, MediaStateDiffDetails, OfferedDirection, PartialMediaState } from './media.ts'

const NATIVE = 'Native'
const SHARING = 'Sharing'
const NATIVE_BOTH: MediaStateDetails = { tx: true, rx: true, via: 'net', engine: NATIVE }

/** Whether a medium is on in either direction. */
export const isOn = (details: MediaStateDetails | undefined): details is MediaStateDetails => details !== undefined && (details.tx || details.rx)

/** Names of the media that are on in either direction. */
export const mediaOn = (media: PartialMediaState): string[] => Object.keys(media).filter((medium) => isOn(media[medium]))

const onlyOn = (media: PartialMediaState, sharing: MediaStateDetails): MediaState => {
  const result: Record<string, MediaStateDetails> = { [SHARING]: sharing }
  for (const [medium, details] of Object.entries(media)) if (medium !== SHARING && isOn(details)) result[medium] = details
  return result as unknown as MediaState
}

/** The state without the media that are off: the form in which states are kept and compared. */
export const normalize = (media: PartialMediaState): MediaState => onlyOn(media, media[SHARING] ?? NATIVE_BOTH)

const swapDetails = ({ tx, rx, ...rest }: MediaStateDetails): MediaStateDetails => ({ ...rest, tx: rx, rx: tx })

/** The same media seen from the other side. `data` is local and does not pass. */
export function swap<T extends PartialMediaState>(media: T): T {
  const result: Record<string, MediaStateDetails> = {}
  for (const [medium, details] of Object.entries(media)) if (details) result[medium] = swapDetails(withoutData(details))
  return result as unknown as T
}

/** The same offer seen from the other side. */
export function swapOffer(offer: MediaOffer): MediaOffer {
  const result: Record<string, MediaOfferDetails> = {}
  for (const [medium, details] of Object.entries(offer)) if (details) result[medium] = { ...details, tx: details.rx, rx: details.tx }
  return result
}

const withoutData = ({ data: _local, ...details }: MediaStateDetails): MediaStateDetails => details

/** The media without what is local to one side (`data`). */
export function stripData<T extends PartialMediaState>(media: T): T {
  const result: Record<string, MediaStateDetails> = {}
  for (const [medium, details] of Object.entries(media)) if (details) result[medium] = withoutData(details)
  return result as unknown as T
}

/** `base` with the members that `changes` names; what is off afterwards is left out. */
export function merge(base: MediaState, changes: PartialMediaState): MediaState {
  const result: Record<string, MediaStateDetails | undefined> = { ...base }
  for (const [medium, details] of Object.entries(changes)) {
    if (medium !== SHARING && details) result[medium] = { ...base[medium], ...details }
  }
  return onlyOn(result, base.Sharing)
}

/** Whether two values are alike: plain objects and arrays by content, everything else by identity. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => sameValue(left[key], right[key]))
}

/** Whether two states are equal, what is off being the same as what is not mentioned. */
export const sameMedia = (a: PartialMediaState, b: PartialMediaState): boolean => sameValue(normalize(stripData(a)), normalize(stripData(b)))

/** What changes from `before` to `after`. A medium whose engine changes is `changed`, under its new engine. */
export function diff(before: PartialMediaState, after: PartialMediaState): MediaStateDiff {
  const groups = { added: emptyGroup(), removed: emptyGroup(), changed: emptyGroup() }
  for (const medium of new Set([...mediaOn(before), ...mediaOn(after)])) {
    const [old, now] = [before[medium], after[medium]]
    if (!isOn(old)) note(groups.added, medium, now)
    else if (!isOn(now)) note(groups.removed, medium, old)
    else if (!sameValue(old, now)) note(groups.changed, medium, now)
  }
  return groups
}

interface Group extends MediaStateDiffDetails {
  readonly media: Record<string, string>
  readonly engine: Record<string, string[]>
}

const emptyGroup = (): Group => ({ media: {}, engine: {} })

function note(group: Group, medium: string, details: MediaStateDetails | undefined): void {
  const engine = details?.engine ?? NATIVE
  group.media[medium] = engine
  group.engine[engine] = [...(group.engine[engine] ?? []), medium]
}

/** Deep clone. With `includeData`, what cannot be cloned (a MediaStream, a function) becomes `true`. */
export function clone<T extends PartialMediaState>(media: T, includeData = false): T {
  const result: Record<string, MediaStateDetails> = {}
  for (const [medium, details] of Object.entries(media)) {
    if (!details) continue
    const copy = withoutData(details)
    result[medium] = includeData && details.data !== undefined ? { ...copy, data: cloneValue(details.data, new Set()) as Record<string, unknown> } : copy
  }
  return result as unknown as T
}

const isPlain = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function cloneValue(value: unknown, above: ReadonlySet<unknown>): unknown {
  if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol') return value
  if (value === null) return null
  if (above.has(value)) return true
  if (isPlain(value)) {
    const inside = new Set([...above, value])
    if (Array.isArray(value)) return value.map((item) => cloneValue(item, inside))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cloneValue(item, inside)]))
  }
  try {
    return structuredClone(value)
  } catch {
    return true
  }
}

/** The media that a session still holds: the others are off in both directions. */
export function meet(media: MediaState, holds: Holds): MediaState {
  return onlyOn(Object.fromEntries(Object.entries(media).filter(([medium, details]) => Object.hasOwn(holds, medium) && holds[medium] === details?.engine)), media.Sharing)
}

/** The media that need no remote: those of the engine `Native`. */
export const nativeOnly = (media: MediaState): MediaState => onlyOn(Object.fromEntries(Object.entries(media).filter(([, details]) => details?.engine === NATIVE)), media.Sharing)

/** What a session holds of `media`. */
export const holdsOf = (media: MediaState): Holds =>
  Object.fromEntries(Object.entries(media).flatMap(([medium, details]) => (isOn(details) ? [[medium, details.engine ?? NATIVE]] : [])))

/** Media of a new contact for the agent, from the contact's first offer as the agent reads it (default: Chat both ways). */
export function startingMedia(initialOffer: MediaOffer | undefined): MediaState {
  const chat = initialOffer === undefined ? NATIVE_BOTH : { ...NATIVE_BOTH, tx: isWanted(initialOffer.Chat?.tx), rx: isWanted(initialOffer.Chat?.rx) }
  return onlyOn({ Chat: chat }, NATIVE_BOTH)
}

const isWanted = (direction: OfferedDirection | undefined): boolean => direction === 'required' || direction === 'optional'

/** An offer that describes `media`: on is `required`, off is `off`. */
export function offerFromState(media: PartialMediaState): MediaOffer {
  const result: Record<string, MediaOfferDetails> = {}
  for (const [medium, details] of Object.entries(media)) {
    if (medium === SHARING || !details) continue
    const { tx, rx, via, engine } = details
    result[medium] = { tx: tx ? 'required' : 'off', rx: rx ? 'required' : 'off', ...(via !== undefined && { via }), ...(engine !== undefined && { engine }) }
  }
  return result
}

/** `accepted`, `refused` (breaks a `required`) or `invalid` (turns on what was `off`, or names another `via` or `engine`). */
export type Verdict = 'accepted' | 'refused' | 'invalid'

/** What an answer means for an offer. Sharing is ignored. */
export function judgeAnswer(offer: MediaOffer, answer: PartialMediaState): Verdict {
  const media = new Set([...Object.keys(offer), ...Object.keys(answer)])
  media.delete(SHARING)
  let verdict: Verdict = 'accepted'
  for (const medium of media) {
    const one = judgeMedium(offer[medium], answer[medium])
    if (one === 'invalid') return 'invalid'
    if (one === 'refused') verdict = 'refused'
  }
  return verdict
}

function judgeMedium(offer: MediaOfferDetails | undefined, answer: MediaStateDetails | undefined): Verdict {
  const directions = [
    [offer?.tx ?? 'off', answer?.tx ?? false],
    [offer?.rx ?? 'off', answer?.rx ?? false],
  ] as const
  if (directions.some(([offered, given]) => offered === 'off' && given)) return 'invalid'
  if (isOn(answer) && ((answer.via ?? offer?.via) !== offer?.via || (answer.engine ?? offer?.engine) !== offer?.engine)) return 'invalid'
  return directions.some(([offered, given]) => offered === 'required' && !given) ? 'refused' : 'accepted'
}

/** Whether an answer satisfies an offer. */
export const satisfies = (offer: MediaOffer, answer: PartialMediaState): boolean => judgeAnswer(offer, answer) === 'accepted'

/** An answer in full: `via` and `engine` as offered, false for what is left out, Sharing ignored. */
export function completeAnswer(offer: MediaOffer, answer: PartialMediaState): PartialMediaState {
  const media = new Set([...Object.keys(offer), ...Object.keys(answer)])
  media.delete(SHARING)
  return Object.fromEntries(
    [...media].map((medium) => {
      const [offered, given] = [offer[medium], answer[medium]]
      if (!isOn(given)) return [medium, { tx: false, rx: false }]
      return [medium, { ...(offered?.via !== undefined && { via: offered.via }), ...(offered?.engine !== undefined && { engine: offered.engine }), ...withoutData(given) }]
    }),
  )
}

/** The state to move to when `answer` accepts `offer`. Sharing stays; what is not offered is off. */
export const targetOfAnswer = (media: MediaState, offer: MediaOffer, answer: PartialMediaState): MediaState => onlyOn(completeAnswer(offer, answer), media.Sharing)

/** The complete state that a direct transition leads to. Sharing stays; what is not named is off. */
export const targetOfDirect = (media: MediaState, target: PartialMediaState): MediaState => onlyOn(stripData(target), media.Sharing)

/** Whether `wanted` makes the other side transmit what it does not transmit in `media` in the same way already. */
export const asksMoreOfOther = (media: MediaState, wanted: PartialMediaState): boolean => transmitsMore(swap(media), swap(wanted))

/** Whether `wanted` transmits anything that `media` does not transmit over the same `via` and `engine`. */
export function transmitsMore(media: PartialMediaState, wanted: PartialMediaState): boolean {
  return Object.entries(wanted).some(([medium, details]) => {
    const now = media[medium]
    return medium !== SHARING && details?.tx === true && !(now?.tx === true && now.via === details.via && now.engine === details.engine)
  })
}

/** Whether an offer only turns things off or leaves them as they are: it can be accepted without asking. */
export function onlyTurnsOff(media: MediaState, offer: MediaOffer): boolean {
  const most = mostOf(offer)
  return !transmitsMore(media, most) && !asksMoreOfOther(media, most)
}

/** The most that accepting an offer can turn on. */
export function mostOf(offer: MediaOffer): PartialMediaState {
  return Object.fromEntries(Object.entries(offer).flatMap(([medium, details]) => (details ? [[medium, { ...details, tx: details.tx !== 'off', rx: details.rx !== 'off' }]] : [])))
}

/** The answer that takes as much of an offer as `media` has on already. */
export function answerFromState(media: MediaState, offer: MediaOffer): PartialMediaState {
  const keep = (offered: OfferedDirection, now: boolean): boolean => offered === 'required' || (offered === 'optional' && now)
  return Object.fromEntries(
    Object.entries(offer).flatMap(([medium, details]) =>
      details ? [[medium, { ...details, tx: keep(details.tx, media[medium]?.tx === true), rx: keep(details.rx, media[medium]?.rx === true) }]] : [],
    ),
  )
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
    return here[engine] === true && Object.hasOwn(there, engine) && there[engine] === true && via !== undefined ? [{ via, engine }] : []
  })
}

const DIRECTIONS: ReadonlySet<unknown> = new Set(['required', 'optional', 'off'])

/**
 * The offer with `via` and `engine` filled in where exactly one choice is left.
 *
 * @throws {@link ContactError} `invalid_offer` — Sharing or an unknown medium is offered, a direction is not one of the three, or the choice is none or not unique.
 */
export function completeOffer(offer: MediaOffer, choices: (medium: string) => readonly Choice[] | undefined): MediaOffer {
  const refuse = (reason: string): never => {
    throw new ContactError('invalid_offer', `unable to offer media; ${reason}`)
  }
  const result: Record<string, MediaOfferDetails> = {}
  for (const [medium, details] of Object.entries(offer)) {
    if (details === undefined) continue
    const known = medium === SHARING ? undefined : choices(medium)
    if (!known) return refuse(medium === SHARING ? 'Sharing is never negotiated' : `the medium ${JSON.stringify(medium.slice(0, 32))} is unknown`)
    if (!isPlain(details) || !DIRECTIONS.has(details.tx) || !DIRECTIONS.has(details.rx)) return refuse(`tx and rx of ${medium} must be "required", "optional" or "off"`)
    if (details.tx === 'off' && details.rx === 'off') {
      result[medium] = { tx: 'off', rx: 'off' }
      continue
    }
    const left = known.filter(({ via, engine }) => (details.via ?? via) === via && (details.engine ?? engine) === engine)
    const only = left[0]
    if (!only || left.length > 1)
      return refuse(left.length === 0 ? `no engine of both parties carries ${medium} as asked` : `${medium} can be carried in several ways: name via and engine`)
    result[medium] = { tx: details.tx, rx: details.rx, ...only }
  }
  return result
}
