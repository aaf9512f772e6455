/** Schemas of media, and of what parties can do with them. */
import * as v from './checks.ts'
import type { MediaCapabilities } from './capabilities.ts'
import { jsonBytes } from './json.ts'
import { LIMITS } from './limits.ts'
import type { MediaOffer, PartialMediaState } from './media.ts'
import { isGivable } from './shape.ts'
import { nameSchema } from './value-schema.ts'

const direction = v.picklist(['required', 'optional', 'off'])
const carried = { via: v.exactOptional(nameSchema), engine: v.exactOptional(nameSchema) }
const named = <T>(value: T): boolean => {
  const { tx, rx, via, engine } = value as { tx: unknown; rx: unknown; via?: string; engine?: string }
  const off = (tx === false || tx === 'off') && (rx === false || rx === 'off')
  return off || (via !== undefined && engine !== undefined)
}
const mediumName = v.pipe(
  nameSchema,
  v.check((medium) => medium !== 'Sharing'),
)

/** Media of a target. */
export const mediaSchema: v.GenericSchema<unknown, PartialMediaState> = v.record(
  nameSchema,
  v.pipe(v.object({ tx: v.boolean(), rx: v.boolean(), ...carried }), v.check(named)),
)

const offerOf = (
  way: v.GenericSchema<'required' | 'optional' | 'off'>,
): v.GenericSchema<unknown, MediaOffer> =>
  v.record(mediumName, v.pipe(v.object({ tx: way, rx: way, ...carried }), v.check(named)))

/** Whether media are small enough to be handed on to others. */
export const areMediaSmall = (media: object): boolean => jsonBytes(media) <= LIMITS.mediaBytes

/** An offer as it is written. */
export const offerSchema = v.pipe(
  offerOf(direction),
  v.check((media) => areMediaSmall(media)),
)

/** An offer as it is read: a direction of a later minor version is taken as `off`. */
export const readOffer = offerOf(v.fallback(direction, 'off'))

/** Media of an answer: `via` and `engine` may be missing, as they are those of the offer. */
export const answerSchema: v.GenericSchema<unknown, PartialMediaState> = v.record(
  nameSchema,
  v.object({ tx: v.boolean(), rx: v.boolean(), ...carried }),
)

const flag = v.exactOptional(v.boolean())
const medium = { Engines: v.exactOptional(v.record(nameSchema, v.boolean())) }
/** The capabilities that a party announces in `present`. */
export const capabilitiesSchema = v.pipe(
  v.looseObject({
    Media: v.objectWithRest(
      {
        Sharing: v.exactOptional(
          v.looseObject({
            ...medium,
            FileTransfer: flag,
            MaxFileSize: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
            FileTypes: v.exactOptional(v.array(v.string())),
          }),
        ),
      },
      v.looseObject(medium),
    ),
    Mobile: v.boolean(),
    CoBrowsing: flag,
    WebRTC: v.exactOptional(
      v.looseObject({
        AudioCapture: flag,
        AudioConstraints: flag,
        VideoCapture: flag,
        VideoQuality: flag,
        ScreenCapture: flag,
        BrowserFamilyA: flag,
        BrowserFamilyB: flag,
      }),
    ),
    MediaAvailability: v.exactOptional(v.record(nameSchema, v.boolean())),
  }),
  v.check((capabilities) => isGivable(capabilities) && jsonBytes(capabilities) <= LIMITS.capabilitiesBytes),
  v.transform((capabilities) => capabilities as MediaCapabilities),
)
