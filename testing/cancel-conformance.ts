import { law } from './law.ts'
import type { EngineLaw } from './law.ts'
import { check, outcome, same } from './suite-bench.ts'
import type { Bench } from './suite-bench.ts'
import { settled } from './test-clock.ts'

/** Starts a transition of the visitor alone that waits for its device. */
export const transitWaitingForUser = (bench: Bench, signal?: AbortSignal): Promise<string> => {
  bench.visitor.devices.hold()
  return outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx' }, signal))
}

/** How operations of an engine are aborted, undone and rejected. */
export const CANCEL_LAWS: readonly EngineLaw[] = [
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
      const transit = transitWaitingForUser(bench, abort.signal)
      await settled()
      abort.abort()
      same(await transit, 'left', 'the transition')
    },
  ),
  law('late-device', 'a device that comes after the abort is given back', ['devices'], async (bench) => {
    const abort = new AbortController()
    const transit = transitWaitingForUser(bench, abort.signal)
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
    const transit = transitWaitingForUser(bench)
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
]
