import { describe, expect, it } from 'vitest'
import { Play } from './play.ts'
import { ASKED, READY, WORKING } from './ways.ts'

describe('runs that a model without one of the rules went wrong in (NEG-12): found by taking a rule away', () => {
  it('NEG-12 CE-1 one ready is no commit', () => {
    const play = new Play('idle').run(...WORKING, READY, 'visitor0 → ready')
    expect([play.phase, play.voice, play.settled]).toEqual(['transiting', 'off', []])
    play.run('…')
    expect([play.phase, play.voice, play.settled]).toEqual(['idle', 'tx rx', ['visitor0 ok']])
    play.end()
  })

  it('NEG-12 CE-2 a reload after ready ends the transition', () => {
    const play = new Play('idle').run(
      ...WORKING,
      READY,
      'visitor0 → ready',
      'visitor0 is closed',
      'visitor opens',
      'visitor1 → present',
      'agent0 engine works',
      'agent0 → ready',
      '…',
    )
    expect([play.holders, play.phase, play.voice]).toEqual(['visitor1, agent0', 'idle', 'off'])
    play.end()
  })

  it('NEG-12 CE-3 who is ready and waits too long stays at the target: the commit that came first counts', () => {
    const play = new Play('idle').run(
      ...WORKING,
      READY,
      'visitor0 → ready',
      'agent0 engine works',
      'agent0 → ready',
      'visitor0 reads ready of visitor0',
      'visitor0 time transitionLimit',
      '…',
    )
    expect([play.voice, play.settled, play.state('visitor0')]).toEqual(['tx rx', ['visitor0 ok'], 'idle'])
    play.end()
  })

  it('NEG-12 CE-4 an engine that fails is told to the other side', () => {
    const play = new Play('idle').run(...WORKING, 'agent0 engine fails', '…')
    expect([play.phase, play.voice, play.settled]).toEqual(['idle', 'off', ['visitor0 remote_failed']])
    play.end()
  })

  it('NEG-12 CE-5 an answer to an offer that was withdrawn does not decide the next one', () => {
    const play = new Play('idle')
      .run(...ASKED, 'agent0 app answers yes', 'visitor0 app withdraws', 'visitor0 …')
      .run('visitor0 app offers Voice', 'visitor0 …')
    expect(play.phase).toBe('offered')
    play.run('agent0 → answer')
    expect(play.phase).toBe('offered')
    play.end()
  })

  it('NEG-12 CE-6 a rejection of an offer that was withdrawn does not decide the next one', () => {
    const play = new Play('idle')
      .run(...ASKED, 'agent0 app rejects', 'visitor0 app withdraws', 'visitor0 …')
      .run('visitor0 app offers Voice', 'visitor0 …', 'agent0 → reject')
    expect([play.phase, play.settled]).toEqual(['offered', ['visitor0 withdrawn']])
    play.end()
  })

  it('NEG-12 CE-7 what is answered cannot be withdrawn: the answer wins', () => {
    const play = new Play('idle').run(
      ...ASKED,
      'agent0 app answers yes',
      'agent0 → answer',
      'visitor0 app withdraws',
      'visitor0 → withdraw',
    )
    expect(play.phase).toBe('transiting')
    play.run('…')
    expect([play.voice, play.settled]).toEqual(['tx rx', ['visitor0 ok']])
    play.end()
  })

  it('NEG-12 CE-8 a mute that was worked out before the other side broke does not turn the other side on', () => {
    const play = new Play('talking').run(
      'agent0 app stops speaking',
      'visitor0 engine breaks',
      'visitor0 → present',
      'agent0 → direct',
    )
    expect([play.phase, play.voice]).toEqual(['idle', 'off'])
    play.run('…')
    expect(play.settled).toEqual(['agent0 offer_required'])
    play.end()
  })

  it('NEG-12 CE-9 an answer beyond the offer is invalid', () => {
    const play = new Play('idle').run(...ASKED, 'agent0 app answers beyond', '…')
    expect([play.phase, play.voice, play.settled]).toEqual(['idle', 'off', ['visitor0 invalid_answer']])
    play.end()
  })

  it('NEG-12 CE-10 a restore after the window asks the application', () => {
    const inside = new Play('talking').run(
      'service visitor0 is absent (wrongly)',
      '…',
      'visitor0 app offers to restore',
      '…',
    )
    expect([inside.state('agent0'), inside.voice, inside.settled.at(-1)]).toEqual([
      'idle',
      'tx rx',
      'visitor0 ok',
    ])
    const after = new Play('talking').run(
      'service visitor0 is absent (wrongly)',
      '…',
      'agent0 time window.closed',
      'visitor0 app offers to restore',
      '…',
    )
    expect([after.state('agent0'), after.voice]).toEqual(['offered', 'off'])
    after.end()
  })

  it('NEG-12 CE-11 nobody answers an own offer', () => {
    const play = new Play('idle', 'visitor').run(
      'visitor0 writes an offer that the other transmits',
      'visitor0 writes answer 1 yes',
    )
    expect(play.phase).toBe('offered')
    play.end()
    expect(play.voice).toBe('off')
  })

  it('NEG-12 CE-12 while the own offer is unread, no offer of the other starts anything', () => {
    const play = new Play('talking').run(
      'agent0 app stops speaking',
      'agent0 → direct',
      'visitor0 app offers Voice',
      'visitor0 reads direct',
    )
    expect(play.state('visitor0')).toBe('offering')
    play.run('…')
    expect([play.settled.toSorted(), play.voice]).toEqual([['agent0 ok null', 'visitor0 glare'], 'tx'])
    play.end()
  })

  it('NEG-12 CE-13 nobody is asked while engines go back', () => {
    const play = new Play('idle').run(
      ...WORKING,
      'agent0 engine fails',
      'agent0 → failed',
      'visitor0 reads failed',
      'visitor0 engine is undone',
      'visitor0 app offers Voice',
      'visitor0 …',
    )
    play.run('agent0 reads failed', 'agent0 reads offer')
    expect(play.state('agent0')).toBe('transiting')
    play.run('agent0 engine is undone')
    expect(play.state('agent0')).toBe('offered')
    play.end()
  })

  it('NEG-12 CE-14 work that is over is cancelled before the next thing starts', () => {
    const play = new Play('idle').run(
      ...WORKING,
      'agent0 engine fails',
      'agent0 → failed',
      'visitor0 reads failed',
    )
    expect([play.state('visitor0'), play.can('visitor0 app'), play.can('visitor0 engine is undone')]).toEqual(
      ['transiting', false, true],
    )
    play.end()
  })

  it('NEG-12 CE-15 an offer that is over settles before the next transition is worked for', () => {
    const play = new Play('talking').run(
      'visitor0 app stops speaking',
      'visitor0 → direct',
      'visitor0 reads direct',
      'visitor0 engine fails',
      'visitor0 → failed',
    )
    play.run(
      'agent0 …',
      'agent0 app stops speaking',
      'agent0 → direct',
      'visitor0 reads failed',
      'visitor0 reads direct',
    )
    expect([play.state('visitor0'), play.settled]).toEqual(['transiting', []])
    play.run('visitor0 engine is undone')
    expect(play.settled).toEqual(['visitor0 engine_failed'])
    play.end()
  })

  it('NEG-12 CE-16 failed of a slot that was ready counts: nobody waits for a frozen party', () => {
    const play = new Play('idle').run(...WORKING, READY, 'visitor0 → ready', 'agent0 freezes').end()
    expect([play.phase, play.voice, play.settled]).toEqual(['idle', 'off', ['visitor0 timeout']])
  })

  it('NEG-12 CE-17 an engine that cannot undo is off for both: no second undo', () => {
    const play = new Play('talking').run(
      'visitor0 app stops speaking',
      'visitor0 → direct',
      'visitor0 reads direct',
      'visitor0 engine fails',
      'visitor0 engine cannot undo',
      '…',
    )
    expect([play.voice, play.phase]).toEqual(['off', 'idle'])
    play.end()
  })

  it('NEG-12 CE-18 an engine that breaks while idle is announced again', () => {
    const play = new Play('talking').run('visitor0 engine breaks')
    expect(play.state('visitor0')).toBe('init')
    play.run('…')
    expect([play.voice, play.state('visitor0'), play.state('agent0')]).toEqual(['off', 'idle', 'idle'])
    play.end()
  })

  it('NEG-12 CE-19 an offer does not outlive the session that made it', () => {
    const play = new Play('idle').run(...ASKED, 'visitor0 is closed', 'visitor opens', 'visitor1 → present')
    expect(play.phase).toBe('idle')
    play.run('…')
    expect([play.state('agent0'), play.state('visitor1')]).toEqual(['idle', 'idle'])
    play.end()
  })

  it('NEG-12 CE-20 an offer of a session that has ended is void', () => {
    const play = new Play('idle').run(
      'visitor0 app offers Voice',
      'visitor0 engine is prepared',
      'visitor0 is closed',
      'service visitor0 has left',
      'visitor0 → offer',
    )
    expect(play.phase).toBe('idle')
    play.end()
  })

  it('NEG-12 CE-21 absence turns off what needs the remote and ends the phase', () => {
    const play = new Play('talking').run(
      'visitor0 app stops speaking',
      'visitor0 → direct',
      'agent0 is closed',
      'service agent0 has left',
    )
    expect([play.phase, play.voice]).toEqual(['idle', 'off'])
    play.run('…')
    expect(play.settled).toEqual(['visitor0 peer_left'])
    play.end()
  })

  it('NEG-12 CE-22 a fresh present that came too late is written again', () => {
    const play = new Play('idle').run(
      'visitor0 is closed',
      'visitor opens',
      'service visitor0 has left',
      'visitor1 → present',
    )
    expect(play.holders).toBe('nobody, agent0')
    play.run('…')
    expect(play.holders).toMatch(/^visitor\d, agent0$/)
    play.end()
  })

  it('NEG-12 CE-23 a tab that is superseded settles its offer with left', () => {
    const play = new Play('idle').run(
      'visitor0 app offers Voice',
      'visitor0 engine is prepared',
      'visitor0 is cut off, and gets a second tab',
      'visitor1 → present',
      'visitor0 reads present',
    )
    expect([play.state('visitor0'), play.settled]).toEqual(['init', ['visitor0 left']])
    play.end()
  })

  it('NEG-12 CE-24 a broken engine settles the own offer at once', () => {
    const play = new Play('idle').run('visitor0 app offers Voice', 'visitor0 engine breaks')
    expect([play.state('visitor0'), play.settled]).toEqual(['init', ['visitor0 engine_failed']])
    play.end()
  })

  it('NEG-12 CE-25 an offer that nobody answers ends', () => {
    const play = new Play('idle').run(...ASKED).end()
    expect([play.phase, play.settled]).toEqual(['idle', ['visitor0 timeout']])
  })

  it('NEG-12 CE-26 an engine that hangs ends the transition', () => {
    const play = new Play('idle').run(...WORKING, 'visitor0 engine hangs', 'agent0 engine works').end()
    expect([play.phase, play.voice, play.settled]).toEqual(['idle', 'off', ['visitor0 timeout']])
  })
})
