import { transitWaitingForUser } from './cancel-conformance.ts'
import { law } from './law.ts'
import type { EngineLaw } from './law.ts'
import { outcome, same } from './suite-bench.ts'
import { settled } from './test-clock.ts'

/** What `stop` ends and gives back. */
export const STOP_LAWS: readonly EngineLaw[] = [
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
      const transit = transitWaitingForUser(bench)
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
]
