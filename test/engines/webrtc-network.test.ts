import { afterEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../protocol/index.ts'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, codeOf, media, picture } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const TURN = { urls: ['turn:turn.example:3478'], username: '1700000000:u', credential: 'c' }

describe('WebRtcEngine: attempts, signals, the network', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))
  const isUp = (party: Party): boolean =>
    ['connected', 'completed'].includes(party.counted.made.at(-1)?.iceConnectionState ?? '')

  afterEach(() => pair.end())

  it('ENG-19 no connection within 15 s gives engine_failed, and ICE servers are fetched for every attempt', async () => {
    const { visitor, agent } = start()
    visitor.servers = () => Promise.resolve([TURN])
    pair.tamper = () => undefined
    for (const party of [visitor, agent]) {
      const transit = codeOf(party.transit({ Voice: 'rx' }))
      if (party === visitor) await until('an attempt', () => visitor.counted.made.length === 1)
      await pair.clock.advance(14_999)
      const early = await Promise.race([transit, settled().then(() => 'pending')])
      await pair.clock.advance(1)
      expect([early, await transit]).toEqual(['pending', 'engine_failed'])
      await party.engine.undo({})
    }
    expect([
      visitor.serverFetches,
      visitor.counted.made[0]?.getConfiguration().iceServers?.[0],
    ]).toMatchObject([1, { username: TURN.username, credential: TURN.credential }])
    pair.tamper = (_from, data) => data
    await pair.transit({ Voice: 'rx' })
    expect(visitor.serverFetches).toBe(2)
  })

  it('ENG-19 servers asked for while a call is prepared are used for its start, once, and not when they are old', async () => {
    const { visitor, agent } = start()
    visitor.servers = () => Promise.resolve([TURN])
    const prepare = () => visitor.engine.prepare(media({ Voice: 'tx' }))
    await prepare()
    await prepare()
    expect(visitor.serverFetches).toBe(1)
    await pair.transit({ Voice: 'tx' })
    expect([
      visitor.serverFetches,
      visitor.counted.made[0]?.getConfiguration().iceServers?.[0]?.username,
    ]).toEqual([1, TURN.username])
    await pair.transit({})
    await prepare()
    await pair.clock.advance(60_000)
    await pair.transit({ Voice: 'tx' })
    expect([visitor.serverFetches, agent.serverFetches]).toEqual([3, 2])
  })

  it('ENG-19 servers that could not be asked for ahead of time are asked for again', async () => {
    const { visitor } = start()
    visitor.servers = () => Promise.reject(new Error('offline'))
    await visitor.engine.prepare(media({ Voice: 'tx' }))
    visitor.servers = () => Promise.resolve([])
    await pair.transit({ Voice: 'tx' })
    expect(visitor.serverFetches).toBe(2)
  })

  it('ENG-19 ICE servers that cannot be fetched, and a browser without WebRTC, give engine_failed', async () => {
    const { visitor, agent } = start({ agent: { wrtc: undefined as never } })
    visitor.servers = () => Promise.reject(new Error('no line'))
    expect(await codeOf(visitor.transit({ Voice: 'tx' }))).toBe('engine_failed')
    await visitor.engine.undo({})
    expect(await agent.engine.capabilities()).toEqual({})
    expect(await visitor.engine.capabilities()).toEqual({
      Voice: { via: 'net' },
      Video: { via: 'net' },
      Screen: { via: 'net' },
    })
  })

  it('ENG-22 the policy and the servers reach the connection', async () => {
    const { visitor } = start({ visitor: { iceTransportPolicy: 'relay' } })
    visitor.servers = () => Promise.resolve([TURN])
    const transit = codeOf(visitor.transit({ Voice: 'rx' }))
    await until('a connection', () => visitor.counted.made.length === 1)
    expect(visitor.counted.made[0]?.getConfiguration()).toMatchObject({
      iceTransportPolicy: 'relay',
      bundlePolicy: 'max-bundle',
    })
    await visitor.engine.stop()
    expect(await transit).toBe('left')
  })

  it('ENG-20 signals of an attempt that is over are dropped and counted', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const old = {
      visitor: [...visitor.sent],
      agent: agent.sent.filter((data) => JSON.stringify(data).includes('attempt')),
    }
    await pair.transit({})
    await pair.transit({ Video: 'tx' })
    const before = [visitor.engine.droppedSignals, agent.engine.droppedSignals]
    for (const data of old.visitor) agent.engine.receive(data)
    for (const data of old.agent) visitor.engine.receive(data)
    expect([visitor.engine.droppedSignals, agent.engine.droppedSignals]).toEqual([
      (before[0] ?? 0) + old.agent.length,
      (before[1] ?? 0) + old.visitor.length,
    ])
    await picture(agent)
    expect([...visitor.events, ...agent.events]).toEqual([])
  })

  it('ENG-20 malformed signals, and ones that do not fit, are dropped and counted; the call goes on', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx' })
    const attempt = (visitor.sent[0] as { attempt: string }).attempt
    const garbage: JsonValue[] = [
      null,
      'bye',
      [],
      {},
      { type: 'nonsense' },
      { attempt: 7, type: 'bye' },
      { attempt: 'x'.repeat(99), type: 'bye' },
      { attempt, peer: null },
      { attempt, peer: { type: 'offer', sdp: 'hello' } },
      { attempt, peer: { type: 'offer', sdp: `v=0${'x'.repeat(70_000)}` } },
      { attempt, peer: { type: 'pranswer', sdp: 'v=0' } },
      {
        attempt,
        peer: {
          type: 'candidate',
          candidate: { candidate: 'candidate:1', sdpMid: null, sdpMLineIndex: null },
        },
      },
      { attempt, peer: { type: 'candidate', candidate: { candidate: 'x', sdpMid: '0', sdpMLineIndex: 0 } } },
      {
        attempt,
        peer: {
          type: 'candidate',
          candidate: { candidate: 'candidate:1 1 udp', sdpMid: '0', sdpMLineIndex: -1 },
        },
      },
      { attempt, peer: { type: 'candidate', candidate: 'candidate:1' } },
      { attempt, peer: { type: 'answer', sdp: 'v=0' } },
      { attempt, peer: { type: 'renegotiate', renegotiate: true } },
      { attempt, peer: { type: 'transceiverRequest', transceiverRequest: { kind: 'video' } } },
    ]
    const before = [visitor.engine.droppedSignals, agent.engine.droppedSignals]
    for (const data of garbage) {
      visitor.engine.receive(data)
      agent.engine.receive(data)
    }
    visitor.engine.receive({ attempt, peer: { type: 'offer', sdp: 'v=0\r\n' } })
    expect([visitor.engine.droppedSignals, agent.engine.droppedSignals]).toEqual([
      (before[0] ?? 0) + garbage.length + 1,
      (before[1] ?? 0) + garbage.length,
    ])
    agent.engine.receive({
      attempt,
      peer: {
        type: 'candidate',
        candidate: { candidate: 'candidate:garbage', sdpMid: '0', sdpMLineIndex: 0 },
      },
    })
    await until(
      'the refused candidate',
      () => agent.engine.droppedSignals === (before[1] ?? 0) + garbage.length + 1,
    )
    await picture(agent)
    expect([...visitor.events, ...agent.events]).toEqual([])
  })

  it('ENG-20 NEG-7 a hostile visitor gets no connection, no address and no device before the agent consents', async () => {
    const { visitor, agent } = start()
    const hostile = codeOf(visitor.transit({ Voice: 'tx rx' }))
    await until('its signals', () => visitor.sent.length > 2)
    const { attempt } = visitor.sent[0] as { attempt: string }
    for (let i = 0; i < 500; i++)
      agent.engine.receive({
        attempt,
        peer: { type: 'candidate', candidate: { candidate: 'candidate:1', sdpMid: '0', sdpMLineIndex: 0 } },
      })
    await settled()
    expect([agent.sent, agent.devices.asked, agent.counted.made]).toEqual([[], [], []])
    expect(agent.engine.droppedSignals).toBeGreaterThan(300)
    await visitor.engine.stop()
    expect(await hostile).toBe('left')
  })

  it('ENG-5 an agent whose connection died alone asks for another one, and the media come back in the same streams', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Video: 'tx rx' })
    const streams = [visitor.rx('Video'), agent.rx('Video')]
    pair.tamper = (from, data) =>
      from === 'agent' && (data as { type?: string }).type === 'bye' ? undefined : data
    agent.engine.receive({ attempt: (visitor.sent[0] as { attempt: string }).attempt, type: 'bye' })
    await agent.engine.undo(media({ Video: 'tx rx' }))
    await until('the visitor is up', () => visitor.counted.made.length === 2 && isUp(visitor))
    await Promise.all([picture(visitor), picture(agent)])
    expect([visitor.rx('Video'), agent.rx('Video')]).toEqual(streams)
    expect([...visitor.events, ...agent.events]).toEqual([])
  })

  it('ENG-20 an attempt that ended before the agent took part is forgotten', async () => {
    const { visitor, agent } = start()
    const abort = new AbortController()
    const failed = codeOf(visitor.transit({ Voice: 'tx rx' }, { signal: abort.signal }))
    await until('its signals', () => visitor.sent.length > 2)
    abort.abort()
    await visitor.engine.undo({})
    expect([await failed, visitor.sent.at(-1)]).toMatchObject(['left', { type: 'bye' }])
    await settled()
    const late = codeOf(agent.transit({ Voice: 'tx rx' }))
    await until('the question for an attempt', () => agent.sent.length === 1)
    expect([agent.sent, agent.counted.made]).toEqual([[{ type: 'want' }], []])
    await agent.engine.stop()
    expect(await late).toBe('left')
  })

  it('ENG-18 a connection that closes for good is reported as broken after the grace, and everything is given back', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    pair.tamper = () => undefined
    await agent.engine.stop()
    await until('the connection is gone', () => visitor.counted.open() === 0)
    await pair.clock.advance(4_999)
    expect(visitor.events).toEqual([])
    await pair.clock.advance(1)
    expect(visitor.events).toMatchObject([{ type: 'broke', error: { code: 'engine_failed' } }])
    expect([visitor.devices.live, visitor.engine.data()]).toEqual([0, {}])
    await visitor.engine.undo({})
  })
})
