import { isName } from '../protocol/index.ts'
import { law } from './law.ts'
import type { EngineLaw } from './law.ts'
import type { Directions } from './suite-bench.ts'
import { check, eventually, outcome, same } from './suite-bench.ts'
import { settled } from './test-clock.ts'

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !(value instanceof AbortSignal)) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}

/** What an engine says of itself, and how it carries out transitions. */
export const TRANSIT_LAWS: readonly EngineLaw[] = [
  law('named', 'its id can stand in the protocol', [], async ({ visitor }) => {
    check(isName(visitor.engine.id), `the id ${visitor.engine.id} has characters that no name may have`)
  }),
  law('lists-media', 'capabilities name every medium with its via', [], async ({ visitor }) => {
    const media = Object.entries(await visitor.engine.capabilities())
    check(media.length > 0, 'there is no medium')
    for (const [medium, { via }] of media)
      check(isName(medium) && isName(via), `${medium} via ${via} cannot stand in the protocol`)
  }),
  law(
    'capabilities-ask-nobody',
    'capabilities ask nobody for permission',
    ['devices'],
    async ({ visitor }) => {
      await visitor.engine.capabilities()
      same([visitor.devices.questions(), visitor.inUse], [0, 0], 'questions and devices')
    },
  ),
  law('steady-capabilities', 'capabilities are the same during a call', [], async (bench) => {
    const before = await bench.visitor.engine.capabilities()
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    same(await bench.visitor.engine.capabilities(), before, 'capabilities')
  }),
  law('quiet-attach', 'attach sends, reports and starts nothing', [], async (bench) => {
    await settled()
    const { sent, events } = bench.visitor
    same([sent, events, bench.clock.pending], [[], [], 0], 'signals, reports and timers')
  }),
  law('nothing-on-at-first', 'data is empty before the first transition', [], async ({ visitor }) => {
    same(visitor.engine.data(), {}, 'data')
  }),
  law('both-ways', 'every medium can be on both ways', [], async (bench) => {
    for (const medium of bench.media) await bench.both({ [medium]: 'tx rx' })
  }),
  law('all-together', 'all media can be on together', [], async (bench) => {
    await bench.both(Object.fromEntries(bench.media.map((medium) => [medium, 'tx rx'])))
  }),
  law('one-way', 'every medium can be on one way, in either direction', [], async (bench) => {
    for (const medium of bench.media) {
      await bench.both({ [medium]: 'tx' })
      await bench.both({ [medium]: 'rx' })
    }
  }),
  law('visitor-first', 'the visitor may start before the agent', [], async (bench) => {
    const [early, medium] = [bench.visitor, bench.medium(0)]
    const first = outcome(early.transit({ [medium]: 'tx rx' }))
    await settled()
    same(
      [await outcome(bench.agent.transit({ [medium]: 'tx rx' })), await first],
      ['done', 'done'],
      'the transitions',
    )
  }),
  law('agent-first', 'the agent may start before the visitor', [], async (bench) => {
    const medium = bench.medium(0)
    const first = outcome(bench.agent.transit({ [medium]: 'tx rx' }))
    await settled()
    same(
      [await outcome(bench.visitor.transit({ [medium]: 'tx rx' })), await first],
      ['done', 'done'],
      'the transitions',
    )
  }),
  law('data-is-objects', 'data has objects, and only for media that are on', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
    const data = bench.visitor.engine.data()
    check(
      Object.entries(data).every(
        ([medium, value]) =>
          [bench.medium(0), bench.medium(1)].includes(medium) && typeof value === 'object' && value !== null,
      ),
      `data has something else: ${Object.keys(data).join()}`,
    )
  }),
  law('data-follows', 'data names no medium that was turned off', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
    await bench.both({ [bench.medium(1)]: 'tx' })
    check(
      bench.medium(0) === bench.medium(1) || !bench.visitor.shown.includes(bench.medium(0)),
      `${bench.medium(0)} is still named`,
    )
    await bench.both({})
    same(bench.visitor.shown, [], 'media in data')
  }),
  law('arguments-stay', 'transit and undo change no argument', [], async (bench) => {
    const to = frozen(bench.visitor.media({ [bench.medium(0)]: 'tx' }))
    const before = JSON.stringify(to)
    const agents = outcome(bench.agent.transit({ [bench.medium(0)]: 'rx' }))
    const visitors = outcome(
      bench.visitor.engine.transit(
        frozen({ from: {}, to, wasOffered: true, restore: false, signal: new AbortController().signal }),
      ),
    )
    same([await visitors, await agents], ['done', 'done'], 'the transitions')
    await bench.visitor.engine.undo(to)
    same(JSON.stringify(to), before, 'the argument')
  }),
  law('same-again', 'a transition to what is on already changes nothing', [], async (bench) => {
    const state: Directions = { [bench.medium(0)]: 'tx rx' }
    await bench.both(state)
    const before = [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections]
    await bench.both(state)
    same(
      [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections],
      before,
      'data, devices and connections',
    )
  }),
  law('many-changes', 'forty changes leave no more than the last state needs', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    const timers = bench.clock.pending
    for (let i = 0; i < 20; i++) {
      await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: i % 2 === 0 ? 'tx' : 'rx' })
      await bench.both({ [bench.medium(0)]: 'tx rx' })
    }
    check(
      bench.visitor.inUse <= 1 && bench.visitor.connections <= 1,
      `${bench.visitor.inUse} devices and ${bench.visitor.connections} connections are in use`,
    )
    same(bench.clock.pending, timers, 'timers')
  }),
  law('hang-up-alone', 'the last medium can be turned off without the other side', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    bench.hold()
    same(await outcome(bench.visitor.transit({})), 'done', 'the hang-up')
  }),
  law(
    'hang-up-gives-back',
    'the last medium off gives back every device, connection and timer',
    [],
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx rx' })
      await bench.both({})
      await bench.nothingLeft('after the hang-up')
    },
  ),
  law('calls-again', 'after a hang-up media can be on again', [], async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    await bench.both({})
    await bench.both({ [bench.medium(1)]: 'rx' })
  }),
  law(
    'quiet-call',
    'an ordinary call reports nothing, also when one side hangs up three seconds before the other',
    [],
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx rx' })
      await bench.agent.transit({})
      await settled()
      await bench.clock.advance(3_000)
      await bench.visitor.transit({})
      await bench.clock.advance(600_000)
      same([bench.visitor.events, bench.agent.events], [[], []], 'reports')
    },
  ),
  law(
    'nobody-there',
    'where the other side never answers, a transition fails with engine_failed within a minute',
    ['connections'],
    async (bench) => {
      bench.hold()
      const alone = outcome(bench.visitor.transit({ [bench.medium(0)]: 'rx' }))
      for (let second = 0; second < 60; second += 5) await bench.clock.advance(5_000)
      same(await alone, 'engine_failed', 'the transition')
      await bench.visitor.undo({})
      bench.lose()
      await bench.nothingLeft('after the undo')
    },
  ),
  law(
    'reports-loss',
    'a connection that is gone for good is reported as broken once, and everything is given back',
    ['connections'],
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx rx' })
      await bench.agent.stop()
      await eventually(
        'the connection is not given back',
        () => bench.visitor.connections === 0 || bench.clock.pending > 0,
      )
      for (let second = 0; second < 60 && bench.visitor.events.length === 0; second += 5)
        await bench.clock.advance(5_000)
      await bench.clock.advance(600_000)
      same(
        bench.visitor.events.map((event) =>
          event.type === 'broke' ? [event.type, event.error.code] : event,
        ),
        [['broke', 'engine_failed']],
        'reports',
      )
      same(bench.visitor.engine.data(), {}, 'data')
      await bench.nothingLeft('after the loss')
    },
  ),
]
