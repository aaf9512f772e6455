import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Playback } from '../../engines/index.ts'
import type { PlaybackState, Player } from '../../engines/index.ts'
import { settled } from '../../testing/test-clock.ts'

/** An element that plays where it may. */
class FakePlayer extends EventTarget implements Player {
  srcObject: MediaProvider | null = null
  refusal: string | undefined
  plays = 0
  listeners = 0

  play(): Promise<void> {
    this.plays++
    if (this.refusal !== undefined)
      return Promise.reject(Object.assign(new Error(this.refusal), { name: this.refusal }))
    this.dispatchEvent(new Event('playing'))
    return Promise.resolve()
  }

  /** The system pauses it. */
  pause(): void {
    this.dispatchEvent(new Event('pause'))
  }

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners++
    super.addEventListener(...args)
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners--
    super.removeEventListener(...args)
  }
}

const stream = {} as MediaStream

describe('Playback', () => {
  let player: FakePlayer
  let states: PlaybackState[]
  let playback: Playback
  const page = Object.assign(new EventTarget(), { hidden: false })

  beforeEach(() => {
    Object.assign(globalThis, { document: page })
    player = new FakePlayer()
    states = []
    playback = new Playback(player, (state) => void states.push(state))
  })

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'document')
  })

  it('ENG-16 a stream that ends is no interruption', async () => {
    playback.play({ active: false } as MediaStream)
    await settled()
    player.pause()
    expect(states).toEqual(['playing'])
  })

  it('ENG-16 sound that the browser blocks is a state, and plays from a click on', async () => {
    player.refusal = 'NotAllowedError'
    playback.play(stream)
    await settled()
    expect([playback.state, player.srcObject]).toEqual(['blocked', stream])
    player.refusal = undefined
    await playback.resume()
    expect(states).toEqual(['blocked', 'playing'])
  })

  it('ENG-16 what the system pauses is interrupted, and goes on when asked, or when the page is seen again', async () => {
    playback.play(stream)
    await settled()
    player.pause()
    await playback.resume()
    player.pause()
    page.hidden = true
    page.dispatchEvent(new Event('visibilitychange'))
    expect(states).toEqual(['playing', 'interrupted', 'playing', 'interrupted'])
    page.hidden = false
    page.dispatchEvent(new Event('visibilitychange'))
    await settled()
    expect([playback.state, player.plays, player.srcObject]).toEqual(['playing', 3, stream])
  })

  it('ENG-16 a stream that takes the place of another one is no interruption, and nothing remains of what has stopped', async () => {
    player.refusal = 'AbortError'
    playback.play(stream)
    await settled()
    expect(playback.state).toBeUndefined()
    player.refusal = undefined
    playback.play({} as MediaStream)
    await settled()
    playback.play(null)
    player.pause()
    await playback.resume()
    expect([states, playback.state, player.srcObject, player.plays]).toEqual([
      ['playing'],
      undefined,
      null,
      2,
    ])
  })

  it('ENG-16 a refusal that comes when it has stopped is nothing', async () => {
    player.refusal = 'NotAllowedError'
    playback.play(stream)
    playback.play(undefined)
    await settled()
    expect([states, playback.state]).toEqual([[], undefined])
  })
})
