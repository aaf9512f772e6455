import { afterEach, describe, expect, it, vi } from 'vitest'
import { settled } from '../../testing/index.ts'
import { mic } from '../support/device-shelf.ts'
import type { DeviceShelf } from '../support/device-shelf.ts'
import { EnginePair, codeOf } from '../support/engine-pair.ts'
import { Phone, SilentShelf, cameras, ended } from './silent-shelf.ts'

describe('devices of which a browser says nothing', () => {
  let pair = new EnginePair()
  const start = (shelf: DeviceShelf): EnginePair =>
    (pair = new EnginePair({ visitor: { mediaDevices: shelf } }))

  afterEach(async () => {
    vi.unstubAllGlobals()
    await pair.end()
  })

  it('SND-6 a lost camera whose medium goes off while the devices are listed starts no other one', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx', Voice: 'rx' })
    shelf.holdList()
    shelf.unplug('red')
    await pair.transit({ Voice: 'rx' })
    const asked = shelf.asked.length
    shelf.giveList()
    await settled()
    expect([shelf.asked.length - asked, shelf.live, visitor.events]).toEqual([0, 0, []])
  })

  it('SND-6 a lost camera starts no other one where the engine is stopped while the devices are listed', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.holdList()
    shelf.unplug('red')
    await visitor.engine.stop()
    shelf.giveList()
    await settled()
    expect([shelf.asked.length, shelf.live]).toEqual([1, 0])
  })

  it('SND-6 SND-303 the other side learns of a loss within 2 s where the devices are not listed, and a list that comes later starts nothing', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.holdList()
    shelf.unplug('red')
    await settled()
    await pair.clock.advance(1_999)
    expect(visitor.events).toEqual([])
    await pair.clock.advance(1)
    expect(visitor.events).toEqual([ended('Video')])
    shelf.giveList()
    await settled()
    expect([shelf.asked.length, shelf.live]).toEqual([1, 0])
  })

  it('SND-6 SND-303 the same where the question for another device is not answered: what comes later is stopped', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.hold()
    shelf.unplug('red')
    await settled()
    await pair.clock.advance(2_000)
    await settled()
    expect([visitor.events, shelf.asked.length]).toEqual([[ended('Video')], 2])
    shelf.answer()
    await settled()
    expect([visitor.events.length, shelf.live]).toEqual([1, 0])
  })

  it('SND-303 a list that never comes ends listDevices and chooseDevice after 2 s, and the next choice is made', async () => {
    const shelf = new SilentShelf(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.holdList()
    const listing = codeOf(visitor.engine.listDevices())
    const choosing = codeOf(visitor.engine.chooseDevice('Video', 'blue'))
    await settled()
    await pair.clock.advance(2_000)
    expect(await Promise.all([listing, choosing])).toEqual(['media_failed', 'media_failed'])
    shelf.giveList()
    await visitor.engine.chooseDevice('Video', 'blue')
    expect(visitor.tx('Video')?.getTracks()[0]?.getSettings().deviceId).toBe('blue')
  })

  it('SND-303 a question about another device that nobody answers ends after 60 s, and the next choice is made', async () => {
    const shelf = new SilentShelf([mic('built', 'a'), mic('headset', 'b')])
    const { visitor } = start(shelf)
    await pair.transit({ Voice: 'tx' })
    shelf.hold()
    const choosing = codeOf(visitor.engine.chooseDevice('Voice', 'headset'))
    await settled()
    await pair.clock.advance(60_000)
    expect(await choosing).toBe('media_dismissed')
    shelf.answer()
    await settled()
    expect([shelf.live, visitor.tx('Voice')?.getTracks()[0]?.getSettings().deviceId]).toEqual([1, 'built'])
    await visitor.engine.chooseDevice('Voice', 'headset')
    expect(visitor.tx('Voice')?.getTracks()[0]?.getSettings().deviceId).toBe('headset')
  })

  it('SND-25 a phone, which opens one camera at a time, changes from one to the other', async () => {
    const shelf = new Phone(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    await visitor.engine.chooseDevice('Video', 'blue')
    expect([visitor.tx('Video')?.getTracks()[0]?.getSettings().deviceId, shelf.live]).toEqual(['blue', 1])
  })

  it('SND-25 the camera before is opened again where the other one does not start; where that does not either, the other side is told', async () => {
    const shelf = new Phone(cameras())
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    const busy = Object.assign(new Error('busy'), { name: 'NotReadableError' })
    shelf.failures.push(busy)
    expect(await codeOf(visitor.engine.chooseDevice('Video', 'blue'))).toBe('media_in_use')
    expect([visitor.tx('Video')?.getTracks()[0]?.getSettings().deviceId, shelf.live]).toEqual(['red', 1])
    shelf.failures.push(busy, busy, busy)
    expect(await codeOf(visitor.engine.chooseDevice('Video', null))).toBe('done')
    expect(await codeOf(visitor.engine.chooseDevice('Video', 'blue'))).toBe('media_in_use')
    await settled()
    expect([visitor.events.filter(({ type }) => type === 'capture_ended'), shelf.live]).toEqual([
      [ended('Video')],
      0,
    ])
  })
})
