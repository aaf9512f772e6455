import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../testing/test-clock.ts'
import type { Slot } from '../../protocol/index.ts'
import { EnginePair, codeOf } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

const HOWS = ['throws', 'rejects', 'never settles'] as const
type How = (typeof HOWS)[number]
/** Calls of a connection whose result is a Promise, by the side that makes them. */
const CALLS = [
  ['visitor', 'createOffer'],
  ['visitor', 'setLocalDescription'],
  ['visitor', 'setRemoteDescription'],
  ['agent', 'setRemoteDescription'],
  ['agent', 'createAnswer'],
  ['agent', 'setLocalDescription'],
] as const

/** The calls that a connection was asked for since then, all of which fail. */
function failing(connection: RTCPeerConnection | undefined, name: string, how: How): { calls: number } {
  const seen = { calls: 0 }
  const value = (): Promise<never> => {
    seen.calls++
    if (how === 'throws') throw new TypeError('thrown by the test')
    return how === 'rejects' ? Promise.reject(new TypeError('rejected by the test')) : new Promise(() => {})
  }
  Object.defineProperty(connection, name, { value, configurable: true })
  return seen
}

/** The same for the connections that a party makes from now on. */
function failingFromStart({ counted: { wrtc } }: Party, name: string, how: How): { calls: number }[] {
  const Real = wrtc.RTCPeerConnection
  const seen: { calls: number }[] = []
  const Failing = function (configuration?: RTCConfiguration): RTCPeerConnection {
    const connection = new Real(configuration)
    seen.push(failing(connection, name, how))
    return connection
  }
  Object.assign(wrtc, { RTCPeerConnection: Failing })
  return seen
}

const isCalled = (seen: readonly { readonly calls: number }[]): boolean => seen.some(({ calls }) => calls > 0)

describe('calls of RTCPeerConnection that fail', () => {
  let pair = new EnginePair()
  const start = (): EnginePair =>
    (pair = new EnginePair({ visitor: { faulty: true }, agent: { faulty: true } }))
  const offers = ({ sent }: Party): number =>
    sent.filter((signal) => JSON.stringify(signal).includes('"type":"offer"')).length
  const party = (slot: Slot): Party => pair[slot]

  afterEach(() => pair.end())

  it.each(CALLS.flatMap(([slot, name]) => HOWS.map((how) => [slot, name, how] as const)))(
    'SND-303 ENG-18 the first exchange, at the %s: %s %s; both sides fail within their limit, and nothing is left',
    async (slot, name, how) => {
      start()
      const seen = failingFromStart(party(slot), name, how)
      const ends = Promise.all(pair.parties.map((each) => codeOf(each.transit({ Voice: 'tx rx' }))))
      await until('the call', () => isCalled(seen))
      if (how !== 'never settles') await until('it is closed', () => party(slot).counted.open() === 0)
      await pair.clock.advance(15_000)
      expect(await ends).toEqual(['engine_failed', 'engine_failed'])
    },
  )

  it.each([
    ['visitor', 'createDataChannel'],
    ['visitor', 'addTransceiver'],
    ['agent', 'createDataChannel'],
    ['agent', 'getTransceivers'],
  ] as const)('SND-302 at the %s %s throws: the connection is closed', async (slot, name) => {
    start()
    const seen = failingFromStart(party(slot), name, 'throws')
    const ends = Promise.all(pair.parties.map((each) => codeOf(each.transit({ Voice: 'tx rx' }))))
    await until('the call', () => isCalled(seen))
    await until('it is closed', () => party(slot).counted.open() === 0)
    await pair.clock.advance(15_000)
    expect(await ends).toEqual(['engine_failed', 'engine_failed'])
  })

  it.each(CALLS.flatMap(([slot, name]) => HOWS.map((how) => [slot, name, how] as const)))(
    'SND-303 ENG-18 a restart, at the %s: %s %s; the engine breaks within the limit of restarts, and nothing is left',
    async (slot, name, how) => {
      const { visitor } = start()
      await pair.transit({ Voice: 'tx rx' })
      const seen = failing(party(slot).counted.made[0], name, how)
      visitor.network.cut()
      await pair.clock.advance(0)
      await until('the call', () => isCalled([seen]))
      await settled()
      await pair.clock.advance(35_000)
      expect(visitor.events.at(-1)).toMatchObject({ type: 'broke', error: { code: 'engine_failed' } })
      await until('both are closed', () => pair.parties.every(({ counted }) => counted.open() === 0))
      await pair.clock.advance(5_000)
      expect(pair.agent.events.at(-1)).toMatchObject({ type: 'broke', error: { code: 'engine_failed' } })
    },
  )

  it.each(HOWS)('SND-302 ENG-20 addIceCandidate %s: it is passed over, and the call goes on', async (how) => {
    const { agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const before = agent.engine.droppedSignals
    failing(agent.counted.made[0], 'addIceCandidate', how)
    const { attempt } = pair.visitor.sent[0] as { attempt: string }
    const candidate = { candidate: 'candidate:1 1 udp 1 192.0.2.1 9 typ host', sdpMid: '0' }
    agent.engine.receive({ attempt, peer: { type: 'candidate', candidate } })
    await settled()
    expect([agent.engine.droppedSignals - before, agent.events, agent.counted.open()]).toEqual([
      how === 'never settles' ? 0 : 1,
      [],
      1,
    ])
  })

  it.each(['visitor', 'agent'] as const)(
    'SND-302 ENG-19 servers that the browser of the %s refuses: a restart is carried out with those of before',
    async (slot) => {
      const { visitor, agent } = start()
      await pair.transit({ Voice: 'tx rx' })
      const before = [visitor.ufrag, agent.ufrag]
      party(slot).servers = () => Promise.resolve([{ urls: ['turn:turn.example:3478'] }])
      failing(party(slot).counted.made[0], 'setConfiguration', 'throws')
      visitor.network.cut()
      await pair.clock.advance(0)
      await until('new ICE sessions', () => visitor.ufrag !== before[0] && agent.ufrag !== before[1])
      visitor.network.heal()
      await settled()
      expect([...visitor.events, ...agent.events]).toEqual([])
    },
  )

  it('ENG-18 a connection that the browser closes by itself is given back at once', async () => {
    const { visitor } = start()
    await pair.transit({ Voice: 'tx rx' })
    pair.tamper = () => undefined
    visitor.network.cut('closed')
    await settled()
    expect(visitor.counted.open()).toBe(0)
  })

  it('ENG-18 restarts that are asked for during the first exchange, all at once, lead to one more offer', async () => {
    const { visitor, agent } = start()
    pair.hold()
    const calling = codeOf(visitor.transit({ Voice: 'tx rx' }))
    await until('the offer', () => offers(visitor) === 1)
    const { attempt } = visitor.sent[0] as { attempt: string }
    for (let n = 0; n < 10; n++) {
      for (const type of ['restart', 'renegotiate', 'relay']) visitor.engine.receive({ attempt, type })
      await pair.clock.advance(1_000)
    }
    expect(offers(visitor)).toBe(1)
    pair.release()
    await settled()
    expect(await Promise.all([calling, codeOf(agent.transit({ Voice: 'tx rx' }))])).toEqual(['done', 'done'])
    await until('the other offer', () => offers(visitor) === 2)
    await until('its answer', () => visitor.counted.made[0]?.signalingState === 'stable')
    expect([offers(visitor), visitor.counted.made.length]).toEqual([2, 1])
  })
})
