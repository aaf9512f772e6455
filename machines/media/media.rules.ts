/** The questions that guards and actions of the media machine ask of its context. Pure. */
import { algebra } from '../../protocol/index.ts'
import type { MediaState, PartialMediaState } from '../../protocol/index.ts'
import type { MediaContext, NewOffer, OfferCommand, OwnOffer } from './media.types.ts'

const transmission = (
  medium: string,
  { via = '', engine = '' }: { readonly via?: string; readonly engine?: string },
): string => `${medium} ${via} ${engine}`

/** Own transmissions of a state, in the form in which consent is kept. */
export const transmissions = (media: PartialMediaState): string[] =>
  Object.entries(media).flatMap(([medium, details]) =>
    medium !== 'Sharing' && algebra.isOn(details) && details.tx ? [transmission(medium, details)] : [],
  )

/** A telephone is no device of the page. */
const isNative = (one: string): boolean => one.endsWith(' Native')

/** Of a call: with those own transmissions alone that the user agreed to. */
export function agreedOf(call: MediaState, agreed: readonly string[]): MediaState {
  const refused = Object.entries(call).flatMap(([medium, details]) => {
    const [one] = transmissions({ [medium]: details })
    return one === undefined || isNative(one) || agreed.includes(one)
      ? []
      : [[medium, { ...details, tx: false }]]
  })
  return algebra.merge(call, Object.fromEntries(refused) as PartialMediaState)
}

/** Consents that the contact's media, the transition that stands or the open own offer still need. */
export const neededConsent = ({ own: mine, shared: { media, phase }, consent }: MediaContext): string[] => {
  const needed = new Set([
    ...transmissions(media),
    ...(phase.name === 'transiting' ? transmissions(phase.target) : []),
    ...(mine && !mine.outcome ? wantedBy(mine.entry) : []),
  ])
  return consent.filter((one) => needed.has(one))
}

/** Own transmissions that are on before and not after. */
export const cutBy = (before: MediaState, after: MediaState): string[] => {
  const left = new Set(transmissions(after))
  return transmissions(before).filter((one) => !left.has(one))
}

/** What an own offer or direct transition could turn on. */
const mostOfEntry = (entry: OwnOffer['entry']): PartialMediaState =>
  entry.type === 'offer' ? algebra.mostOf(entry.body.offer) : entry.body.target

/** What it could transmit. */
export const wantedBy = (entry: OwnOffer['entry']): string[] => transmissions(mostOfEntry(entry))

/** Id of the `n`-th entry of this session's machine: writing it twice is harmless. */
export const entryId = ({ session }: MediaContext, n: number): string => `${session}.${n}`

/**
 * The engines carry something other than the contact's media, nobody knows, or they hold what nothing needs
 * any more.
 */
export const differs = (context: MediaContext): boolean => {
  const { engines, shared, prepared } = context
  const needed = isUnread(context) || isOffering(context) || mayWork(context)
  return engines === null || !algebra.sameMedia(engines, shared.media) || (prepared.length > 0 && !needed)
}

/** An own offer is over and not settled, or consents are left that nothing needs. */
export const mustSettle = (context: MediaContext): boolean =>
  Boolean(context.own?.outcome) || neededConsent(context).length < context.consent.length

/**
 * Own transmissions that are to be acquired before `wanted` can be: those that need a device and are not on
 * yet.
 */
export function missing({ shared: { media } }: MediaContext, wanted: PartialMediaState): string[] {
  const on = new Set(transmissions(media))
  return transmissions(wanted).filter((one) => !on.has(one) && !isNative(one))
}

/** What a command of the application could turn on at most. */
export const mostWanted = (command: OfferCommand): PartialMediaState =>
  command.type === 'media.offer' ? algebra.mostOf(command.offer) : command.target

/** The own offer or direct transition that a command of the application begins. */
export const ownOffer = ({ offerLifetime }: MediaContext, command: OfferCommand): NewOffer => ({
  id: command.id,
  entry:
    command.type === 'media.offer'
      ? { type: 'offer', body: { offer: command.offer, restore: command.restore, lifetime: offerLifetime } }
      : { type: 'direct', body: { target: algebra.normalize(command.target), restore: command.restore } },
})

/** A direct transition without what the captures that have ended transmitted. */
export const lessTransmitted = ({ shared: { media }, lostCaptures }: MediaContext): OwnOffer['entry'] => ({
  type: 'direct',
  body: {
    target: algebra.merge(
      media,
      Object.fromEntries(
        lostCaptures.map((medium) => [medium, { tx: false, rx: media[medium]?.rx ?? false }]),
      ),
    ),
    restore: false,
  },
})

/** An own offer has been written and not read back. */
export const isUnread = ({ own: mine }: MediaContext): boolean =>
  mine !== null && mine.ref === null && mine.outcome === null

/** Whether an offer of this party is open. */
export const isOffering = ({ shared: { phase }, slot }: MediaContext): boolean =>
  phase.name === 'offered' && phase.by === slot

/** Whether an offer of the remote is open. */
export const isOffered = ({ shared: { phase }, slot }: MediaContext): boolean =>
  phase.name === 'offered' && phase.by !== slot

/** Whether neither an offer nor a transition is open. */
export const isIdle = ({ shared: { phase } }: MediaContext): boolean => phase.name === 'idle'

/** Whether a transition is open. */
export const isTransiting = ({ shared: { phase } }: MediaContext): boolean => phase.name === 'transiting'

/**
 * The transition may be worked for: not given up here, and every own transmission in it was agreed to here.
 */
export function mayWork({ shared: { phase }, failed, consent }: MediaContext): boolean {
  return (
    phase.name === 'transiting' &&
    phase.ref !== failed &&
    transmissions(phase.target).every((one) => consent.includes(one))
  )
}

/** The transition was given up here, and the log does not know yet. */
export const hasFailed = ({ shared: { phase }, failed }: MediaContext): boolean =>
  phase.name === 'transiting' && phase.ref === failed

/**
 * The offer brings back only what an absence has cut, or what runs: it may be answered without a question.
 */
export function isRestorable({ shared: { phase, media }, window, consent }: MediaContext): boolean {
  if (phase.name !== 'offered' || !phase.restore) return false
  const runs = transmissions(media).filter((one) => isNative(one) || consent.includes(one))
  const agreed = new Set([...window, ...runs])
  return transmissions(algebra.mostOf(phase.offer)).every((one) => agreed.has(one))
}

/** A capture has ended whose transmission can be turned off now. */
export const mustSendLess = ({ shared: { media }, lostCaptures }: MediaContext): boolean =>
  lostCaptures.some((medium) => media[medium]?.tx === true)

/**
 * While an offer or a transition is open: the engines that broke neither carry anything nor take part in it.
 * Where nothing is known of what the engines carry, they may.
 */
export function areUnused(
  { engines, shared: { media, phase }, own: mine }: MediaContext,
  broken: readonly string[],
): boolean {
  const open = [
    ...(mine && !mine.outcome ? [mostOfEntry(mine.entry)] : []),
    ...(phase.name === 'offered' ? [algebra.mostOf(phase.offer)] : []),
    ...(phase.name === 'transiting' ? [phase.target] : []),
  ]
  if (engines === null || open.length === 0) return false
  return [engines, media, ...open].every((used) =>
    algebra.mediaOn(used).every((medium) => !broken.includes(used[medium]?.engine ?? '')),
  )
}

/** The slot belongs to nobody. */
export const isSlotFree = ({ shared, slot }: MediaContext): boolean => shared.session[slot] === null

/** The page that holds the slot is gone, or the user wants everything here. */
export const isHolderGone = ({ gone }: MediaContext): boolean => gone !== null

/** Sequence number of the phase that runs; 0 while idle. */
export const refOf = ({ shared: { phase } }: MediaContext): number => (phase.name === 'idle' ? 0 : phase.ref)
