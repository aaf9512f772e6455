import { describe, expect, it } from 'vitest'
import { Play } from './play.ts'
import { ASKED, READY, WORKING } from './ways.ts'

describe('runs that a model without one of the rules went wrong in (NEG-12): holes of the first design', () => {
  it('NEG-12 D1 a late present of a tab does not take the slot back: somebody lives in it', () => {
    const play = new Play('talking')
      .run(
        'visitor0 engine breaks',
        'visitor0 is cut off, and gets a second tab',
        'visitor1 → present',
        'visitor0 reads present',
        'visitor0 → present',
      )
      .run('…')
    expect(play.holders).toBe('visitor1, agent0')
    play.end()
  })

  it('NEG-12 D2 an engine that breaks after ready ends the transition: no commit with a dead engine', () => {
    const play = new Play('idle').run(
      ...WORKING,
      READY,
      'visitor0 → ready',
      'visitor0 engine breaks',
      'visitor0 → present',
    )
    expect(play.phase).toBe('idle')
    play.run('agent0 engine works', '…')
    expect([play.voice, play.settled]).toEqual(['off', ['visitor0 engine_failed']])
    play.end()
  })

  it('NEG-12 D3 an offer whose author broke is over for both', () => {
    const play = new Play('idle')
      .run('visitor0 app offers Voice', 'visitor0 …', 'visitor0 engine breaks')
      .run('visitor0 → present')
    expect([play.phase, play.settled]).toEqual(['idle', ['visitor0 engine_failed']])
    play.run('agent0 …')
    expect(play.state('agent0')).toBe('idle')
    play.end()
  })

  it('NEG-12 D4 two tabs do not take the slot from each other: the older one follows', () => {
    const play = new Play('idle').run('visitor0 is cut off, and gets a second tab', '…')
    expect([play.holders, play.state('visitor0'), play.state('visitor1')]).toEqual([
      'visitor1, agent0',
      'init',
      'idle',
    ])
    play.end()
    expect(play.holders).toBe('visitor1, agent0')
  })

  it('NEG-12 D5 a page that is wrongly declared absent comes back', () => {
    const play = new Play('talking').run('service visitor0 is absent (wrongly)', '…')
    expect([play.holders, play.state('visitor0'), play.voice]).toEqual(['visitor0, agent0', 'idle', 'off'])
    play.end()
  })

  it('NEG-12 D6 an offer to nobody is void: peer_left', () => {
    const play = new Play('idle').run(
      'agent0 is closed',
      'service agent0 has left',
      'visitor0 app offers Voice',
      'visitor0 …',
    )
    expect([play.settled, play.phase]).toEqual([['visitor0 peer_left'], 'idle'])
    play.end()
  })

  it('NEG-12 D7 an offer that is cancelled before it is read back is withdrawn when it stands', () => {
    const play = new Play('idle').run(
      'visitor0 app offers Voice',
      'visitor0 engine is prepared',
      'visitor0 app withdraws',
      'visitor0 → offer',
    )
    expect([play.state('visitor0'), play.settled]).toEqual(['offering', []])
    play.run('agent0 …', '…')
    expect([play.settled, play.phase, play.state('agent0')]).toEqual([['visitor0 withdrawn'], 'idle', 'idle'])
    play.end()
  })

  it('NEG-12 D8 an offer of a frozen page ends by the limit of its receiver', () => {
    const play = new Play('idle').run(...ASKED, 'visitor0 freezes')
    expect(play.state('agent0')).toBe('offered')
    play.end()
    expect([play.phase, play.state('agent0')]).toEqual(['idle', 'idle'])
  })
})
