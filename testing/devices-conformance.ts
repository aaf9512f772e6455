import { law } from './law.ts'
import type { EngineLaw } from './law.ts'
import { check, eventually, outcome, same } from './suite-bench.ts'
import type { Bench } from './suite-bench.ts'
import { settled } from './test-clock.ts'

const DEVICES = ['devices'] as const
const isMediaCode = (code: string): boolean => code.startsWith('media_')

/** Both sides have agreed to transmit, and the log decides. */
async function agreed(bench: Bench): Promise<void> {
  await Promise.all(
    [bench.visitor, bench.agent].map((side) => side.prepare({ [bench.medium(0)]: 'tx' }, true)),
  )
  await settled()
}

/** What an engine does with microphones, cameras and screens. */
export const DEVICE_LAWS: readonly EngineLaw[] = [
  law('receiving-asks-nobody', 'who only receives is asked for nothing', DEVICES, async (bench) => {
    await bench.both({ [bench.medium(0)]: 'rx', [bench.medium(1)]: 'rx' })
    same([bench.visitor.devices.questions(), bench.visitor.inUse], [0, 0], 'questions and devices')
  }),
  law(
    'transmitting-captures',
    'a device is in use for each medium that is transmitted, on the side that transmits',
    DEVICES,
    async (bench) => {
      await bench.both(
        bench.medium(0) === bench.medium(1)
          ? { [bench.medium(0)]: 'tx' }
          : { [bench.medium(0)]: 'tx', [bench.medium(1)]: 'rx' },
      )
      same(
        [bench.visitor.inUse, bench.agent.inUse],
        [1, bench.medium(0) === bench.medium(1) ? 0 : 1],
        'devices',
      )
    },
  ),
  law('asks-once', 'what is captured already is not asked for again', DEVICES, async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx' })
    const before = bench.visitor.devices.questions()
    await bench.both({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' })
    same(
      bench.visitor.devices.questions() - before,
      bench.medium(0) === bench.medium(1) ? 0 : 1,
      'new questions',
    )
  }),
  law(
    'off-gives-back',
    'a medium turned off gives back its device and leaves the others',
    DEVICES,
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx', [bench.medium(1)]: 'tx' })
      const before = bench.visitor.devices.questions()
      await bench.both({ [bench.medium(1)]: 'tx' })
      same([bench.visitor.inUse, bench.visitor.devices.questions()], [1, before], 'devices and questions')
    },
  ),
  law(
    'not-sent-not-captured',
    'a medium that is only received any more gives back its device',
    DEVICES,
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx rx' })
      await bench.both({ [bench.medium(0)]: 'rx' })
      same(bench.visitor.inUse, 0, 'devices')
    },
  ),
  law(
    'refusal-code',
    'a refused device fails the transition with a code of media',
    DEVICES,
    async (bench) => {
      bench.visitor.devices.refuse()
      const code = await outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx' }))
      check(isMediaCode(code), `the transition ended with ${code}`)
    },
  ),
  law('refusal-leaves-nothing', 'after a refusal and an undo nothing is in use', DEVICES, async (bench) => {
    bench.visitor.devices.refuse()
    await outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx' }))
    await bench.visitor.undo({})
    await bench.nothingLeft('after the undo')
  }),
  law('refusal-keeps-the-call', 'after a refusal and an undo, what was on is on', DEVICES, async (bench) => {
    await bench.both({ [bench.medium(0)]: 'tx rx' })
    const before = [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections]
    if (bench.medium(0) === bench.medium(1)) return
    bench.visitor.devices.refuse()
    await outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx rx', [bench.medium(1)]: 'tx' }))
    same(await outcome(bench.visitor.undo()), 'done', 'the undo')
    same(
      [bench.visitor.shown, bench.visitor.inUse, bench.visitor.connections],
      before,
      'data, devices and connections',
    )
  }),
  law('next-try', 'after a refusal the next try may succeed', DEVICES, async (bench) => {
    bench.visitor.devices.refuse()
    await outcome(bench.visitor.transit({ [bench.medium(0)]: 'tx' }))
    await bench.visitor.undo({})
    await bench.both({ [bench.medium(0)]: 'tx' })
  }),
  law(
    'end-is-reported',
    'a device that goes away is reported once, and the rest goes on',
    DEVICES,
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx', [bench.medium(1)]: 'tx' })
      bench.visitor.devices.end(bench.medium(0))
      await eventually('it is not reported', () => bench.visitor.events.length > 0)
      await settled()
      same(bench.visitor.events, [{ type: 'capture_ended', medium: bench.medium(0) }], 'reports')
      same(bench.visitor.inUse, bench.medium(0) === bench.medium(1) ? 0 : 1, 'devices')
    },
  ),
  law(
    'end-is-not-asked-again',
    'a device that went away is not asked for again while its medium stays on',
    DEVICES,
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx' })
      bench.visitor.devices.end(bench.medium(0))
      await eventually('it is not reported', () => bench.visitor.events.length > 0)
      const before = bench.visitor.devices.questions()
      await bench.both({ [bench.medium(0)]: 'tx rx' })
      same(bench.visitor.devices.questions(), before, 'questions')
    },
  ),
  law(
    'end-then-again',
    'a device that went away can be asked for when its medium was off',
    DEVICES,
    async (bench) => {
      await bench.both({ [bench.medium(0)]: 'tx' })
      bench.visitor.devices.end(bench.medium(0))
      await eventually('it is not reported', () => bench.visitor.events.length > 0)
      await bench.both({})
      await bench.both({ [bench.medium(0)]: 'tx' })
      same(bench.visitor.inUse, 1, 'devices')
    },
  ),
  law('prepare-asks-now', 'prepare asks before it returns', DEVICES, async (bench) => {
    const prepared = outcome(bench.visitor.prepare({ [bench.medium(0)]: 'tx' }))
    same(bench.visitor.devices.questions(), 1, 'questions')
    same(await prepared, 'done', 'prepare')
  }),
  law('prepare-is-local', 'prepare shows and signals nothing', DEVICES, async (bench) => {
    await bench.visitor.prepare({ [bench.medium(0)]: 'tx' })
    await settled()
    same([bench.visitor.engine.data(), bench.visitor.sent], [{}, []], 'data and signals')
  }),
  law('prepared-is-used', 'what was prepared is used, without a further question', DEVICES, async (bench) => {
    await bench.visitor.prepare({ [bench.medium(0)]: 'tx' })
    await bench.both({ [bench.medium(0)]: 'tx' })
    same([bench.visitor.devices.questions(), bench.visitor.inUse], [1, 1], 'questions and devices')
  }),
  law(
    'prepared-is-given-back',
    'undo gives back what was prepared and is not used',
    DEVICES,
    async (bench) => {
      await bench.visitor.prepare({ [bench.medium(0)]: 'tx' })
      await bench.visitor.undo({})
      await bench.nothingLeft('after the undo')
    },
  ),
  law(
    'agreed-waits',
    'before the transition nothing is shown of what both sides have agreed to',
    DEVICES,
    async (bench) => {
      await agreed(bench)
      same([bench.visitor.engine.data(), bench.agent.engine.data()], [{}, {}], 'data')
      await bench.both({ [bench.medium(0)]: 'tx rx' })
      same([bench.visitor.inUse, bench.agent.inUse], [1, 1], 'devices')
    },
  ),
  law(
    'agreed-is-given-back',
    'undo gives back what an agreement has begun, here and on the other side',
    DEVICES,
    async (bench) => {
      await agreed(bench)
      await Promise.all([bench.visitor.undo({}), bench.agent.undo({})])
      await bench.nothingLeft('after the undo')
    },
  ),
  law(
    'prepare-receives-nothing',
    'prepare asks nothing for what is only received',
    DEVICES,
    async (bench) => {
      await bench.visitor.prepare({ [bench.medium(0)]: 'rx' })
      same([bench.visitor.devices.questions(), bench.visitor.inUse], [0, 0], 'questions and devices')
    },
  ),
  law(
    'prepare-refused',
    'a refused prepare fails with a code of media, and holds nothing',
    DEVICES,
    async (bench) => {
      bench.visitor.devices.refuse()
      const code = await outcome(bench.visitor.prepare({ [bench.medium(0)]: 'tx' }))
      check(isMediaCode(code), `prepare ended with ${code}`)
      same(bench.visitor.inUse, 0, 'devices')
    },
  ),
  law(
    'undo-ends-prepare',
    'undo ends a prepare that waits for the user with left, and stops what comes late',
    DEVICES,
    async (bench) => {
      bench.visitor.devices.hold()
      const prepared = outcome(bench.visitor.prepare({ [bench.medium(0)]: 'tx' }))
      same([await outcome(bench.visitor.undo({})), await prepared], ['done', 'left'], 'undo and prepare')
      bench.visitor.devices.answer()
      await bench.nothingLeft('after the late answer')
    },
  ),
  law(
    'undo-keeps-later-prepare',
    'what is prepared after an undo began stays in use',
    DEVICES,
    async (bench) => {
      const [first, second] = [bench.medium(0), bench.medium(1)]
      if (first === second) return
      await bench.both({ [first]: 'tx rx' })
      const undone = outcome(bench.visitor.undo())
      const prepared = outcome(bench.visitor.prepare({ [second]: 'tx' }))
      same([await undone, await prepared, bench.visitor.inUse], ['done', 'done', 2], 'undo, prepare, devices')
    },
  ),
  law('muted-at-first', 'what is muted before it is on starts silent', ['muting'], async (bench) => {
    bench.visitor.muting.mute()
    await bench.both({ [bench.visitor.muting.medium]: 'tx' })
    check(bench.visitor.muting.isSilent(), 'it is heard')
  }),
  law(
    'controls-in-force',
    'what an earlier page had muted is silent from the first moment, and controls tell it',
    ['muting'],
    async (bench) => {
      const { engine, muting } = bench.visitor
      if (!engine.controls || !engine.setControls) return
      engine.setControls({ muted: [muting.medium], held: false })
      same(engine.controls(), { muted: [muting.medium], held: false }, 'controls')
      await bench.both({ [muting.medium]: 'tx' })
      check(muting.isSilent(), 'it is heard')
    },
  ),
  law('muted-stays', 'what is muted stays silent over off and on', ['muting'], async (bench) => {
    const { muting } = bench.visitor
    await bench.both({ [muting.medium]: 'tx' })
    muting.mute()
    check(muting.isSilent(), 'muting does nothing')
    await bench.both({})
    await bench.both({ [muting.medium]: 'tx rx' })
    check(muting.isSilent(), 'it is heard again')
  }),
  law(
    'muted-exchange',
    'what is muted stays silent with another device',
    ['devices', 'muting', 'exchange'],
    async (bench) => {
      const { muting, devices } = bench.visitor
      await bench.both({ [muting.medium]: 'tx' })
      muting.mute()
      const asked = devices.questions()
      await bench.visitor.exchange()
      same([devices.questions() - asked, bench.visitor.inUse], [1, 1], 'questions and devices')
      check(muting.isSilent(), 'the other device is heard')
    },
  ),
  law('unmute', 'what is unmuted is heard, now and later', ['muting'], async (bench) => {
    const { muting } = bench.visitor
    muting.mute()
    await bench.both({ [muting.medium]: 'tx' })
    muting.unmute()
    check(!muting.isSilent(), 'it is still silent')
    await bench.both({})
    await bench.both({ [muting.medium]: 'tx' })
    check(!muting.isSilent(), 'it is silent again')
  }),
]
