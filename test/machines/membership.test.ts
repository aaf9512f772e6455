import { describe, expect, it } from 'vitest'
import type { ContactLife } from '../../protocol/index.ts'
import { settled } from '../../testing/index.ts'
import { AGENT, LEFT, MOVED, inside, outside } from '../support/membership.ts'

describe('the membership machine', () => {
  it.each([
    ['queued', 'inside:queued'],
    ['assigned', 'inside:assigned'],
    ['joined', 'inside:joined'],
    ['cleared', 'cleared'],
  ] as const)('LIFE-1 enters a contact that is %s as %s', (life, state) => {
    const way = inside(life)
    expect([way.state(), way.told]).toEqual([state, life === 'cleared' ? [] : [{ type: 'entered' }]])
  })

  it('LIFE-3 LIFE-4 LIFE-18 goes from the queue by assignment, decline and assignment to joined', () => {
    const way = inside('queued')
    const seen = [
      { type: 'log.assigned', agent: AGENT } as const,
      { type: 'log.declined', body: AGENT } as const,
      { type: 'log.assigned', agent: AGENT } as const,
      { type: 'log.joined', agent: AGENT } as const,
    ].map((event) => {
      way.play(event)
      return [way.state(), way.actor.getSnapshot().context.life]
    })
    expect(seen).toEqual([
      ['inside:assigned', 'assigned'],
      ['inside:queued', 'queued'],
      ['inside:assigned', 'assigned'],
      ['inside:joined', 'joined'],
    ])
    expect(way.told.map(({ type }) => type)).toEqual([
      'entered',
      'assigned',
      'declined',
      'assigned',
      'joined',
    ])
  })

  it('LIFE-2 LIFE-3 notes an assignment that it hears of outside', () => {
    const way = outside().play({ type: 'log.assigned', agent: AGENT })
    expect([way.state(), way.actor.getSnapshot().context.life, way.told]).toEqual([
      'outside',
      'assigned',
      [{ type: 'assigned', agent: AGENT }],
    ])
  })

  it('LIFE-2 is outside again when entering failed, and may try once more', async () => {
    const way = outside().play({ type: 'contact.enter' })
    way.ends.enter('failed')
    await settled()
    expect([way.state(), way.told, way.clock.pending]).toEqual([
      'outside',
      [{ type: 'notEntered', error: new Error('no way in') }],
      0,
    ])
    expect(way.play({ type: 'contact.enter' }).state()).toBe('entering')
  })

  it('ERR-6 SND-25 is outside again when nothing has come for 30 s while it enters, and may try once more', async () => {
    const way = outside().play({ type: 'contact.enter' })
    await way.clock.advance(29_999)
    expect(way.state()).toBe('entering')
    await way.clock.advance(1)
    expect([way.state(), way.told]).toEqual(['outside', [{ type: 'notEntered', error: null }]])
  })

  it('SND-22 SND-303 enters as long as entries arrive', async () => {
    const way = outside().play({ type: 'contact.enter' })
    for (let part = 0; part < 20; part++) {
      await way.clock.advance(29_999)
      way.play({ type: 'log.heard' })
    }
    expect([way.state(), way.clock.pending]).toEqual(['entering', 1])
    way.play({ type: 'log.entered', life: 'queued' })
    expect([way.state(), way.clock.pending]).toEqual(['inside:queued', 0])
  })

  it.each(['outside', 'entering', 'queued', 'assigned', 'joined'])(
    'LIFE-5 LIFE-21 leaves from %s: told once, with its reason, left when all is done',
    async (from) => {
      const way =
        from === 'outside'
          ? outside()
          : from === 'entering'
            ? outside().play({ type: 'contact.enter' })
            : inside(from as ContactLife)
      way.told.length = 0
      way.play({ type: 'contact.leave', reason: 'enough' }, { type: 'contact.leave', reason: 'again' })
      expect([way.state(), way.reasons]).toEqual(['leaving:telling', ['enough']])
      way.play({ type: 'log.selfLeft', reason: 'vvcu' })
      expect([way.state(), way.told]).toEqual(['leaving:told', [{ type: 'localleft', reason: 'vvcu' }]])
      way.ends.leave('done')
      await settled()
      expect([way.state(), way.told.length, way.clock.pending]).toEqual(['left', 1, 0])
    },
  )

  it.each(['done', 'failed'] as const)(
    'LIFE-5 says localleft without a reason where the service never told it (%s)',
    async (how) => {
      const way = inside('joined')
      way.told.length = 0
      way.play({ type: 'contact.leave' })
      way.ends.leave(how)
      await settled()
      expect([way.state(), way.told]).toEqual(['left', [{ type: 'localleft', reason: null }]])
    },
  )

  it('ERR-6 LIFE-5 has left after 15 s, whatever does not stop', async () => {
    const way = inside('joined').play({ type: 'contact.leave' })
    await way.clock.advance(15_000)
    expect([way.state(), way.clock.pending]).toEqual(['left', 0])
  })

  it('LIFE-8 tells cleared while it leaves', () => {
    const way = inside('joined').play(
      { type: 'contact.leave' },
      { type: 'log.selfLeft', reason: 'user' },
      { type: 'log.cleared', reason: 'user' },
    )
    expect([way.state(), way.told.slice(1)]).toEqual([
      'leaving:told',
      [
        { type: 'localleft', reason: 'user' },
        { type: 'cleared', reason: 'user' },
      ],
    ])
  })

  it.each(['outside', 'entering', 'queued', 'joined'])(
    'LIFE-10 LIFE-11 is over when the contact is cleared while %s',
    (from) => {
      const way =
        from === 'outside'
          ? outside()
          : from === 'entering'
            ? outside().play({ type: 'contact.enter' })
            : inside(from as ContactLife)
      way.play({ type: 'log.cleared', reason: 'disconnect' })
      expect([way.state(), way.told.at(-1), way.clock.pending]).toEqual([
        'cleared',
        { type: 'cleared', reason: 'disconnect' },
        0,
      ])
    },
  )

  it('LIFE-13 LIFE-15 tells what others do', () => {
    const way = inside('joined').play({ type: 'log.left', body: LEFT })
    expect([way.state(), way.told.slice(1)]).toEqual(['inside:joined', [{ type: 'left', body: LEFT }]])
  })

  it('LIFE-15 the visitor goes where the contact goes, as often as it takes', async () => {
    const way = inside('joined').play(MOVED)
    expect([way.state(), way.told.slice(1), way.actor.getSnapshot().context.life]).toEqual([
      'moving:opening',
      [{ type: 'transferred', body: MOVED.body }],
      'queued',
    ])
    way.ends.enter('failed')
    await settled()
    expect(way.state()).toBe('moving:waiting')
    way.play({ type: 'link.resumed' }, MOVED)
    expect([way.state(), way.told.length]).toEqual(['moving:opening', 3])
    expect(way.play({ type: 'log.entered', life: 'assigned' }).state()).toBe('inside:assigned')
  })

  it('SND-25 LIFE-15 where going there fails on a connection that lives, it is tried again after 2 s', async () => {
    const way = inside('joined').play(MOVED)
    for (let times = 0; times < 3; times++) {
      way.ends.enter('failed')
      await settled()
      await way.clock.advance(1_999)
      expect(way.state()).toBe('moving:waiting')
      await way.clock.advance(1)
      expect(way.state()).toBe('moving:opening')
    }
    expect([way.play({ type: 'log.entered', life: 'queued' }).state(), way.clock.pending]).toEqual([
      'inside:queued',
      0,
    ])
  })

  it('SND-2 SND-304 goes on with a log that is read anew, whoever it is, without a word', () => {
    for (const role of ['visitor', 'agent'] as const) {
      const way = inside('joined', role)
      way.told.length = 0
      expect([way.play({ type: 'log.anew' }).state(), way.told]).toEqual(['moving:opening', []])
    }
  })

  it.each([MOVED, { type: 'peer.none' }] as const)(
    'SND-310 nobody is missed who has no part any more: $type',
    async (event) => {
      const way = inside('joined').play({ type: 'peer.gone' })
      await way.clock.advance(999)
      way.play(event)
      await way.clock.advance(60_000)
      expect(way.told.map(({ type }) => type)).not.toContain('peeraway')
    },
  )

  it('SND-310 who was told away is told back when somebody is there again, also after the part has ended', async () => {
    const way = inside('joined').play({ type: 'peer.gone' })
    await way.clock.advance(1_000)
    way.play({ type: 'peer.none' }, { type: 'peer.here' })
    expect(way.told.slice(1)).toEqual([
      { type: 'peeraway', away: true },
      { type: 'peeraway', away: false },
    ])
  })

  it('LIFE-15 a visitor who comes in or leaves meanwhile does so where the contact is', () => {
    expect(
      [
        outside().play(MOVED),
        outside().play({ type: 'contact.enter' }, MOVED),
        inside('joined').play({ type: 'contact.leave' }, MOVED),
      ].map((way) => [way.state(), way.told.at(-1)?.type]),
    ).toEqual([
      ['outside', 'transferred'],
      ['entering', 'transferred'],
      ['leaving:telling', 'transferred'],
    ])
  })

  it('LIFE-17 the part of an agent who has handed it on is over', () => {
    for (const way of [
      inside('joined', 'agent'),
      outside('joined', 'agent').play({ type: 'contact.enter' }),
    ]) {
      way.play(MOVED)
      expect([way.state(), way.told.at(-1)]).toEqual(['left', { type: 'transferred', body: MOVED.body }])
    }
  })

  it.each([
    ['left', [{ type: 'contact.leave' }]],
    ['cleared', [{ type: 'log.cleared', reason: null }]],
    ['dropped', [{ type: 'contact.drop' }]],
    ['left', [{ type: 'contact.gone' }]],
  ] as const)('LIFE-19 hears and says nothing more once it is %s', async (state, events) => {
    const way = inside('joined').play(...events)
    way.ends.leave('done')
    await settled()
    expect(way.state()).toBe(state)
    way.told.length = 0
    way.play(
      { type: 'contact.enter' },
      { type: 'contact.leave' },
      { type: 'contact.drop' },
      { type: 'contact.gone' },
      { type: 'log.joined', agent: AGENT },
      { type: 'log.cleared', reason: null },
      { type: 'log.left', body: LEFT },
    )
    expect([way.state(), way.told]).toEqual([state, []])
  })
})
