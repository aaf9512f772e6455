import { describe, expect, it } from 'vitest'
import type { MediaEmitted } from '../../machines/index.ts'
import { BODY_CALL, CAPABILITIES, TALK, way } from '../support/chart.ts'
import type { Chart } from '../support/chart.ts'
import { NATIVE, START, on } from '../support/contacts.ts'

const CALL = { ...START, Voice: on(true, true) }
const RESTORE = { type: 'call.interrupted', media: CALL, within: 50_000 } as const
const told = (chart: Chart, type: MediaEmitted['type']): MediaEmitted[] =>
  chart.told.filter((one) => one.type === type)
/** The machine has acquired its devices, and written its offer. */
const restoring = (): Chart => way('idle').send(RESTORE).send({ type: 'engine.prepared' })
const agentGone = (chart: Chart): Chart =>
  chart.readEntry({
    id: 'gone',
    time: 0,
    type: 'left',
    slot: 'service',
    body: { slot: 'agent', session: 'a', channels: { total: 0 } },
  } as never)
const agentBack = (chart: Chart): Chart =>
  chart.read('agent', 'present', {
    capabilities: CAPABILITIES,
    media: { Sharing: 'Native', Chat: 'Native' },
    after: null,
  })

describe('a call that a page load has cut', () => {
  it('MED-29 SND-16 is offered as soon as nothing else is in progress, under an id of the machine', () => {
    const chart = way('idle').send(RESTORE)
    expect([chart.state, chart.limits['call.late'], told(chart, 'call.restoring')]).toEqual([
      'offering.preparing',
      50_000,
      [{ type: 'call.restoring', media: CALL }],
    ])
    chart.send({ type: 'engine.prepared' })
    expect(chart.written).toMatchObject([{ id: 'v.2', type: 'offer', body: { restore: true } }])
    const busy = way('transiting.failing').send(RESTORE)
    expect([busy.state, busy.context.interruptedMedia?.id]).toEqual(['transiting.failing', null])
  })

  it('MED-29 waits while the other party is away, and is not offered once it has ended', () => {
    const chart = agentGone(way('idle')).send(RESTORE)
    expect([chart.state, chart.context.interruptedMedia?.media]).toEqual(['idle', CALL])
    expect(agentBack(chart).state).toBe('offering.preparing')
    const ended = agentGone(way('idle')).send(RESTORE).send({ type: 'call.ended' })
    expect([ended.context.interruptedMedia, agentBack(ended).state]).toEqual([null, 'idle'])
  })

  it('MED-29 that comes too late is told as missing, with timeout', () => {
    const chart = agentGone(way('idle')).send(RESTORE).send({ type: 'call.late' })
    expect(told(agentBack(chart), 'call.restored')).toEqual([
      { type: 'call.restored', media: START, missing: { Voice: on(true, true) }, code: 'timeout' },
    ])
    expect([chart.state, chart.context.interruptedMedia]).toEqual(['idle', null])
  })

  it('MED-29 of which nothing comes back by itself is told at once', () => {
    const media = { ...START, Screen: on(true, false) }
    const chart = way('idle').send({ ...RESTORE, media })
    expect([chart.state, told(chart, 'call.restored')]).toEqual([
      'idle',
      [{ type: 'call.restored', media: START, missing: { Screen: on(true, false) } }],
    ])
  })

  it('MED-29 is offered again where the other side was faster, unless that is agreed to', () => {
    const late = way('idle').send(RESTORE).read('agent', 'offer', { offer: TALK, restore: false })
    late.send({ type: 'engine.prepared' }).send({ type: 'engine.undone', media: START })
    expect([late.state, late.context.interruptedMedia?.id]).toEqual(['offered', null])
    late.send({ type: 'media.reject', ref: late.ref, reason: 'no' }).readBack()
    expect([late.state, late.context.interruptedMedia?.id]).toEqual(['offering.preparing', 'v.4'])
    const agreed = way('idle').send(RESTORE).send({ type: 'call.ended' })
    agreed.read('agent', 'offer', { offer: TALK, restore: false })
    agreed.send({ type: 'engine.prepared' }).send({ type: 'engine.undone', media: START })
    expect([agreed.state, agreed.context.interruptedMedia]).toEqual(['offered', null])
  })

  it('MED-29 comes back without what failed, and tells what is missing', () => {
    const chart = way('idle').send(RESTORE)
    chart.send({ type: 'engine.unprepared', code: 'media_denied', reason: 'no' })
    chart.send({ type: 'engine.undone', media: START })
    expect([chart.state, chart.written]).toMatchObject([
      'offering.sent',
      [{ type: 'offer', body: { offer: { Voice: { tx: 'off', rx: 'required' } } } }],
    ])
    chart.readBack().read('agent', 'reject', { ref: chart.ref, reason: 'no' })
    expect([chart.state, told(chart, 'call.restored')]).toMatchObject([
      'idle',
      [{ missing: { Voice: on(true, true) }, code: 'rejected' }],
    ])
  })

  it('MED-29 that is back is told with what is missing, which is nothing', () => {
    const chart = restoring().readBack()
    chart.read('agent', 'answer', { ref: chart.ref, answer: BODY_CALL })
    chart.send({ type: 'engine.worked', ref: chart.ref })
    const { ref } = chart
    chart.send({ type: 'call.late' }).read('visitor', 'ready', { ref }).read('agent', 'ready', { ref })
    expect([chart.state, told(chart, 'call.restored')]).toEqual([
      'idle',
      [{ type: 'call.restored', media: CALL, missing: {} }],
    ])
  })
})

describe("the contact's first offer", () => {
  const due = { type: 'first.due', offer: TALK } as const

  it('SND-16 comes after an interrupted call', () => {
    const chart = agentGone(way('idle')).send(due).send(RESTORE)
    agentBack(chart)
    expect([chart.context.interruptedMedia?.id, chart.context.pendingOffer?.id]).toEqual(['v.2', null])
  })

  it('SND-16 is decided once, with why it came to nothing', () => {
    const chart = way('idle').send(due).send({ type: 'engine.prepared' }).readBack()
    chart.read('agent', 'reject', { ref: chart.ref, reason: 'busy' })
    chart.send({ type: 'engine.undone', media: { Sharing: NATIVE, Chat: NATIVE } })
    expect([chart.state, told(chart, 'offer.decided'), chart.context.pendingOffer]).toEqual([
      'idle',
      [{ type: 'offer.decided', code: 'rejected', reason: 'busy' }],
      null,
    ])
  })

  it('SND-16 that is not due any more is not made', () => {
    const chart = agentGone(way('idle'))
      .send(due)
      .send({ ...due, offer: null })
    expect(agentBack(chart).state).toBe('idle')
  })
})
