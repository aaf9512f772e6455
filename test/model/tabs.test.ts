import { describe, expect, it } from 'vitest'
import { Play } from './play.ts'

describe('several tabs of one party', () => {
  it('SND-309 two tabs do not take the slot from each other: the newer one follows, and once it has the slot the older one', () => {
    const play = new Play('idle').run('visitor0 gets a second tab', '…')
    expect([play.holders, play.state('visitor0'), play.state('visitor1')]).toEqual([
      'visitor0, agent0',
      'idle',
      'init',
    ])
    play.run('visitor1 app takes everything over', '…')
    expect([play.holders, play.state('visitor0'), play.state('visitor1')]).toEqual([
      'visitor1, agent0',
      'init',
      'idle',
    ])
    play.end()
    expect(play.holders).toBe('visitor1, agent0')
  })

  it('SND-309 a tab that follows takes the slot of a page that is gone, once that has lasted', () => {
    const play = new Play('displaced').run('visitor0 is closed', 'visitor1 is told that visitor0 is gone')
    expect(play.holders).toBe('visitor0, agent0')
    play.run('visitor1 time successionLimit', '…')
    expect([play.holders, play.state('visitor1'), play.voice]).toEqual(['visitor1, agent0', 'idle', 'off'])
    play.end()
  })

  it('SND-309 a page that is loaded anew is before the tab that follows', () => {
    const play = new Play('displaced').run(
      'visitor0 is closed',
      'visitor1 is told that visitor0 is gone',
      'visitor1 gets a second tab',
      'visitor2 → present',
      '…',
    )
    expect(play.holders).toBe('visitor2, agent0')
  })

  it('SND-309 a page that was missed wrongly, and is back, keeps its slot; later it follows', () => {
    const play = new Play('displaced').run(
      'visitor1 is told wrongly that visitor0 is gone',
      'visitor1 is told that visitor0 is here',
      '…',
    )
    expect(play.holders).toBe('visitor0, agent0')
    play.run('visitor1 is told wrongly that visitor0 is gone', 'visitor1 time successionLimit', '…')
    expect([play.holders, play.state('visitor0'), play.state('visitor1')]).toEqual([
      'visitor1, agent0',
      'init',
      'idle',
    ])
    play.end()
  })

  it('SND-309 an entry that was written before the slot was lost, and is void, is no answer to the present that takes it back', () => {
    const play = new Play('displaced').run(
      'visitor0 app turns Voice off',
      'visitor1 app takes everything over',
      'visitor1 → present',
      'visitor0 reads present',
      'visitor0 engine is undone',
    )
    play.run(
      'visitor0 app takes everything over',
      'visitor0 → direct',
      'visitor0 → present',
      'visitor0 reads present',
    )
    expect([play.holders, play.state('visitor0')]).toEqual(['visitor0, agent0', 'idle'])
    play.end()
  })
})
