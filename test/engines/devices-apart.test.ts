import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/index.ts'
import { mic } from '../support/device-shelf.ts'
import type { DeviceShelf } from '../support/device-shelf.ts'
import { EnginePair, codeOf } from '../support/engine-pair.ts'
import { SilentShelf, cameras } from './silent-shelf.ts'

describe('one device and what happens to another', () => {
  let pair = new EnginePair()
  const start = (shelf: DeviceShelf): EnginePair =>
    (pair = new EnginePair({ visitor: { mediaDevices: shelf } }))
  const devices = () => [...cameras(), mic('built', 'a'), mic('headset', 'b')]
  const usedOf = (medium: 'Voice' | 'Video') =>
    pair.visitor.tx(medium)?.getTracks()[0]?.getSettings().deviceId
  const interrupted = (on: boolean) => ({ type: 'interrupted', medium: 'Voice', on })
  const told = () => pair.visitor.events.filter(({ type }) => type === 'interrupted')
  const interrupt = (): Promise<void> => {
    const track = pair.visitor.tx('Voice')?.getTracks()[0]
    Object.defineProperty(track, 'muted', { value: true, configurable: true })
    track?.dispatchEvent({ type: 'mute' } as Event)
    return settled()
  }

  afterEach(() => pair.end())

  it('SND-6 ENG-17 a microphone that does not start keeps no camera from being chosen', async () => {
    const shelf = new SilentShelf(devices())
    const [{ visitor }, ask] = [start(shelf), shelf.getUserMedia.bind(shelf)]
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    shelf.getUserMedia = (constraints) =>
      constraints.audio
        ? Promise.reject(Object.assign(new Error('in use'), { name: 'NotReadableError' }))
        : ask(constraints)
    expect(await codeOf(visitor.engine.chooseDevice('Voice', 'headset'))).toBe('media_in_use')
    expect([
      await codeOf(visitor.engine.chooseDevice('Video', 'blue')),
      usedOf('Voice'),
      usedOf('Video'),
    ]).toEqual(['done', 'built', 'blue'])
  })

  it('SND-6 ENG-11 a camera that was turned off and on again is not taken back for the loss of the one before', async () => {
    const shelf = new SilentShelf(devices())
    const { visitor } = start(shelf)
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    shelf.holdList()
    shelf.unplug('red')
    await settled()
    await pair.transit({ Voice: 'tx' })
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    await pair.clock.advance(2_000)
    await settled()
    expect([
      visitor.tx('Video')?.getTracks()[0]?.readyState,
      visitor.events.filter(({ type }) => type === 'capture_ended'),
    ]).toEqual(['live', []])
  })

  it('SND-6 ENG-16 an interruption ends when another device takes the place of the interrupted one, chosen or not, and when its medium goes off', async () => {
    const shelf = new SilentShelf(devices())
    const { visitor } = start(shelf)
    await pair.transit({ Voice: 'tx' })
    await interrupt()
    await visitor.engine.chooseDevice('Voice', 'headset')
    expect([visitor.engine.isInterrupted('Voice'), told()]).toEqual([
      false,
      [interrupted(true), interrupted(false)],
    ])
    await interrupt()
    shelf.unplug('headset')
    await settled()
    expect([usedOf('Voice'), told().slice(2)]).toEqual(['built', [interrupted(true), interrupted(false)]])
    await interrupt()
    await pair.transit({ Voice: 'rx' })
    expect(told().slice(4)).toEqual([interrupted(true), interrupted(false)])
  })
})
