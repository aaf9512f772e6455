import { describe, expect, it } from 'vitest'
import type { MediaSnapshot } from '../../machines/index.ts'
import { BODY_CALL, CAPABILITIES, CHAT_ONLY, Chart, TALK, inCall, way } from '../support/chart.ts'
import { NATIVE, OFF, START, on } from '../support/contacts.ts'

const CALL = on(true, true)
const VOICE = 'Voice net WebRTC'
const CHAT = 'Chat net Native'
const HOLDS = { Sharing: 'Native', Chat: 'Native' }
const present = (after: string | null, holds: Readonly<Record<string, string>> = HOLDS) => ({
  capabilities: CAPABILITIES,
  media: holds,
  after,
})
const settledWith = (chart: Chart): unknown[] =>
  chart.told.flatMap((one) => (one.type === 'offer.settled' ? [one.outcome] : []))

describe('an actor of the machine that fails', () => {
  it.each(['engines', 'log'])('SND-302 ends the part of the page: %s', (id) => {
    const chart = way('offering.sent')
    chart.send({ type: `xstate.error.actor.${id}`, error: new Error('broken') } as never)
    expect([chart.state, chart.engines, settledWith(chart)]).toEqual([
      'init.closed',
      [{ type: 'engine.stop' }],
      [{ ok: false, code: 'left' }],
    ])
  })
})

describe('entering', () => {
  it('MED-2 FOLD-1 announces what it holds, and is idle once it reads that it holds its slot', () => {
    const chart = way('init.announcing')
    expect(chart.written).toEqual([{ id: 'v.1', type: 'present', body: present(null) }])
    chart.readBack()
    expect([chart.state, chart.context.engines, chart.context.consent]).toEqual(['idle', START, [CHAT]])
  })

  it('SND-204 MED-2 what its own present turns off is off for a session that enters', () => {
    const chart = way('init.announcing').read('visitor', 'present', present(null, {}), 'v.1')
    const { engines, consent, shared } = chart.context
    expect([chart.state, engines, consent, shared.media]).toEqual([
      'idle',
      { Sharing: NATIVE },
      [],
      { Sharing: NATIVE },
    ])
  })

  it('NEG-12 CE-22 a present that comes too late is written again once the slot is empty', () => {
    const chart = way('init.announcing')
    const { body } = chart.written[0] ?? {}
    chart.readEntry({
      id: 'x',
      time: 0,
      type: 'present',
      slot: 'visitor',
      session: 'v0',
      counter: 1,
      from: { id: 'visitor' },
      body: present(null),
    } as never)
    expect(chart.state).toBe('init.announcing')
    chart.read('visitor', 'present', body as never, 'v.1')
    expect([chart.state, chart.written]).toEqual(['init.displaced', []])
    chart.readEntry({
      id: 'y',
      time: 0,
      type: 'left',
      slot: 'service',
      body: { slot: 'visitor', session: 'v0', channels: { total: 0 } },
    } as never)
    expect([chart.state, chart.written]).toEqual([
      'init.announcing',
      [{ id: 'v.2', type: 'present', body: present(null) }],
    ])
    expect(chart.readBack().state).toBe('idle')
  })

  it('SND-309 a page beside one that holds the slot and lives announces itself without taking anything', () => {
    const chart = way('init.announcing')
    const before = chart.context
    chart.readEntry({
      id: 'x',
      time: 0,
      type: 'present',
      slot: 'visitor',
      session: 'v0',
      counter: 1,
      from: { id: 'visitor' },
      body: present(null),
    } as never)
    const other = new Chart({ shared: chart.shared, gone: null })
    expect(other.written).toEqual([{ id: 'v.1', type: 'present', body: present('v') }])
    expect([other.readBack().state, other.shared.session.visitor, before.gone]).toEqual([
      'init.displaced',
      'v0',
      null,
    ])
    const heir = new Chart({ shared: chart.shared, gone: 'v0' })
    expect(heir.written).toEqual([{ id: 'v.1', type: 'present', body: present('v0') }])
    expect([heir.readBack().state, heir.shared.session.visitor, heir.context.gone]).toEqual([
      'idle',
      'v',
      null,
    ])
  })

  it('SND-309 a page that follows takes the slot of a page that is gone after 1 s, unless that is back', () => {
    const chart = way('init.succeeding')
    expect(chart.send({ type: 'holder.here' }).state).toBe('init.displaced')
    chart.send({ type: 'holder.gone' }).send({ type: 'xstate.after.successionLimit.media.init.succeeding' })
    expect([chart.state, chart.written.map(({ body }) => body)]).toEqual(['init.announcing', [present('v2')]])
    expect(chart.readBack().state).toBe('idle')
  })

  it('MED-28 RES-6 a page that lost its slot undoes everything and waits until the slot is empty', () => {
    const chart = inCall()
    chart.readEntry({
      id: 'x',
      time: 0,
      type: 'present',
      slot: 'visitor',
      session: 'v2',
      counter: 1,
      from: { id: 'visitor' },
      body: present('v'),
    } as never)
    expect([chart.state, chart.engines]).toEqual(['init.stopping', [{ type: 'engine.undo', to: START }]])
    chart.send({ type: 'engine.undone', media: START })
    expect(chart.state).toBe('init.displaced')
    chart.readEntry({
      id: 'y',
      time: 0,
      type: 'left',
      slot: 'service',
      body: { session: 'v2', slot: 'visitor', channels: { total: 1 } },
    } as never)
    expect([chart.state, chart.written]).toEqual([
      'init.announcing',
      [{ id: 'v.4', type: 'present', body: present(null) }],
    ])
    expect(chart.readBack().state).toBe('idle')
  })

  it('RES-7 a page that was declared absent announces itself again as soon as its engines are quiet', () => {
    const chart = inCall()
    chart.readEntry({
      id: 'y',
      time: 0,
      type: 'left',
      slot: 'service',
      body: { session: 'v', slot: 'visitor', channels: { total: 1 } },
    } as never)
    expect(chart.state).toBe('init.stopping')
    chart.send({ type: 'engine.undone', media: START })
    expect([chart.state, chart.written.map(({ type }) => type)]).toEqual(['init.announcing', ['present']])
  })
})

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

describe('the window', () => {
  /** In a call whose other side has just come with a new page. */
  const cut = (): Chart => {
    const chart = inCall()
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
    return chart.send({ type: 'engine.undone', media: START })
  }
  const offers = (chart: Chart, restore: boolean, offer = TALK): Chart =>
    chart.readEntry({
      id: 'o',
      time: 0,
      type: 'offer',
      slot: 'agent',
      session: 'a2',
      counter: 2,
      from: { id: 'agent' },
      body: { offer, restore },
    } as never)

  it('MED-29 what an absence has cut comes back without a question', () => {
    const chart = cut()
    expect([chart.state, chart.context.window]).toEqual(['idle', [VOICE]])
    offers(chart, true)
    expect([chart.state, chart.told, chart.written.map(({ type }) => type)]).toEqual([
      'transiting.answered',
      [],
      ['answer'],
    ])
  })

  it.each([
    ['is not marked', (chart: Chart) => offers(chart, false)],
    [
      'asks for more',
      (chart: Chart) =>
        offers(chart, true, { ...TALK, Video: { tx: 'required', rx: 'off', via: 'net', engine: 'WebRTC' } }),
    ],
    [
      'asks for another engine',
      (chart: Chart) =>
        offers(chart, true, { Voice: { tx: 'required', rx: 'required', via: 'pstn', engine: 'Phone' } }),
    ],
    ['comes after 60 s', (chart: Chart) => offers(chart.send({ type: 'window.closed' }), true)],
    [
      'comes after the own user hung up',
      (chart: Chart) => {
        chart.send({
          type: 'media.transit',
          id: 'off',
          target: { Sharing: NATIVE, Chat: NATIVE },
          restore: false,
        })
        const [direct] = chart.written
        chart.read('visitor', 'direct', direct?.body as never, direct?.id)
        const { ref } = chart
        chart.send({ type: 'engine.worked', ref }).readBack()
        chart.readEntry({
          id: 'r',
          time: 0,
          type: 'ready',
          slot: 'agent',
          session: 'a2',
          counter: 2,
          from: { id: 'agent' },
          body: { ref },
        } as never)
        return offers(chart, true)
      },
    ],
  ])('MED-29 MED-30 NEG-12 CE-10 an offer that %s is asked', (_what, play) => {
    const chart = play(cut())
    expect([chart.state, chart.told.map(({ type }) => type)]).toEqual(['offered', ['media.asked']])
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
