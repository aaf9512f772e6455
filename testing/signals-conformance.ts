import type { JsonValue } from '../protocol/index.ts'
import { law } from './law.ts'
import type { EngineLaw } from './law.ts'
import { check, eventually, outcome, same } from './suite-bench.ts'
import { settled } from './test-clock.ts'

const GARBAGE: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  '',
  'hello',
  [],
  [null],
  {},
  { type: 'offer' },
  { type: null, sdp: 7 },
  { attempt: {} },
  { data: 'x'.repeat(100_000) },
  { a: { b: { c: [] } } },
]

const isJson = (value: unknown): boolean => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  return (
    typeof value === 'object' &&
    (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) &&
    Object.values(value).every(isJson)
  )
}

/** Which signals an engine sends, and which it accepts from the other side. */
export const SIGNALS_LAWS: readonly EngineLaw[] = [
  law('signals-are-json', 'signals are plain JSON of at most 100,000 characters', [], async (bench) => {
    await bench.both(Object.fromEntries(bench.media.map((medium) => [medium, 'tx rx'])))
    await bench.both({})
    for (const data of [...bench.visitor.sent, ...bench.agent.sent]) {
      check(isJson(data) && JSON.stringify(data).length <= 100_000, 'a signal is no JSON, or too long')
    }
  }),
  law('survives-garbage', 'signals that make no sense are ignored, idle and in a call', [], async (bench) => {
    const survive = (): void => {
      for (const side of bench.sides) for (const data of GARBAGE) side.engine.receive(data)
    }
    survive()
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    survive()
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
    same([bench.visitor.events, bench.agent.events], [[], []], 'reports')
  }),
  law(
    'no-consent-no-device',
    'signals of the other side alone turn on no device and show no medium',
    [],
    async (bench) => {
      const alone = outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx rx' }))
      await settled()
      await settled()
      same(
        [bench.agent.inUse, bench.agent.shown, bench.agent.events],
        [0, [], []],
        'devices, media and reports',
      )
      await bench.visitor.stop()
      await alone
    },
  ),
  law(
    'no-consent-no-connection',
    'signals of the other side alone make no connection, and are not answered',
    ['connections'],
    async (bench) => {
      const alone = outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx rx' }))
      await eventually('there is no signal', () => bench.visitor.sent.length > 0)
      await settled()
      same([bench.agent.connections, bench.agent.sent], [0, []], 'connections and signals')
      await bench.visitor.stop()
      await alone
    },
  ),
  law('late-signals', 'signals of an earlier call harm no later one', ['connections'], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    const late = bench.visitor.sent.slice()
    await bench.both({})
    await settled()
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    for (const data of late) bench.agent.engine.receive(structuredClone(data))
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
    same([bench.visitor.events, bench.agent.events], [[], []], 'reports')
  }),
]
