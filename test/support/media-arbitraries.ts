/** Random media states, offers and answers. */
import fc from 'fast-check'
import type {
  MediaOffer,
  MediaOfferDetails,
  MediaState,
  MediaStateDetails,
  PartialMediaState,
} from '../../protocol/index.ts'

/** Names that are members of every object, or would be its prototype. */
export const TRICKY_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
] as const

const mediumName = fc.constantFrom('Chat', 'Voice', 'Video', 'Screen', 'Fax')
const anyName = fc.oneof(
  { weight: 5, arbitrary: mediumName },
  { weight: 1, arbitrary: fc.constantFrom(...TRICKY_NAMES) },
)
const carrier = {
  via: fc.constantFrom('net', 'pstn'),
  engine: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('Native', 'WebRTC') },
    { weight: 1, arbitrary: fc.constantFrom('Other', ...TRICKY_NAMES) },
  ),
}

const record = <T>(
  name: fc.Arbitrary<string>,
  details: fc.Arbitrary<T>,
): fc.Arbitrary<Readonly<Record<string, T>>> =>
  fc
    .uniqueArray(fc.tuple(name, details), { selector: ([medium]) => medium, maxLength: 6 })
    .map((members) => Object.fromEntries(members))

export const details: fc.Arbitrary<MediaStateDetails> = fc.record({
  tx: fc.boolean(),
  rx: fc.boolean(),
  ...carrier,
})
const dataValue = fc.dictionary(
  fc.constantFrom('tx_stream', 'rx_stream', 'level', ...TRICKY_NAMES),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
)
const detailsWithData: fc.Arbitrary<MediaStateDetails> = fc.oneof(
  details,
  fc.record({ tx: fc.boolean(), rx: fc.boolean(), ...carrier, data: dataValue }),
)
const sharing: fc.Arbitrary<MediaStateDetails> = fc.record({
  tx: fc.boolean(),
  rx: fc.boolean(),
  via: fc.constant('net'),
  engine: fc.constant('Native'),
})

/** Part of a state, tricky names and a Sharing key included. */
export const partial: fc.Arbitrary<PartialMediaState> = record(
  fc.oneof({ weight: 6, arbitrary: anyName }, { weight: 1, arbitrary: fc.constant('Sharing') }),
  details,
)
/** A state without local data. */
export const media: fc.Arbitrary<MediaState> = fc
  .tuple(sharing, record(anyName, details))
  .map(([Sharing, rest]) => ({ Sharing, ...rest }))
/** A state with local data. */
export const mediaWithData: fc.Arbitrary<MediaState> = fc
  .tuple(sharing, record(anyName, detailsWithData))
  .map(([Sharing, rest]) => ({ Sharing, ...rest }))

const direction = fc.constantFrom('required' as const, 'optional' as const, 'off' as const)
export const offerDetails: fc.Arbitrary<MediaOfferDetails> = fc.record({
  tx: direction,
  rx: direction,
  ...carrier,
})
export const offer: fc.Arbitrary<MediaOffer> = record(anyName, offerDetails)
/** An offer as it can pass the wire schema. */
export const wireOffer: fc.Arbitrary<MediaOffer> = record(
  fc.oneof(mediumName, fc.constantFrom('toString', 'valueOf')),
  offerDetails,
)
/** Media of an answer or a target as they can pass the wire schema. */
export const wirePartial: fc.Arbitrary<PartialMediaState> = record(
  fc.oneof(mediumName, fc.constantFrom('toString', 'Sharing')),
  details,
)

/** Two random bits for each medium that an offer names. */
const bits = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 6, maxLength: 6 })

/** An offer with an answer that takes it: every `optional` is free. */
export const offerAndAcceptance: fc.Arbitrary<{
  readonly offer: MediaOffer
  readonly answer: PartialMediaState
}> = fc
  .tuple(offer, bits)
  .map(([offered, choices]) => ({ offer: offered, answer: acceptance(offered, choices) }))

export function acceptance(
  offered: MediaOffer,
  choices: readonly (readonly [boolean, boolean])[],
): PartialMediaState {
  return Object.fromEntries(
    Object.entries(offered).map(([medium, one], index) => {
      const [first, second] = choices[index] ?? [false, false]
      const { tx, rx, ...rest } = one ?? { tx: 'off', rx: 'off' }
      return [
        medium,
        {
          ...rest,
          tx: tx === 'required' || (tx === 'optional' && first),
          rx: rx === 'required' || (rx === 'optional' && second),
        },
      ]
    }),
  )
}
