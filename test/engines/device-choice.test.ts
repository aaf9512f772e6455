import { afterEach, describe, expect, it } from 'vitest'
import { betterDevice } from '../../engines/webrtc/device-choice.ts'
import type { Colour } from '../support/camera.ts'
import { COLOURS } from '../support/camera.ts'
import { DeviceShelf, mic, webcam } from '../support/device-shelf.ts'
import { EnginePair, codeOf } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { listen, shows, trackOf, until, watch } from '../support/node-media.ts'

const built = mic('built', 'a')
const headset = mic('headset', 'b')
const system = (groupId: string) => ({ ...mic('default', groupId) })

describe('which device is used', () => {
  const used = (deviceId: string, groupId: string, asked: string | null = null) => ({
    asked,
    deviceId,
    groupId,
  })
  it.each([
    ['nothing is preferred: what the system chose', used('built', 'a'), null, [built, headset], undefined],
    ['the preferred one is used', used('headset', 'b', 'headset'), 'headset', [built, headset], undefined],
    ['the preferred one is there', used('built', 'a'), 'headset', [built, headset], 'headset'],
    ['the preferred one is gone', used('headset', 'b', 'headset'), 'headset', [built], null],
    ['the preferred one is still gone', used('built', 'a'), 'headset', [built], undefined],
    ['the preferred one is back', used('built', 'a'), 'headset', [built, headset], 'headset'],
    ['the choice is taken back', used('headset', 'b', 'headset'), null, [built, headset], null],
    ['the system has chosen another one', used('default', 'a'), null, [system('b'), built, headset], null],
    ['the system keeps its choice', used('default', 'a'), null, [system('a'), built, headset], undefined],
    ['no list is known', used('built', 'a'), 'headset', [], undefined],
  ])('ENG-17 %s', (_name, usedNow, preferred, devices, better) => {
    expect(betterDevice(usedNow, preferred, devices)).toBe(better)
  })
})

describe('WebRtcEngine: choice of devices, hold', () => {
  let pair = new EnginePair()
  const toStop: { stop(): void }[] = []
  const start = (shelf: DeviceShelf): EnginePair =>
    (pair = new EnginePair({ visitor: { mediaDevices: shelf } }))
  const sight = ({ rx }: Party) => {
    const watcher = watch(trackOf(rx('Video'), 'video'))
    toStop.push(watcher)
    return (colour: Colour) => until(`colour ${colour.join()}`, () => shows(watcher, colour))
  }
  const cameras = () => new DeviceShelf([webcam('red', COLOURS.red), webcam('blue', COLOURS.blue)])

  afterEach(async () => {
    for (const thing of toStop.splice(0)) thing.stop()
    await pair.end()
  })

  it('ENG-17 the chosen camera is seen on the other side, replaced while it is unplugged, and seen again when it is back', async () => {
    const shelf = cameras()
    const { visitor, agent } = start(shelf)
    await visitor.engine.chooseDevice('Video', 'blue')
    await pair.transit({ Video: 'tx' })
    const sees = sight(agent)
    await sees(COLOURS.blue)
    const blue = shelf.unplug('blue')
    await sees(COLOURS.red)
    expect([visitor.engine.chosenDevice('Video'), shelf.live]).toEqual(['blue', 1])
    shelf.plug(blue)
    await sees(COLOURS.blue)
    await visitor.engine.chooseDevice('Video', 'red')
    await sees(COLOURS.red)
    expect(shelf.live).toBe(1)
    expect(visitor.events.map(({ type }) => type)).toEqual(['data_changed', 'data_changed', 'data_changed'])
    await visitor.engine.stop()
    expect([shelf.live, shelf.listeners]).toEqual([0, 0])
  })

  it('ENG-11 ENG-17 the last camera unplugged is reported, and a device that cannot start leaves the one before', async () => {
    const shelf = cameras()
    const { visitor, agent } = start(shelf)
    await pair.transit({ Video: 'tx' })
    shelf.failures.push(Object.assign(new Error('busy'), { name: 'NotReadableError' }))
    expect(await codeOf(visitor.engine.chooseDevice('Video', 'blue'))).toBe('media_in_use')
    await sight(agent)(COLOURS.red)
    shelf.unplug('blue')
    shelf.unplug('red')
    await until('the report', () => visitor.events.some(({ type }) => type === 'capture_ended'))
    expect([visitor.events.filter(({ type }) => type === 'capture_ended'), shelf.live]).toEqual([
      [{ type: 'capture_ended', medium: 'Video' }],
      0,
    ])
  })

  it('ENG-7 ENG-17 a muted microphone stays silent over a change of devices, and a new one is heard when unmuted', async () => {
    const shelf = new DeviceShelf([built, headset])
    const { visitor, agent } = start(shelf)
    await pair.transit({ Voice: 'tx' })
    const ear = listen(trackOf(agent.rx('Voice'), 'audio'))
    toStop.push(ear)
    await until('sound', () => ear.level > 8_000)
    visitor.engine.muteLocalAudio()
    await until('silence', () => ear.level === 0)
    ear.loudest = 0
    await visitor.engine.chooseDevice('Voice', 'headset')
    shelf.unplug('headset')
    await until(
      'another microphone',
      () => shelf.live === 1 && visitor.tx('Voice')?.getTracks()[0]?.getSettings().deviceId === 'built',
    )
    expect(
      visitor
        .tx('Voice')
        ?.getTracks()
        .map(({ enabled }) => enabled),
    ).toEqual([false])
    expect(ear.loudest).toBeLessThan(100)
    visitor.engine.unmuteLocalAudio()
    await until('sound', () => ear.level > 8_000)
  })

  it('MED-32 a device chosen in the middle of a transition is used after it', async () => {
    const shelf = cameras()
    const { visitor, agent } = start(shelf)
    shelf.hold()
    const done = pair.transit({ Video: 'tx' })
    await until('the question', () => shelf.asked.length === 1)
    const chosen = visitor.engine.chooseDevice('Video', 'blue')
    shelf.answer()
    await Promise.all([done, chosen])
    await sight(agent)(COLOURS.blue)
  })

  it('ENG-7 ENG-24 on hold nothing is sent or played, whatever comes, the other side is told, and what was muted stays so', async () => {
    const shelf = cameras()
    const { visitor, agent } = start(shelf)
    await pair.transit({ Video: 'tx rx' })
    const [sees, seenByVisitor] = [sight(agent), sight(visitor)]
    await Promise.all([sees(COLOURS.red), seenByVisitor(COLOURS.red)])
    visitor.engine.hold()
    await Promise.all([sees([0, 0, 0]), seenByVisitor([0, 0, 0])])
    await visitor.engine.chooseDevice('Video', 'blue')
    await pair.transit({ Video: 'tx rx', Screen: 'tx' })
    expect(
      [visitor.tx('Video'), visitor.tx('Screen')].flatMap((stream) =>
        stream?.getTracks().map(({ enabled }) => enabled),
      ),
    ).toEqual([false, false])
    await until('the other side knows', () => agent.events.length === 1)
    visitor.engine.muteLocalVideo()
    visitor.engine.resume()
    expect(
      visitor
        .tx('Video')
        ?.getTracks()
        .map(({ enabled }) => enabled),
    ).toEqual([false])
    visitor.engine.unmuteLocalVideo()
    await Promise.all([sees(COLOURS.blue), seenByVisitor(COLOURS.red)])
    await until('the other side knows', () => agent.events.length === 4)
    expect(agent.events).toEqual([
      { type: 'remote_held', on: true },
      { type: 'remote_muted', muted: ['Video'] },
      { type: 'remote_held', on: false },
      { type: 'remote_muted', muted: [] },
    ])
  })

  it('ENG-25 constraints reach the device in use and every later one; what it cannot do is told', async () => {
    const shelf = cameras()
    const { visitor } = start(shelf)
    await pair.transit({ Video: 'tx' })
    await visitor.engine.setConstraints('Video', { width: { ideal: 640 } })
    await visitor.engine.chooseDevice('Video', 'blue')
    expect([shelf.applied, shelf.asked.at(-1)]).toEqual([
      [{ width: { ideal: 640 } }],
      { video: { width: { ideal: 640 }, deviceId: { exact: 'blue' } } },
    ])
    expect(await codeOf(visitor.engine.setConstraints('Video', { width: { exact: 9_999_999 } }))).toBe(
      'media_not_found',
    )
  })
})
