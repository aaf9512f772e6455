import { afterEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../protocol/index.ts'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const mutes = ({ events }: Party): unknown[] =>
  events.flatMap((event) => (event.type === 'remote_muted' ? [event.muted.join()] : []))

const isNotice = (signal: JsonValue): boolean => /"type":"(hold|resume|muted)"/.test(JSON.stringify(signal))

const attemptOf = ({ sent }: Party): string =>
  (sent.find((signal) => JSON.stringify(signal).includes('"attempt"')) as { attempt: string }).attempt

describe('WebRtcEngine: what the other side has muted', () => {
  let pair = new EnginePair()
  const start = (): EnginePair => (pair = new EnginePair())

  afterEach(() => pair.end())

  it('ENG-27 is told as it is muted and unmuted, each once', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx', Video: 'tx rx' })
    visitor.engine.muteLocalAudio()
    visitor.engine.muteLocalAudio()
    visitor.engine.muteLocalVideo()
    visitor.engine.unmuteLocalAudio()
    visitor.engine.unmuteLocalAudio()
    await until('it is told', () => mutes(agent).length >= 3)
    await settled()
    expect([mutes(agent), mutes(visitor)]).toEqual([['Voice', 'Voice,Video', 'Video'], []])
  })

  it('ENG-27 is told of what was muted before the call, and not of what was unmuted by then', async () => {
    const { visitor, agent } = start()
    visitor.engine.muteLocalVideo()
    agent.engine.muteLocalAudio()
    agent.engine.unmuteLocalAudio()
    expect([visitor.sent, agent.sent]).toEqual([[], []])
    await pair.transit({ Voice: 'tx rx' })
    await until('it is told', () => mutes(agent).length === 1)
    await settled()
    expect([mutes(agent), agent.sent.filter(isNotice)]).toEqual([['Video'], []])
  })

  it('ENG-27 is told of what was muted before the contact had the engine', async () => {
    pair = new EnginePair({ visitor: { made: (engine) => engine.muteLocalAudio() } })
    await pair.transit({ Voice: 'tx rx' })
    await until('it is told', () => mutes(pair.agent).length === 1)
    expect(mutes(pair.agent)).toEqual(['Voice'])
  })

  it('ENG-27 is told over the next connection, also that it is over', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    visitor.engine.muteLocalAudio()
    await until('it is told', () => mutes(agent).length === 1)
    pair.hold()
    visitor.engine.receive({ type: 'want' })
    visitor.engine.unmuteLocalAudio()
    pair.release()
    await until('it is told again', () => mutes(agent).length === 2)
    expect(mutes(agent)).toEqual(['Voice', ''])
  })

  it('ENG-27 is forgotten with the call: the next one begins anew', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    visitor.engine.muteLocalAudio()
    await until('it is told', () => mutes(agent).length === 1)
    await pair.transit({})
    visitor.engine.unmuteLocalAudio()
    const before = visitor.sent.length
    await pair.transit({ Voice: 'tx rx' })
    await settled()
    expect(visitor.sent.slice(before).filter(isNotice)).toEqual([])
    visitor.engine.muteLocalAudio()
    await until('it is told', () => mutes(agent).length === 2)
    expect(mutes(agent)).toEqual(['Voice', 'Voice'])
  })

  it('ENG-27 SND-302 a notice that is malformed or of another attempt is dropped, and media that this version does not know are passed over', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const attempt = attemptOf(visitor)
    const before = agent.engine.droppedSignals
    for (const media of ['Voice', { Voice: true }, null, Array.from({ length: 9 }, () => 'Voice')])
      agent.engine.receive({ attempt, type: 'muted', media })
    agent.engine.receive({ attempt: 'another', type: 'muted', media: ['Voice'] })
    agent.engine.receive({ type: 'muted', media: ['Voice'] })
    expect([mutes(agent), agent.engine.droppedSignals - before]).toEqual([[], 6])
    agent.engine.receive({ attempt, type: 'muted', media: ['Scent', 'Video', 7, 'Voice', 'Video'] })
    agent.engine.receive({ attempt, type: 'muted', media: ['Video', 'Voice'] })
    expect(mutes(agent)).toEqual(['Voice,Video'])
  })

  it('SND-306 ENG-27 ENG-24 a remote that tells of its controls without end is heard a bounded number of times, and then eight a second', async () => {
    const { visitor, agent, clock } = start()
    await pair.transit({ Voice: 'tx rx' })
    const attempt = attemptOf(visitor)
    const flood = (): number => {
      const before = agent.events.length
      for (let n = 0; n < 100; n++) {
        agent.engine.receive({ attempt, type: 'muted', media: n % 2 ? [] : ['Voice'] })
        agent.engine.receive({ attempt, type: n % 2 ? 'resume' : 'hold' })
      }
      return agent.events.length - before
    }
    expect(flood()).toBe(64)
    await clock.advance(1_000)
    expect(flood()).toBe(8)
  })
})
