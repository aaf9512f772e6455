import { afterEach, describe, expect, it } from 'vitest'
import type { JsonValue } from '../../protocol/index.ts'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, codeOf } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

interface Offer {
  readonly attempt: string
  readonly peer: JsonValue
}

const offerOf = ({ sent }: Party): Offer =>
  sent.find((signal) => JSON.stringify(signal).includes('"offer"')) as unknown as Offer

describe('WebRtcEngine: attempts that follow each other', () => {
  let pair = new EnginePair()
  const start = (...options: ConstructorParameters<typeof EnginePair>): EnginePair =>
    (pair = new EnginePair(...options))

  afterEach(() => pair.end())

  /** In a call the visitor's side ends an attempt, starts another one, and ends that, too. */
  async function twoAttemptsEnd(): Promise<void> {
    const { visitor, agent } = pair
    await pair.transit({ Voice: 'tx rx' })
    const { attempt, peer } = offerOf(visitor)
    for (const signal of [
      { attempt, type: 'bye' },
      { attempt: 'second', peer },
      { attempt: 'second', type: 'bye' },
    ])
      agent.engine.receive(signal)
    await settled()
  }

  it('SND-302 two attempts that end within 5 s leave no timer when the call is over', async () => {
    start()
    pair.tamper = (from, data) => (from === 'agent' && 'type' in (data as object) ? undefined : data)
    await twoAttemptsEnd()
    await pair.stop()
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('SND-302 what ended in an earlier call does not break the next one', async () => {
    const { visitor, agent, clock } = start()
    await twoAttemptsEnd()
    await Promise.all([visitor.transit({}), agent.transit({})])
    await clock.advance(3_000)
    agent.events.length = 0
    const next = codeOf(agent.transit({ Voice: 'tx rx' }))
    await settled()
    await clock.advance(2_500)
    expect(agent.events).toEqual([])
    await visitor.transit({ Voice: 'tx rx' })
    expect(await next).toBe('done')
  })

  it('SND-302 ENG-24 who takes the call back while it is connected anew is not held to be holding', async () => {
    const { visitor, agent } = start()
    const held = (): unknown[] =>
      agent.events.flatMap((event) => (event.type === 'remote_held' ? [event.on] : []))
    await pair.transit({ Voice: 'tx rx' })
    visitor.engine.hold()
    await until('it is told', () => held().length === 1)
    pair.hold()
    visitor.engine.receive({ type: 'want' })
    visitor.engine.resume()
    pair.release()
    await until('it is told again', () => held().length === 2)
    expect(held()).toEqual([true, false])
  })

  it('SND-306 ENG-19 a remote that begins attempts, or negotiates, without end costs a bounded number of fetches and connections, and then eight a second', async () => {
    const { agent, clock } = start()
    await pair.transit({ Voice: 'tx rx' })
    const [fetches, made] = [agent.serverFetches, agent.counted.made.length]
    const flood = async (from: number): Promise<void> => {
      for (let n = from; n < from + 100; n++) {
        agent.engine.receive({ attempt: `a${n}`, peer: { type: 'offer', sdp: 'v=0\r\n' } })
        await settled()
      }
    }
    await flood(0)
    expect(agent.serverFetches - fetches).toBeLessThanOrEqual(64)
    expect(agent.counted.made.length - made).toBeLessThanOrEqual(64)
    const before = agent.serverFetches
    await clock.advance(1_000)
    await flood(100)
    expect(agent.serverFetches - before).toBe(8)
  })

  it('SND-306 ENG-18 a remote that asks for restarts while no servers can be had makes this side ask once a second', async () => {
    const { visitor } = start()
    await pair.transit({ Voice: 'tx rx' })
    visitor.servers = () => Promise.reject(new Error('rate_limited'))
    const before = visitor.serverFetches
    for (let n = 0; n < 50; n++) {
      visitor.engine.receive({ attempt: offerOf(visitor).attempt, type: 'restart' })
      await settled()
    }
    expect(visitor.serverFetches - before).toBe(1)
  })

  it('SND-302 ENG-19 ICE servers that never come do not keep the other side’s restart from being answered', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const before = agent.ufrag
    agent.servers = () => new Promise(() => {})
    await pair.clock.advance(2_000)
    visitor.engine.receive({ attempt: offerOf(visitor).attempt, type: 'restart' })
    await until('the servers are asked for', () => agent.serverFetches === 2)
    await pair.clock.advance(2_000)
    await until('the answer', () => agent.ufrag !== before)
  })
})
