/** Schemas of media, and of what parties can do with them. */
import * as v from './checks.ts'
import type { MediaCapabilities } from './capabilities.ts'
import { jsonBytes } from './json.ts'
import { LIMITS, NAME } from './limits.ts'
import type { MediaOffer, PartialMediaState } from './media.ts'

/** A name that stands in the protocol: channel, topic, medium, engine, session, message id. */
export const nameSchema = v.pipe(v.string(), v.regex(NAME))

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

/** Media of an answer or a target. */
export const mediaSchema = v.record(
  nameSchema,
  v.pipe(v.object({ tx: v.boolean(), rx: v.boolean(), ...carried }), v.check(named)),
) satisfies v.GenericSchema<unknown, PartialMediaState>
const offerOf = (way: v.GenericSchema<'required' | 'optional' | 'off'>) =>
  v.record(
    mediumName,
    v.pipe(v.object({ tx: way, rx: way, ...carried }), v.check(named)),
  ) satisfies v.GenericSchema<unknown, MediaOffer>
export const offerSchema = offerOf(direction)
/** As it is read: a direction of a later minor version asks for nothing. */
export const readOffer = offerOf(v.fallback(direction, 'off'))
export const answerSchema = v.record(
  nameSchema,
  v.object({ tx: v.boolean(), rx: v.boolean(), ...carried }),
) satisfies v.GenericSchema<unknown, PartialMediaState>

const flag = v.exactOptional(v.boolean())
const medium = { Engines: v.exactOptional(v.record(nameSchema, v.boolean())) }
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
  v.check((capabilities) => jsonBytes(capabilities) <= LIMITS.capabilitiesBytes),
  v.transform((capabilities) => capabilities as MediaCapabilities),
)
