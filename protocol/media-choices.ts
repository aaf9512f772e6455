/** The ways in which two parties can carry a medium, and an offer completed by them. */
import type { MediaCapabilities } from './capabilities.ts'
import { ContactError } from './errors.ts'
import { SHARING } from './media-state.ts'
import type { MediaOffer, MediaOfferDetails } from './media.ts'
import { isPlain } from './plain-value.ts'

/** One way to carry a medium. */
export interface Choice {
  readonly via: string
  readonly engine: string
}

/** The `via` of a built-in engine, for each medium. */
export const builtInVia = (medium: string, engine: string): string | undefined => {
  if (engine === 'Native') return medium === 'Voice' ? 'pstn' : 'net'
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

const refuse = (reason: string): never => {
  throw new ContactError('invalid_offer', `unable to offer media; ${reason}`)
}

/**
 * The offer with `via` and `engine` filled in where exactly one choice is left.
 *
 * @throws {@link ContactError} `invalid_offer` — Sharing or an unknown medium is offered, a direction is
 *   not one of the three, or the choice is none or not unique.
 */
export const completeOffer = (
  offer: MediaOffer,
  choices: (medium: string) => readonly Choice[] | undefined,
): MediaOffer =>
  Object.fromEntries(
    Object.entries(offer).flatMap(([medium, details]) =>
      details === undefined
        ? []
        : [[medium, completeMedium(medium, details, medium === SHARING ? undefined : choices(medium))]],
    ),
  )

function completeMedium(
  medium: string,
  details: MediaOfferDetails,
  known: readonly Choice[] | undefined,
): MediaOfferDetails {
  if (!known)
    return refuse(
      medium === SHARING
        ? 'Sharing is never negotiated'
        : `the medium ${JSON.stringify(medium.slice(0, 32))} is unknown`,
    )
  if (!isPlain(details) || !DIRECTIONS.has(details.tx) || !DIRECTIONS.has(details.rx))
    return refuse(`tx and rx of ${medium} must be "required", "optional" or "off"`)
  const { tx, rx } = details
  if (tx === 'off' && rx === 'off') return { tx, rx }
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
  return { tx, rx, ...only }
}
