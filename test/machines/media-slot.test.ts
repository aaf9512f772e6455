import { describe, expect, it } from 'vitest'
import { Chart, TALK, inCall, way } from '../support/chart.ts'
import { CHAT, VOICE, present, settledWith } from '../support/chart-words.ts'
import { NATIVE, START } from '../support/contacts.ts'

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
