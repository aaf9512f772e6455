import type { JsonValue } from '../protocol/index.ts'
import { law } from './law.ts'
import type { EngineLaw } from './law.ts'
import { check, eventually, outcome, same } from './suite-bench.ts'
import type { Bench } from './suite-bench.ts'
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

/** Starts a transition of the visitor alone that waits for its device. */
const asking = (bench: Bench, signal?: AbortSignal): Promise<string> => {
  bench.visitor.devices.hold()
  return outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx' }, signal))
}

/** How an engine is aborted, undone and stopped, and what it takes from the other side. */
export const ENDING_LAWS: readonly EngineLaw[] = [
  law(
    'aborted-before',
    'a transition aborted before it starts ends with left and does nothing',
    [],
    async (bench) => {
      same(
        await outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx' }, AbortSignal.abort())),
        'left',
        'the transition',
      )
      await bench.nothingLeft('after it')
    },
  ),
  law(
    'abort-asking',
    'a transition aborted while the user is asked ends with left at once',
    ['devices'],
    async (bench) => {
      const abort = new AbortController()
      const transit = asking(bench, abort.signal)
      await settled()
      abort.abort()
      same(await transit, 'left', 'the transition')
    },
  ),
  law('late-device', 'a device that comes after the abort is given back', ['devices'], async (bench) => {
    const abort = new AbortController()
    const transit = asking(bench, abort.signal)
    await settled()
    abort.abort()
    await transit
    bench.visitor.devices.answer()
    await bench.visitor.undo({})
    await bench.nothingLeft('after the late answer')
  }),
  law(
    'abort-connecting',
    'a transition aborted while it connects ends with left at once',
    ['connections'],
    async (bench) => {
      const abort = new AbortController()
      const transit = outcome(bench.visitor.transit({ [bench.medium(0)]: 'rx' }, abort.signal))
      await settled()
      abort.abort()
      same(await transit, 'left', 'the transition')
      await bench.visitor.undo({})
      await bench.nothingLeft('after the undo')
    },
  ),
  law('abort-too-late', 'an abort after the end of a transition changes nothing', [], async (bench) => {
    const abort = new AbortController()
    const agents = outcome(bench.agent.transit({ [bench.medium(0)]: 'tx rx' }))
    same(
      [await outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx rx' }, abort.signal)), await agents],
      ['done', 'done'],
      'the transitions',
    )
    const before = [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections]
    abort.abort()
    await settled()
    same(
      [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections],
      before,
      'data, devices and connections',
    )
  }),
  law('works-after-abort', 'after an abort and an undo the next transition works', [], async (bench) => {
    const abort = new AbortController()
    const ends = [
      outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx rx' }, abort.signal)),
      outcome(bench.agent.transit({ [bench.medium(0)]: 'tx rx' }, abort.signal)),
    ]
    abort.abort()
    await Promise.all(ends)
    same(
      await Promise.all([outcome(bench.visitor.undo({})), outcome(bench.agent.undo({}))]),
      ['done', 'done'],
      'both undo',
    )
    await bench.both({ [bench.medium(0)]: 'tx rx' })
  }),
  law('undo-at-first', 'undo to nothing works on an engine that was never used', [], async (bench) => {
    same(await outcome(bench.visitor.undo({})), 'done', 'the undo')
    await bench.nothingLeft('after it')
  }),
  law(
    'undo-brings-back',
    'undo of a finished transition brings back what was on, without asking for what stayed',
    [],
    async (bench) => {
      const before = { [bench.medium(0)]: 'tx rx' } as const
      await bench.both(before)
      const shown = [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections]
      await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx rx' })
      same(
        await Promise.all([outcome(bench.visitor.undo(before)), outcome(bench.agent.undo(before))]),
        ['done', 'done'],
        'both undo',
      )
      same(
        [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections],
        shown,
        'data, devices and connections',
      )
    },
  ),
  law('undo-twice', 'a second undo changes nothing', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    await bench.visitor.undo()
    const before = [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections]
    same(await outcome(bench.visitor.undo()), 'done', 'the undo')
    same(
      [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections],
      before,
      'data, devices and connections',
    )
  }),
  law('undo-to-nothing', 'undo to nothing gives everything back, also in a call', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    await Promise.all([bench.visitor.undo({}), bench.agent.undo({})])
    same(bench.visitor.engine.data(), {}, 'data')
    await bench.nothingLeft('after the undo')
  }),
  law('undo-ends-transit', 'undo ends a transition that waits for the user', ['devices'], async (bench) => {
    const transit = asking(bench)
    await settled()
    same([await outcome(bench.visitor.undo({})), await transit], ['done', 'left'], 'undo and transition')
  }),
  law('undo-of-hang-up', 'undo of a hang-up brings the call back', [], async (bench) => {
    const call = { [bench.medium(0)]: 'tx rx' } as const
    await bench.both(call)
    await bench.both({})
    same(
      await Promise.all([outcome(bench.visitor.undo(call)), outcome(bench.agent.undo(call))]),
      ['done', 'done'],
      'both undo',
    )
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
  }),
  law('stop-at-first', 'stop works on an engine that was never used', [], async (bench) => {
    same(await outcome(bench.visitor.stop()), 'done', 'stop')
    await bench.nothingLeft('after stop')
  }),
  law('stop-again', 'stop may be repeated, also at the same time', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx' })
    same(
      await Promise.all([outcome(bench.visitor.stop()), outcome(bench.visitor.stop())]),
      ['done', 'done'],
      'two at a time',
    )
    same(await outcome(bench.visitor.stop()), 'done', 'one more')
  }),
  law('stop-in-a-call', 'stop in a call gives everything back', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
    await Promise.all([bench.visitor.stop(), bench.agent.stop()])
    same(bench.visitor.engine.data(), {}, 'data')
    await bench.nothingLeft('after stop')
  }),
  law(
    'stop-asking',
    'stop while the user is asked ends the transition with left, and what comes late is given back',
    ['devices'],
    async (bench) => {
      const transit = asking(bench)
      await settled()
      same([await outcome(bench.visitor.stop()), await transit], ['done', 'left'], 'stop and transition')
      bench.visitor.devices.answer()
      await bench.nothingLeft('after the late answer')
    },
  ),
  law(
    'stop-preparing',
    'stop while prepare asks ends it with left, and what comes late is given back',
    ['devices'],
    async (bench) => {
      bench.visitor.devices.hold()
      const prepared = outcome(bench.visitor.prepare({ [bench.medium(0)]: 'tx' }))
      same([await outcome(bench.visitor.stop()), await prepared], ['done', 'left'], 'stop and prepare')
      bench.visitor.devices.answer()
      await bench.nothingLeft('after the late answer')
    },
  ),
  law(
    'stop-connecting',
    'stop while it connects ends the transition with left and leaves nothing',
    ['connections'],
    async (bench) => {
      const transit = outcome(bench.visitor.transit({ [bench.medium(0)]: 'rx' }))
      await settled()
      same([await outcome(bench.visitor.stop()), await transit], ['done', 'left'], 'stop and transition')
      await bench.nothingLeft('after stop')
    },
  ),
  law('stop-undoing', 'stop ends an undo that waits for the user', ['devices'], async (bench) => {
    bench.visitor.devices.hold()
    const undone = outcome(bench.visitor.undo({ [bench.medium(0)]: 'tx' }))
    await settled()
    same([await outcome(bench.visitor.stop()), await undone], ['done', 'left'], 'stop and undo')
    bench.visitor.devices.answer()
    await bench.nothingLeft('after the late answer')
  }),
  law(
    'silent-after-stop',
    'after stop nothing is reported and nothing started, whatever time and the other side do',
    [],
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx rx' })
      const late = [...bench.agent.sent]
      await Promise.all([bench.visitor.stop(), bench.agent.stop()])
      for (const data of late) bench.visitor.engine.receive(data)
      await bench.clock.advance(600_000)
      same(bench.visitor.events, [], 'reports')
      await bench.nothingLeft('after stop')
    },
  ),
  law('starts-afresh', 'after stop a transition starts afresh', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    await Promise.all([bench.visitor.stop(), bench.agent.stop()])
    await bench.both({ [bench.medium(0)]: 'tx rx' })
  }),
  law('signals-are-json', 'signals are plain JSON of at most 100,000 characters', [], async (bench) => {
    await bench.both(Object.fromEntries(bench.media.map((medium) => [medium, 'tx rx'])))
    await bench.both({})
    for (const data of [...bench.visitor.sent, ...bench.agent.sent]) {
      check(isJson(data) && JSON.stringify(data).length <= 100_000, 'a signal is no JSON, or too long')
    }
  }),
  law(
    'rejects-never-throws',
    'what cannot be done is a rejection with a code: no operation throws',
    [],
    async ({ visitor }) => {
      const strange = { Nonsense: { tx: true, rx: true, via: 'nowhere', engine: visitor.engine.id } }
      const signal = AbortSignal.abort()
      const operations: readonly (() => Promise<unknown>)[] = [
        () => visitor.engine.prepare(strange),
        () => visitor.engine.transit({ from: {}, to: strange, wasOffered: false, restore: false, signal }),
        () => visitor.engine.undo({}),
        () => visitor.engine.stop(),
      ]
      for (const operation of operations) {
        const end = await outcome(operation())
        check(!end.startsWith('no ContactError') && end !== 'pending', `it ended with ${end}`)
        visitor.engine.data()
      }
    },
  ),
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
