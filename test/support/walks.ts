/** Walks of two parties, made at random. */
import fc from 'fast-check'
import type { MediaOffer, Slot } from '../../protocol/index.ts'
import { Walk } from './walk.ts'
import type { Step } from './walk-steps.ts'

const slot: fc.Arbitrary<Slot> = fc.constantFrom('visitor', 'agent')
const medium = fc.constantFrom('Voice', 'Video', 'Screen')
const word = fc.constantFrom('required' as const, 'optional' as const, 'off' as const)
const engine = fc.constantFrom('WebRTC' as const, 'Other' as const)
const offer = fc.record(
  {
    Chat: fc.record({ tx: word, rx: word }),
    Voice: fc.oneof(
      { weight: 3, arbitrary: fc.record({ tx: word, rx: word, engine: fc.constant('WebRTC') }) },
      {
        weight: 1,
        arbitrary: fc.record({ tx: word, rx: word, via: fc.constant('pstn'), engine: fc.constant('Native') }),
      },
    ),
    Video: fc.record({ tx: word, rx: word, engine }),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const details = fc.record(
  { tx: fc.boolean(), rx: fc.boolean(), engine: fc.option(engine, { nil: undefined }) },
  { noNullPrototype: true },
)
const media = fc.dictionary(fc.constantFrom('Chat', 'Voice', 'Video', 'Screen'), details, {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
})
const path = fc.constantFrom('Media.Voice.Engines.Native', 'Media.Video.Engines.Other', 'Mobile')
const failure = fc.constantFrom('media_denied' as const, 'engine_failed' as const)
const step = <D extends Step['do']>(
  weight: number,
  kind: D,
  rest: Record<string, fc.Arbitrary<unknown>> = { slot },
) => ({
  weight,
  arbitrary: fc.record(
    { do: fc.constant(kind), ...rest },
    { noNullPrototype: true },
  ) as unknown as fc.Arbitrary<Step>,
})

const steps = fc.array(
  fc.oneof(
    step(6, 'offer', { slot, offer, byCallback: fc.boolean() }),
    step(4, 'transit', { slot, media }),
    step(3, 'manner', { slot, how: fc.constantFrom('most', 'most', 'least', 'reject', null) }),
    step(5, 'answer', {
      slot,
      how: fc.constantFrom('most', 'most', 'most', 'least', 'none', 'beyond', 'reject'),
    }),
    step(2, 'withdraw'),
    step(1, 'text'),
    step(1, 'hold', { slot, engine }),
    step(1, 'release', { slot, engine }),
    step(2, 'unplug', { slot, engine, medium }),
    step(1, 'break', { slot, engine }),
    step(4, 'script', {
      slot,
      engine,
      operation: fc.constantFrom('prepare', 'transit', 'transit', 'undo'),
      behaviour: fc.oneof(fc.constantFrom('hang', 'freeze'), failure),
    }),
    step(2, 'thaw', { slot, engine, behaviour: fc.oneof(fc.constantFrom('succeed', 'hang'), failure) }),
    step(2, 'lose', { slot, nth: fc.integer({ min: 1, max: 4 }), answerOnly: fc.boolean() }),
    step(2, 'cut'),
    step(1, 'away'),
    step(2, 'back'),
    step(1, 'reload'),
    step(2, 'capability', { slot, path, value: fc.boolean() }),
    step(1, 'transfer', {}),
    step(1, 'tab', {}),
    step(1, 'closeTab', {}),
    step(4, 'time', { ms: fc.constantFrom(200, 3_000, 6_000, 31_000, 61_000) }),
    step(16, 'settle', {}),
  ),
  { minLength: 8, maxLength: 50, size: 'max' },
)
/**
 * A walk, and the offer that the visitor's page makes by itself when the agent comes. Most end with everyone
 * there.
 */
export interface Way {
  readonly initialOffer?: MediaOffer | undefined
  readonly steps: readonly Step[]
}

const FIRST: MediaOffer = {
  Chat: { tx: 'required', rx: 'required' },
  Voice: { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' },
}
export const ways: fc.Arbitrary<Way> = fc
  .tuple(steps, fc.option(slot, { freq: 6 }), fc.boolean())
  .map(([all, leaver, isFirst]) => ({
    initialOffer: isFirst ? FIRST : undefined,
    steps: leaver ? [...all, { do: 'leave', slot: leaver }] : all,
  }))

/** What is wrong at the end of a walk. */
export async function problemsOf({ initialOffer, steps }: Way): Promise<string[]> {
  const walk = await Walk.start(initialOffer)
  for (const each of steps) await walk.take(each)
  return walk.finish()
}
