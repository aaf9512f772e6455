import { describe, expect, it } from 'vitest'
import type { MediaSnapshot } from '../../machines/index.ts'
import { CHAT_ONLY, TALK, way } from '../support/chart.ts'
import { CALL } from '../support/chart-words.ts'
import { START, on } from '../support/contacts.ts'

describe('transiting', () => {
  it('MED-6 NEG-12 CE-1 works, is ready, and moves only when both are ready', () => {
    const chart = way('transiting.working')
    expect(chart.engines).toEqual([
      {
        type: 'engine.work',
        ref: chart.ref,
        from: START,
        to: { ...START, Voice: CALL },
        wasOffered: true,
        restore: false,
      },
    ])
    const { ref } = chart
    chart.send({ type: 'engine.worked', ref })
    expect(chart.written).toEqual([{ id: 'v.3', type: 'ready', body: { ref } }])
    chart.readBack()
    expect([chart.state, chart.context.shared.media]).toEqual(['transiting.awaiting', START])
    chart.read('agent', 'ready', { ref })
    expect([chart.state, chart.context.shared.media, chart.told]).toEqual([
      'idle',
      { ...START, Voice: CALL },
      [{ type: 'media.changed', from: START, to: { ...START, Voice: CALL } }],
    ])
  })

  it('MED-26 NEG-12 CE-3 its own limit while it waits is told, and it stays at the target', () => {
    const chart = way('transiting.awaiting')
    const { ref } = chart
    chart.readBack().send({ type: 'xstate.after.transitionLimit.media.transiting.awaiting' })
    expect([chart.state, chart.engines, chart.written]).toEqual([
      'transiting.awaiting',
      [],
      [{ id: 'v.4', type: 'failed', body: { ref, code: 'timeout' } }],
    ])
    chart.read('agent', 'ready', { ref })
    expect([chart.state, chart.context.shared.media, chart.engines]).toEqual([
      'idle',
      { ...START, Voice: CALL },
      [],
    ])
  })

  it('MED-26 its own limit while it works is told, the work cancelled, and the end awaited', () => {
    const chart = way('transiting.working').send({
      type: 'xstate.after.transitionLimit.media.transiting.working',
    })
    expect([chart.state, chart.engines, chart.written.map(({ body }) => body)]).toEqual([
      'transiting.undoing',
      [{ type: 'engine.undo', to: START }],
      [{ ref: chart.ref, code: 'timeout' }],
    ])
    const [entry] = chart.written
    chart.send({ type: 'engine.undone', media: START })
    expect(chart.state).toBe('transiting.failing')
    expect(chart.read('visitor', 'failed', entry?.body as never, entry?.id).state).toBe('idle')
  })

  it('NEG-5 NEG-12 CE-16 a failure of the other side after ready brings it back', () => {
    const chart = way('transiting.awaiting')
    const { ref } = chart
    chart.readBack().read('agent', 'failed', { ref, code: 'media_denied' })
    expect([chart.state, chart.engines, chart.context.shared.phase]).toEqual([
      'transiting.undoing',
      [{ type: 'engine.undo', to: START }],
      { name: 'idle' },
    ])
    expect(chart.send({ type: 'engine.undone', media: START }).state).toBe('idle')
  })

  it('NEG-8 NEG-12 CE-13 an offer that comes while engines go back is asked about afterwards', () => {
    const chart = way('transiting.awaiting')
    const { ref } = chart
    chart
      .readBack()
      .read('agent', 'failed', { ref, code: 'media_denied' })
      .read('agent', 'offer', { offer: TALK, restore: false })
    expect([chart.state, chart.told]).toEqual(['transiting.undoing', []])
    chart.send({ type: 'engine.undone', media: START })
    expect([chart.state, chart.told.map(({ type }) => type)]).toEqual(['offered', ['media.asked']])
  })

  it.each(['idle', 'offered'])(
    'MED-22 MED-23 NEG-7 what the log wants of it without its consent is refused in %s',
    (state) => {
      const chart = way(state)
      const phase = {
        name: 'transiting',
        ref: 50,
        by: 'agent',
        target: { ...START, Voice: on(true, false) },
        answer: null,
        restore: false,
        ready: [],
      } as const
      chart.send({ type: 'log.transiting', id: 'forged', ref: 50, shared: { ...chart.shared, phase } })
      expect([chart.state, chart.engines, chart.written.map(({ body }) => body), chart.told]).toEqual([
        'transiting.failing',
        [],
        [{ ref: 50, code: 'tampered' }],
        [{ type: 'consent.missing', ref: 50 }],
      ])
    },
  )

  it.each([10_000, 300_000])(
    'SND-205 MED-12 the application may think 5 s longer about an offer than it stands: of %i ms',
    (lifetime) => {
      const chart = way('idle').read('agent', 'offer', { offer: TALK, restore: false, lifetime })
      expect(chart.limits).toEqual({ 'xstate.after.answerLimit.media.offered': lifetime + 5_000 })
    },
  )

  it('MED-12 expires an offer that the application does not answer', () => {
    const chart = way('offered').send({ type: 'xstate.after.answerLimit.media.offered' })
    expect([chart.state, chart.written]).toEqual([
      'transiting.answered',
      [{ id: 'v.2', type: 'reject', body: { ref: chart.ref, reason: 'expired' } }],
    ])
  })
})

describe('an entry is refused', () => {
  it('NEG-15 while the engines go back: nobody knows what they carry, and they go back again', () => {
    const chart = way('transiting.undoing').send({
      type: 'log.refused',
      id: 'v.9',
      code: 'invalid_state',
      reason: 'no',
    })
    expect([chart.state, chart.context.engines]).toEqual(['init.reannouncing', null])
    chart.readBack()
    expect([chart.state, chart.engines]).toEqual([
      'transiting.undoing',
      [{ type: 'engine.undo', to: chart.shared.media }],
    ])
  })
})

describe('the snapshot', () => {
  const states = [
    'init.announcing',
    'idle',
    'offering.preparing',
    'offering.awaitingAnswer',
    'offered',
    'transiting.working',
    'transiting.failing',
    'init.closed',
  ]

  it.each(states)('MED-1 of %s is plain JSON, and its top-level key the public state', (state) => {
    const { value, context } = way(state).snapshot
    expect(JSON.parse(JSON.stringify(context))).toEqual(context)
    expect(['init', 'idle', 'offered', 'offering', 'transiting']).toContain(
      typeof value === 'string' ? value : Object.keys(value)[0],
    )
  })

  it('MED-4 says by can() whether an offer is possible', () => {
    const offer = { type: 'media.offer', id: 'x', offer: CHAT_ONLY, restore: false } as const
    const possible = states.filter((state) => {
      const { snapshot, context } = way(state)
      const after: MediaSnapshot = way(state).send(offer).snapshot
      return snapshot.can(offer) && after.context.own?.id === 'x' && context.own === null
    })
    expect(possible).toEqual(['idle'])
  })
})
