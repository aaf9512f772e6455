import { describe, expect, it } from 'vitest'
import { BODY_CALL, TALK, inCall, way } from '../support/chart.ts'
import { CALL, CHAT, VOICE, present, settledWith } from '../support/chart-words.ts'
import { NATIVE, OFF, START } from '../support/contacts.ts'

describe('offering', () => {
  it('ENG-15 MED-22 acquires devices before it offers, and only those that it does not have', () => {
    const chart = way('offering.preparing')
    expect([chart.engines, chart.written, chart.context.prepared]).toEqual([
      [{ type: 'engine.prepare', media: { Chat: NATIVE, Voice: CALL } }],
      [],
      [VOICE],
    ])
    chart.send({ type: 'engine.prepared' })
    expect([chart.state, chart.written]).toEqual([
      'offering.sent',
      [{ id: 'mine', type: 'offer', body: { offer: TALK, restore: false, lifetime: 60_000 } }],
    ])
    const more = inCall().send({ type: 'media.offer', id: 'again', offer: TALK, restore: false })
    expect([more.state, more.engines]).toEqual(['offering.sent', []])
  })

  it('MED-24 a device that is denied settles the offer once the engines are quiet', () => {
    const chart = way('offering.preparing').send({
      type: 'engine.unprepared',
      code: 'media_denied',
      reason: 'no',
    })
    expect([chart.state, chart.engines, settledWith(chart)]).toEqual([
      'transiting.undoing',
      [{ type: 'engine.undo', to: START }],
      [],
    ])
    chart.send({ type: 'engine.undone', media: START })
    expect([chart.state, settledWith(chart), chart.context.own, chart.context.consent]).toEqual([
      'idle',
      [{ ok: false, code: 'media_denied', reason: 'no' }],
      null,
      [CHAT],
    ])
  })

  it('MED-14 a withdrawal before the read-back is remembered, and written once when the offer stands', () => {
    const chart = way('offering.sent')
    const [offer] = chart.written
    if (!offer) throw new Error('no offer')
    chart.send({ type: 'media.withdraw' }).send({ type: 'media.withdraw' })
    expect([chart.state, chart.written]).toEqual(['offering.sent', []])
    chart.read('visitor', 'offer', offer.body as never, offer.id)
    expect([chart.state, chart.written]).toEqual([
      'offering.awaitingAnswer',
      [{ id: 'v.2', type: 'withdraw', body: { ref: chart.ref, reason: 'withdrawn' } }],
    ])
    expect(settledWith(chart.readBack())).toEqual([{ ok: false, code: 'withdrawn' }])
  })

  it.each([
    ['withdrawn', 'media.withdraw'],
    ['timeout', 'xstate.after.offerLifetime.media.offering'],
  ] as const)(
    'SND-201 MED-14 MED-11 an offer that is %s before it is read settles so, when it is read back void',
    (code, type) => {
      const chart = way('offering.sent')
      const [offer] = chart.written
      chart
        .send({ type } as never)
        .read('agent', 'offer', { offer: TALK, restore: false, lifetime: 60_000 }, 'theirs')
      chart.read('visitor', 'offer', offer?.body as never, offer?.id)
      expect([chart.fact, settledWith(chart), chart.context.own]).toEqual([
        { kind: 'void', reason: 'glare' },
        [{ ok: false, code }],
        null,
      ])
    },
  )

  it('MED-11 the end of its lifetime writes one withdrawal, with timeout', () => {
    const chart = way('offering.awaitingAnswer').send({ type: 'xstate.after.offerLifetime.media.offering' })
    expect(chart.written).toEqual([
      { id: 'v.2', type: 'withdraw', body: { ref: chart.ref, reason: 'timeout' } },
    ])
    expect(chart.send({ type: 'media.withdraw' }).written).toEqual([])
  })

  it('NEG-12 CE-5 CE-6 an answer or a rejection of another offer decides nothing', () => {
    const chart = way('offering.awaitingAnswer')
    const { ref } = chart
    chart
      .read('agent', 'answer', { ref: ref + 5, answer: BODY_CALL })
      .read('agent', 'reject', { ref: ref - 1, reason: 'no' })
    expect([chart.state, chart.ref, chart.fact]).toEqual([
      'offering.awaitingAnswer',
      ref,
      { kind: 'void', reason: 'over' },
    ])
  })

  it.each([
    ['refused', { ok: true, answer: { Chat: { tx: false, rx: false } } }],
    ['rejected', { ok: false, code: 'rejected', reason: 'busy' }],
    ['invalid_answer', { ok: false, code: 'invalid_answer' }],
  ])('MED-7 MED-8 MED-9 an offer that is %s settles so', (how, outcome) => {
    const chart = way('idle').send({
      type: 'media.offer',
      id: 'mine',
      offer: { Chat: { tx: 'required', rx: 'off', via: 'net', engine: 'Native' } },
      restore: false,
    })
    chart.readBack()
    const { ref } = chart
    if (how === 'rejected') chart.read('agent', 'reject', { ref, reason: 'busy' })
    else chart.read('agent', 'answer', { ref, answer: { Chat: how === 'refused' ? OFF : NATIVE } })
    expect([chart.state, settledWith(chart)]).toEqual(['idle', [outcome]])
  })

  it('MED-23 the consent to an open offer outlives that the other party comes with another page', () => {
    const chart = way('offering.preparing').send({ type: 'engine.prepared' }).readBack()
    chart.readEntry({
      id: 'x',
      time: 0,
      type: 'present',
      slot: 'agent',
      session: 'a2',
      counter: 1,
      from: { id: 'agent' },
      body: present('a'),
    } as never)
    expect([chart.state, chart.context.consent]).toEqual(['offering.awaitingAnswer', [CHAT, VOICE]])
    const { ref } = chart
    chart.readEntry({
      id: 'y',
      time: 0,
      type: 'answer',
      slot: 'agent',
      session: 'a2',
      counter: 2,
      from: { id: 'agent' },
      body: { ref, answer: BODY_CALL },
    } as never)
    expect([chart.state, chart.engines]).toEqual([
      'transiting.working',
      [expect.objectContaining({ type: 'engine.work', ref, wasOffered: false })],
    ])
  })
})
