import { createActor, createMachine, sendTo } from 'xstate'
import { describe, expect, it } from 'vitest'
import type { EngineCommand } from '../../../machines/index.ts'
import { ContactError } from '../../../protocol/index.ts'
import type { MediaState } from '../../../protocol/index.ts'
import type { EngineHost } from '../../../sdk/index.ts'
import { engineDriver } from '../../../sdk/media/engine-driver.ts'
import type { DriverEnd } from '../../../sdk/media/engine-driver.ts'
import { EngineRegistry } from '../../../sdk/media/engine-registry.ts'
import { FakeEngine, TestClock, settled } from '../../../testing/index.ts'
import { START } from '../../support/contacts.ts'

const VOICE = { engine: 'Phone', via: 'net', tx: true, rx: true }
const VIDEO = { engine: 'Lens', via: 'net', tx: true, rx: true }
const CALL: MediaState = { ...START, Voice: VOICE }
const BOTH: MediaState = { ...CALL, Video: VIDEO }

interface Command {
  readonly type: 'command'
  readonly command: EngineCommand
}

/** The driver alone, with an engine for voice and one for video; `replies` are what it tells the machine. */
async function driving(carried: MediaState) {
  const clock = new TestClock()
  const registry = new EngineRegistry(() => ({ clock }) as unknown as EngineHost)
  const lens = new FakeEngine({ id: 'Lens', media: ['Video'] })
  const others = [
    new FakeEngine({ id: 'Native', media: ['Sharing', 'Chat'] }),
    new FakeEngine({ id: 'Phone', media: ['Voice'] }),
  ]
  for (const engine of [...others, lens]) await registry.add(engine)
  const ends: DriverEnd[] = []
  const driver = engineDriver(registry, clock, (end) => {
    ends.push(end)
    return () => {}
  })
  const replies: { readonly type: string }[] = []
  const machine = createMachine({
    invoke: { src: driver, id: 'engines', input: carried },
    on: {
      command: { actions: sendTo('engines', ({ event }) => (event as unknown as Command).command) },
      '*': { actions: ({ event }) => void replies.push(event) },
    },
  })
  const actor = createActor(machine).start()
  const send = (command: EngineCommand): void => actor.send({ type: 'command', command } satisfies Command)
  const breaks = (engine: string): void =>
    ends.forEach((end) =>
      end.heard(engine, {
        type: 'broke',
        error: new ContactError('engine_failed', 'unable to go on; the network is gone'),
      }),
    )
  const givesBack = (to: MediaState): void => ends.forEach((end) => void end.giveBack([lens], to))
  return { clock, lens, replies, send, breaks, givesBack, stop: () => actor.stop() }
}

it('ENG-21 MED-24 what was under way when an engine broke is told no more, and does not count as carried', async () => {
  const { lens, replies, send, breaks, stop } = await driving(CALL)
  lens.script('transit', 'freeze')
  send({ type: 'engine.work', ref: 7, from: CALL, to: BOTH, wasOffered: true, restore: false })
  await settled()
  breaks('Phone')
  lens.thaw('succeed')
  await settled()
  breaks('Phone')
  expect(replies).toMatchObject([
    { type: 'engine.broke', media: START },
    { type: 'engine.broke', media: START },
  ])
  stop()
})

it('SND-205 NEG-4 an undo waits until the work that it cancels has settled', async () => {
  const { lens, replies, send, stop } = await driving(CALL)
  lens.script('transit', 'freeze')
  send({ type: 'engine.work', ref: 7, from: CALL, to: BOTH, wasOffered: true, restore: false })
  await settled()
  send({ type: 'engine.undo', to: CALL })
  await settled()
  expect([lens.calls, replies]).toEqual([['transit'], []])
  lens.thaw('engine_failed')
  await settled()
  expect([lens.calls, lens.overlaps, replies]).toEqual([
    ['transit', 'undo'],
    0,
    [expect.objectContaining({ type: 'engine.undone', media: CALL })],
  ])
  stop()
})

describe('what an engine gives back outside of any transition', () => {
  it('SND-25 NEG-4 comes before the work of the next one', async () => {
    const { lens, replies, send, givesBack, stop } = await driving(CALL)
    lens.script('undo', 'freeze')
    givesBack(CALL)
    send({ type: 'engine.work', ref: 7, from: CALL, to: BOTH, wasOffered: true, restore: false })
    await settled()
    expect([lens.calls, replies]).toEqual([['undo'], []])
    lens.thaw()
    await settled()
    expect([lens.calls, lens.overlaps, replies]).toEqual([
      ['undo', 'transit'],
      0,
      [{ type: 'engine.worked', ref: 7 }],
    ])
    stop()
  })

  it.each(['hang', 'freeze', 'engine_failed'] as const)(
    'SND-25 MED-25 destroys an engine that cannot (%s), and what waits for it fails',
    async (behaviour) => {
      const { clock, lens, replies, send, givesBack, stop } = await driving(CALL)
      lens.script('undo', behaviour)
      givesBack(CALL)
      send({ type: 'engine.work', ref: 7, from: CALL, to: BOTH, wasOffered: true, restore: false })
      await clock.advance(5_000)
      expect([lens.calls, lens.overlaps, replies]).toEqual([
        ['undo', 'stop'],
        0,
        [expect.objectContaining({ type: 'engine.broke', media: CALL })],
      ])
      expect(clock.pending).toBe(0)
      stop()
    },
  )

  it('SND-25 NEG-4 is settled before an undo begins, which destroys an engine that hangs in it', async () => {
    const { clock, lens, replies, send, givesBack, stop } = await driving(BOTH)
    lens.script('undo', 'hang')
    givesBack(BOTH)
    send({ type: 'engine.undo', to: BOTH })
    await clock.advance(4_999)
    expect([lens.calls, replies]).toEqual([['undo'], []])
    await clock.advance(1)
    expect([lens.calls, lens.overlaps, replies]).toEqual([
      ['undo', 'stop'],
      0,
      [expect.objectContaining({ type: 'engine.broke', media: CALL })],
    ])
    stop()
  })
})
