import { afterEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../protocol/index.ts'
import { settled } from '../../testing/test-clock.ts'
import { Counters } from '../support/counters.ts'
import { EnginePair, NOTHING_LEFT, codeOf, picture } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const TURN = { urls: ['turn:turn.example:3478'], username: '1700000000:u', credential: 'c' }

describe('WebRtcEngine: a network that is lost', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))
  const faulty = () => {
    const { visitor, agent } = start({ visitor: { faulty: true }, agent: { faulty: true } })
    return { visitor, agent, networks: { visitor: visitor.network, agent: agent.network } }
  }

  afterEach(() => pair.end())

  it.each(['visitor', 'agent'] as const)(
    'ENG-18 ENG-19 the %s loses the network: ICE restarts with fresh servers, and the call goes on',
    async (loser) => {
      const { visitor, agent, networks } = faulty()
      await pair.transit({ Video: 'tx' })
      visitor.servers = agent.servers = () => Promise.resolve([TURN])
      const fetches = [visitor.serverFetches, agent.serverFetches]
      const ufrags = [visitor.ufrag, agent.ufrag]
      networks[loser].cut()
      await pair.clock.advance(0)
      await until('a restart', () => networks.visitor.restarts.length === 1)
      expect(networks.visitor.restarts[0]).toEqual([TURN])
      await until('new ICE sessions', () => visitor.ufrag !== ufrags[0] && agent.ufrag !== ufrags[1])
      networks[loser].heal()
      await pair.clock.advance(60_000)
      expect([visitor.serverFetches, agent.serverFetches, networks.visitor.restarts.length]).toEqual([
        (fetches[0] ?? 0) + 1,
        (fetches[1] ?? 0) + 1,
        1,
      ])
      expect(agent.counted.made[0]?.getConfiguration().iceServers).toMatchObject([
        { credential: TURN.credential },
      ])
      expect([...visitor.events, ...agent.events]).toEqual([])
      await picture(agent)
    },
  )

  it('ENG-10 ENG-18 a loss that the browser has not noticed restarts ICE with fresh servers and back-off, the second within ten seconds as the first, and no other step is taken', async () => {
    const { visitor, agent, networks } = faulty()
    await pair.transit({ Voice: 'tx rx', Video: 'tx rx' })
    visitor.servers = () => Promise.resolve([TURN])
    const asks = (data: JsonValue): boolean => (data as { type?: string }).type === 'restart'
    pair.tamper = (_from, data) => (asks(data) ? undefined : data)
    const counters = new Counters()
    networks.visitor.report = networks.agent.report = () => counters.report()
    const pass = async (
      seconds: number,
      flowing: readonly ('Voice' | 'Video')[],
      isCut = false,
    ): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        counters.pass(1_000, flowing, isCut)
        await pair.clock.advance(1_000)
        await settled()
      }
    }
    await pass(3, ['Voice', 'Video'])
    for (const round of [1, 2]) {
      await pass(7, [], true)
      expect(networks.visitor.restarts).toEqual(Array.from({ length: 3 * round }, () => [TURN]))
      await pass(1, ['Voice'])
      await pass(5, ['Voice', 'Video'])
      expect(networks.visitor.restarts.length).toBe(3 * round)
    }
    const told = ['Voice,Video ice_restart', 'Video ice_restart', ' null']
    for (const { events } of pair.parties)
      expect(
        events.map((event) => event.type === 'liveness' && `${event.silent.join()} ${event.step}`),
      ).toEqual([...told, ...told])
    expect(agent.sent.filter(asks).length).toBe(6)
    await picture(agent)
  })

  it('ENG-24 a hold that begins or ends while the network is lost is told, and each only once', async () => {
    const { visitor, agent, networks } = faulty()
    await pair.transit({ Voice: 'tx rx' })
    networks.visitor.cut('disconnected')
    await pair.clock.advance(0)
    await until('a restart', () => networks.visitor.restarts.length === 1)
    visitor.engine.resume()
    visitor.engine.hold()
    visitor.engine.hold()
    visitor.engine.resume()
    networks.visitor.heal()
    await until('the other side knows', () => agent.events.length >= 2)
    await settled()
    expect(agent.events).toEqual([
      { type: 'remote_held', on: true },
      { type: 'remote_held', on: false },
    ])
  })

  it('ENG-18 restarts are bounded, with back-off, and then the engine is broken', async () => {
    const { visitor, agent, networks } = faulty()
    await pair.transit({ Voice: 'tx rx' })
    networks.visitor.cut('disconnected')
    networks.visitor.cut('failed')
    const at: number[] = []
    for (let second = 0; second <= 40; second++) {
      const { length } = networks.visitor.restarts
      await pair.clock.advance(second === 0 ? 0 : 1_000)
      await settled()
      if (networks.visitor.restarts.length > length) at.push(second)
      if (visitor.events.length > 0) break
    }
    expect(at).toEqual([0, 1, 3, 7, 15])
    expect(visitor.events).toMatchObject([{ type: 'broke', error: { code: 'engine_failed' } }])
    await until('the agent is told', () => agent.counted.open() === 0)
    await pair.clock.advance(5_000)
    expect(agent.events).toMatchObject([{ type: 'liveness', step: 'ice_restart' }, { type: 'broke' }])
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('ENG-19 a restart whose answering side gets no servers goes on with those of before, and requests for servers are limited to one a second', async () => {
    const { visitor, agent, networks } = faulty()
    await pair.transit({ Video: 'tx' })
    agent.servers = () => Promise.reject(new Error('offline'))
    const before = agent.serverFetches
    const ufrag = agent.ufrag
    networks.visitor.cut()
    await pair.clock.advance(0)
    await until('a new ICE session', () => agent.ufrag !== ufrag)
    networks.visitor.heal()
    await picture(agent)
    const restart = visitor.sent.findLast((data) => JSON.stringify(data).includes('"offer"')) ?? null
    for (let i = 0; i < 20; i++)
      agent.engine.receive(
        JSON.parse(
          JSON.stringify(restart).replace(/ice-ufrag:.{4}/g, `ice-ufrag:x${String(i).padStart(3, '0')}`),
        ),
      )
    await settled()
    expect(agent.serverFetches).toBe(before + 1)
  })

  it('ENG-18 a restart that finds the service out of reach is tried again', async () => {
    const { visitor, networks } = faulty()
    await pair.transit({ Voice: 'tx rx' })
    visitor.servers = () => Promise.reject(new Error('offline'))
    networks.visitor.cut()
    await pair.clock.advance(1_000)
    expect(networks.visitor.restarts).toEqual([])
    visitor.servers = () => Promise.resolve([])
    await pair.clock.advance(2_000)
    expect(networks.visitor.restarts.length).toBe(1)
    networks.visitor.heal()
  })

  it('ENG-18 restart requests of the other side are limited to one a second', async () => {
    const { visitor, networks } = faulty()
    await pair.transit({ Voice: 'tx rx' })
    const attempt = (visitor.sent[0] as { attempt: string }).attempt
    for (let i = 0; i < 50; i++) visitor.engine.receive({ attempt, type: 'restart' })
    await settled()
    expect(networks.visitor.restarts.length).toBe(1)
  })

  it('LIFE-20 stop in the middle of a restart leaves nothing', async () => {
    const { visitor, networks } = faulty()
    await pair.transit({ Voice: 'tx rx' })
    visitor.servers = () => new Promise(() => {})
    networks.visitor.cut()
    await pair.clock.advance(0)
    await Promise.all(pair.parties.map(({ engine }) => engine.stop()))
    expect(pair.leftovers).toEqual(NOTHING_LEFT)
  })

  it('ENG-18 while the network is gone, a hang-up works at once and an upgrade waits for it', async () => {
    const { visitor, agent, networks } = faulty()
    await pair.transit({ Voice: 'tx rx', Video: 'tx' })
    networks.visitor.cut()
    await settled()
    await pair.transit({ Voice: 'tx rx' })
    const upgrade = codeOf(visitor.transit({ Voice: 'tx rx', Video: 'tx' }))
    const follow = codeOf(agent.transit({ Voice: 'tx rx', Video: 'rx' }))
    await settled()
    expect(await Promise.race([upgrade, Promise.resolve('pending')])).toBe('pending')
    networks.visitor.heal()
    expect(await Promise.all([upgrade, follow])).toEqual(['done', 'done'])
  })
})
