import { describe, expect, it } from 'vitest'
import type { Slot } from 'duolog'
import { NativeEngine } from 'duolog/engines'
import { FakeEngine, createTestContact, settled } from 'duolog/testing'
import { listedMachines } from '../../scripts/machine-pages.mjs'
import { CHARTS, ancestry } from '../../apps/inspector/src/charts.ts'
import { recorder } from '../../apps/inspector/src/recorder.ts'
import { fromFile, isStep, toFile } from '../../apps/inspector/src/recording.ts'
import type { Step } from '../../apps/inspector/src/recording.ts'
import { until } from '../support/node-media.ts'
import {
  carriedMedia,
  contactsOf,
  declaredMedia,
  deepest,
  eventText,
  momentOf,
  stepsOf,
} from '../../apps/inspector/src/timeline.ts'

/** Machines of which there is one for each thing that a contact is asked for later. */
const STARTED_WHEN_NEEDED: ReadonlySet<string> = new Set(['channel', 'encryption', 'request', 'upload'])

/** A contact in which voice was offered and accepted, and the visitor's page loaded anew. */
async function recorded() {
  const steps: Step[] = []
  const { visitor, agent, reload } = await createTestContact({
    contact: { nick: 'Robin' },
    inspect: (slot) => recorder(slot, (step) => steps.push(step)),
  })
  agent.on('mediaoffer', ({ callback }) =>
    callback(null, { Chat: { tx: true, rx: true }, Voice: { tx: true, rx: true } }),
  )
  await visitor.sendText('my secret')
  await visitor.offerMedia({ ...(await visitor.getMediaOffer()), Voice: { tx: 'required', rx: 'required' } })
  await settled()
  return { steps, id: visitor.id, reload }
}

const media = (steps: readonly Step[], slot: Slot, count: number, id: string): string =>
  deepest(momentOf(steps, count, id).machines[slot].get('media')?.last.active ?? [])

describe('the inspector', () => {
  it('OPS-8 records every machine of both parties as plain data, and not what anybody wrote', async () => {
    const { steps, id } = await recorded()
    const NAMES = [
      'entry log',
      ...[...CHARTS.keys()].filter((name) => !STARTED_WHEN_NEEDED.has(name)).map((name) => `machine ${name}`),
      'order engines',
      'order outbox',
    ].toSorted()
    for (const slot of ['visitor', 'agent'])
      expect(
        [
          ...new Set(steps.flatMap((step) => (step.slot === slot ? `${step.kind} ${step.name}` : []))),
        ].toSorted(),
      ).toEqual(NAMES)
    expect([contactsOf(steps), stepsOf(steps, id).length]).toEqual([[id], steps.length])
    expect(JSON.stringify(steps)).not.toContain('my secret')
    expect(fromFile(toFile(steps))).toEqual(steps)
  })

  it('OPS-8 tells what was so at every moment', async () => {
    const { steps, id, reload } = await recorded()
    const offered = steps.findIndex(({ slot, active }) => slot === 'agent' && active.includes('offered')) + 1
    expect([
      media(steps, 'visitor', offered, id),
      media(steps, 'agent', offered, id),
      media(steps, 'agent', steps.length, id),
    ]).toEqual(['offering.awaitingAnswer', 'offered', 'idle'])
    const { machines, log } = momentOf(steps, steps.length, id)
    const types = ['present', 'assigned', 'present', 'joined', 'text', 'offer', 'answer', 'ready', 'ready']
    expect(log.map(({ seq, type, readBy }) => [seq, type, readBy])).toEqual(
      types.map((type, index) => [index + 1, type, ['visitor', 'agent']]),
    )
    const { context = null } = machines.visitor.get('media')?.last ?? {}
    expect([declaredMedia(context)?.['Voice'], carriedMedia(context)]).toEqual([
      expect.objectContaining({ tx: true, rx: true }),
      declaredMedia(context),
    ])
    await reload('visitor')
    const page = momentOf(steps, steps.length, id).machines.visitor.get('media')?.last.page
    expect(page).not.toBe(machines.visitor.get('media')?.last.page)
  })

  it('OPS-8 ENG-9 tells what is seen to flow beside what is declared, and only when that changes', async () => {
    const steps: Step[] = []
    const engines: FakeEngine[] = []
    const { visitor, agent } = await createTestContact({
      inspect: (slot) => recorder(slot, (step) => steps.push(step)),
      engines: () => [
        new NativeEngine(),
        (engines[engines.length] = new FakeEngine({ id: 'WebRTC', media: ['Voice'] })),
      ],
    })
    agent.on('mediaoffer', ({ callback }) =>
      callback(null, { Chat: { tx: true, rx: true }, Voice: { tx: true, rx: true } }),
    )
    await visitor.offerMedia({
      ...(await visitor.getMediaOffer()),
      Voice: { tx: 'required', rx: 'required' },
    })
    const see = (isFlowing: boolean): void => {
      for (const engine of engines)
        engine.host?.observed({
          media: { Voice: { rx: { isFlowing, bitRate: 1 }, tx: { isFlowing: true, bitRate: 1 } } },
          score: 4,
        })
    }
    for (const isFlowing of [true, true, false]) see(isFlowing)
    await until('it is recorded', () => steps.filter(({ kind }) => kind === 'observed').length === 4)
    await settled()
    const { observed } = momentOf(steps, steps.length, visitor.id)
    expect(observed).toEqual({
      visitor: { Voice: { tx: true, rx: false } },
      agent: { Voice: { tx: true, rx: false } },
    })
    expect(steps.every(isStep)).toBe(true)
  })

  it('OPS-8 refuses a file that is no recording', () => {
    expect(() => fromFile('')).toThrow('JSON')
    for (const text of ['{}', '[]', 'null']) expect(() => fromFile(text)).toThrow('this is no recording')
    expect(() => fromFile('{"format":"duolog-recording","version":2,"steps":[]}')).toThrow('another version')
    expect(() => fromFile('{"format":"duolog-recording","version":1,"steps":[{}]}')).toThrow('damaged')
    expect([isStep(null), isStep([]), isStep({ page: 'a' })]).toEqual([false, false, false])
  })

  it('SND-301 refuses a step that says nothing that can be shown, from a file and from other pages', () => {
    const step = (kind: string, data: unknown, rest: object = {}): object => ({
      ...{ page: 'p', number: 1, slot: 'visitor', at: 1, contact: 'c', kind, name: 'x', context: null },
      ...{ event: { type: 'x', sizeBytes: 1, data }, active: [], taken: [], isIgnored: false, ...rest },
    })
    const entry = {
      seq: 1,
      entry: 'text',
      slot: 'agent',
      fact: 'message',
      void: null,
      sizeBytes: 2,
      body: null,
    }
    const observed = { engine: 'WebRTC', media: { Voice: { tx: true } } }
    const sound = [
      step('entry', entry),
      step('observed', observed),
      step('machine', null),
      step('order', null),
    ]
    expect(sound.map(isStep)).toEqual([true, true, true, true])
    const moment = momentOf(sound as Step[], sound.length, 'c')
    expect([moment.log.length, moment.observed.visitor, (sound as Step[]).map(eventText)]).toEqual([
      1,
      observed.media,
      ['1 text', 'x', 'x', 'x'],
    ])
    const damaged = [
      ...[null, 'x', [], {}, { ...entry, seq: '1' }, { ...entry, void: 1 }].map((data) =>
        step('entry', data),
      ),
      ...[null, {}, { ...observed, media: null }, { ...observed, media: { Voice: null } }].map((data) =>
        step('observed', data),
      ),
      step('toString', entry),
    ]
    expect(damaged.filter(isStep)).toEqual([])
  })

  it('OPS-8 draws every state of the machines', () => {
    const listed = listedMachines().flatMap(({ id, file }) => (file.startsWith('machines/') ? [id] : []))
    expect([...CHARTS.keys()].toSorted()).toEqual(listed.toSorted())
    const chart = CHARTS.get('media')
    expect(chart && ancestry(chart, 'transiting.working').map(({ path }) => path)).toEqual([
      'transiting.working',
      'transiting',
      '',
    ])
  })
})
