import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/test-clock.ts'
import { COLOURS } from '../support/camera.ts'
import { EnginePair, NOTHING_LEFT } from '../support/engine-pair.ts'
import { listen, shows, trackOf, until, watch } from '../support/node-media.ts'

describe('WebRtcEngine: media flow', () => {
  let pair = new EnginePair()
  const toStop: { stop(): void }[] = []
  const stopLater = <T extends { stop(): void }>(thing: T): T => {
    toStop.push(thing)
    return thing
  }
  const sight = (stream: MediaStream | undefined) => stopLater(watch(trackOf(stream, 'video')))
  const ear = (stream: MediaStream | undefined) => stopLater(listen(trackOf(stream, 'audio')))
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))

  afterEach(async () => {
    for (const thing of toStop.splice(0)) thing.stop()
    await pair.end()
  })

  it('ENG-5 ENG-6 Voice and Video flow both ways, and data has exactly the streams that are on', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx', Video: 'tx rx' })
    for (const { rx, tx, engine } of [visitor, agent]) {
      const [sound, picture] = [ear(rx('Voice')), sight(rx('Video'))]
      await until('sound', () => sound.level > 8_000)
      await until('picture', () => shows(picture, COLOURS.red))
      expect(Object.keys(engine.data())).toEqual(['Voice', 'Video'])
      expect([tx('Voice'), tx('Video')].map((stream) => stream?.getTracks().length)).toEqual([1, 1])
    }
    expect([visitor, agent].map(({ devices }) => devices.asked)).toEqual([
      [{ audio: true, video: true }],
      [{ audio: true, video: true }],
    ])
    expect(visitor.engine.droppedSignals + agent.engine.droppedSignals).toBe(0)
  })

  it('ENG-5 each direction is on its own: Video one way, Screen the other way', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx', Screen: 'rx' })
    expect(Object.keys(visitor.engine.data()['Video'] ?? {})).toEqual(['tx_stream'])
    expect(Object.keys(visitor.engine.data()['Screen'] ?? {})).toEqual(['rx_stream'])
    const [camera, screen] = [sight(agent.rx('Video')), sight(visitor.rx('Screen'))]
    await until('camera', () => shows(camera, COLOURS.red))
    await until('screen', () => shows(screen, COLOURS.blue))
    expect([visitor, agent].map(({ devices }) => devices.live)).toEqual([1, 1])
  })

  it('ENG-5 what is turned off is given back and not heard any more, the rest goes on', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx', Video: 'tx rx' })
    const [picture, old] = [sight(agent.rx('Video')), ear(agent.rx('Voice'))]
    await until('sound', () => old.level > 8_000)
    await pair.transit({ Video: 'tx rx' })
    expect([visitor.devices.live, agent.devices.live, visitor.rx('Voice'), visitor.tx('Voice')]).toEqual([
      1,
      1,
      undefined,
      undefined,
    ])
    const { frames } = picture
    await until('more frames', () => picture.frames > frames + 5)
    await until('silence', () => old.level === 0)
  })

  it('ENG-5 ENG-6 what is not received any more leaves the stream and the data, also of a medium that stays on', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const stream = visitor.rx('Voice')
    expect(stream?.getTracks().length).toBe(1)
    await pair.transit({ Voice: 'tx' })
    expect([
      stream?.getTracks().length,
      Object.keys(visitor.engine.data()['Voice'] ?? {}),
      agent.devices.live,
    ]).toEqual([0, ['tx_stream'], 0])
  })

  it('ENG-5 the first of both sides may be any, and signals may come before transit', async () => {
    for (const first of ['visitor', 'agent'] as const) {
      const { visitor, agent } = start()
      const [one, other] = first === 'visitor' ? [visitor, agent] : [agent, visitor]
      const early = one.transit({ Voice: 'tx rx' })
      await until('signals', () => one.sent.length > 0 && (first === 'agent' || one.sent.length > 3))
      await settled()
      expect(other.counted.open()).toBe(0)
      expect(other.devices.asked).toEqual([])
      await Promise.all([early, other.transit({ Voice: 'tx rx' })])
      const sound = ear(other.rx('Voice'))
      await until('sound', () => sound.level > 8_000)
      sound.stop()
      toStop.pop()
      await pair.stop()
    }
  })

  it('ENG-8 100 changes of media leave the number of SDP sections as it was, and signal nothing', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const before = {
      sections: [visitor.sections, agent.sections],
      told: [visitor.told.length, agent.told.length],
      connections: [visitor.counted.made.length, agent.counted.made.length],
    }
    for (let i = 0; i < 50; i++) {
      await pair.transit({ Voice: 'tx rx', Video: 'tx rx', Screen: i % 2 ? 'tx' : 'rx' })
      await pair.transit({ Voice: 'tx rx' })
    }
    expect({
      sections: [visitor.sections, agent.sections],
      told: [visitor.told.length, agent.told.length],
      connections: [visitor.counted.made.length, agent.counted.made.length],
    }).toEqual(before)
    expect(before.sections).toEqual([5, 5])
    await pair.transit({ Voice: 'tx rx', Video: 'tx' })
    const picture = sight(agent.rx('Video'))
    await until('picture', () => shows(picture, COLOURS.red))
    expect(pair.leftovers).toEqual({ tracks: 3, connections: 2, timers: 2 })
  })

  it('ENG-7 muted stays muted when Voice is turned off and on, and unmute gives the sound back', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    const sound = ear(agent.rx('Voice'))
    await until('sound', () => sound.level > 8_000)
    visitor.engine.muteLocalAudio()
    await until('silence', () => sound.level === 0)
    await pair.transit({ Video: 'tx' })
    await pair.transit({ Voice: 'tx', Video: 'tx' })
    expect(
      visitor
        .tx('Voice')
        ?.getTracks()
        .map(({ enabled }) => enabled),
    ).toEqual([false])
    const [again, clock] = [ear(agent.rx('Voice')), sight(agent.rx('Video'))]
    await until('half a second', () => clock.frames > 15)
    expect(again.loudest).toBeLessThan(100)
    visitor.engine.unmuteLocalAudio()
    await until('sound', () => again.level > 8_000)
    expect([visitor.engine.isLocalAudioMuted, visitor.engine.isLocalVideoMuted]).toEqual([false, false])
  })

  it('ENG-7 a muted camera sends black', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx' })
    const picture = sight(agent.rx('Video'))
    await until('picture', () => shows(picture, COLOURS.red))
    visitor.engine.muteLocalVideo()
    await until('black', () => shows(picture, [0, 0, 0]))
    expect(visitor.engine.isLocalVideoMuted).toBe(true)
    visitor.engine.unmuteLocalVideo()
    await until('picture', () => shows(picture, COLOURS.red))
  })

  it('ENG-5 the last medium off closes the connection on both sides, and a next call connects again', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    await pair.transit({})
    await settled()
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
    expect([visitor.engine.data(), agent.engine.data()]).toEqual([{}, {}])
    await pair.transit({ Video: 'rx' })
    const picture = sight(visitor.rx('Video'))
    await until('picture', () => shows(picture, COLOURS.red))
    expect([...visitor.events, ...agent.events]).toEqual([])
  })

  it('ENG-5 the agent hangs up long before the visitor reads it: nothing breaks', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    await agent.transit({})
    await until('the connection is gone', () => visitor.counted.open() === 0)
    await pair.clock.advance(4_000)
    await visitor.transit({})
    await pair.clock.advance(60_000)
    expect([...visitor.events, ...agent.events]).toEqual([])
  })
})
