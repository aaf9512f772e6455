import { afterEach, describe, expect, it } from 'vitest'
import type { JsonValue, Slot } from '../../protocol/index.ts'
import { settled } from '../../testing/test-clock.ts'
import { EnginePair, codeOf, media, picture } from '../support/engine-pair.ts'
import type { Party } from '../support/engine-pair.ts'
import { until } from '../support/node-media.ts'

type Peer = { readonly type: string; readonly sdp?: string; readonly candidate?: JsonValue }
const peerOf = (signal: JsonValue): Peer | undefined => (signal as { readonly peer?: Peer }).peer
const isCandidate = (signal: JsonValue): boolean => peerOf(signal)?.type === 'candidate'

/** The signal of a kind that a party has sent last. */
const last = ({ sent }: Party, type: string): { readonly attempt: string; readonly peer: Peer } =>
  sent.findLast((signal) => peerOf(signal)?.type === type) as never

describe('descriptions and candidates from outside', () => {
  let pair = new EnginePair()
  const start = (): EnginePair => (pair = new EnginePair())
  const give = (to: Slot, ...signals: readonly JsonValue[]): void => {
    for (const signal of signals) pair[to].engine.receive(signal)
  }
  const stays = (): void =>
    expect([
      pair.visitor.counted.open(),
      pair.agent.counted.open(),
      pair.visitor.events,
      pair.agent.events,
    ]).toEqual([1, 1, [], []])

  afterEach(() => pair.end())

  it('ENG-20 each signal arrives three times: the call is made all the same, over one connection', async () => {
    const { visitor, agent } = start()
    pair.tamper = (from, data) => {
      if ('peer' in (data as object))
        for (let n = 0; n < 2; n++) setImmediate(() => give(from === 'visitor' ? 'agent' : 'visitor', data))
      return data
    }
    await pair.transit({ Video: 'tx rx' })
    await Promise.all([picture(visitor), picture(agent)])
    expect([visitor.counted.made.length, agent.counted.made.length]).toEqual([1, 1])
    stays()
  })

  it('ENG-20 candidates arrive before the answer that they belong to, and the end of them, too: the call is made', async () => {
    const { visitor, agent } = start()
    const answers: JsonValue[] = []
    pair.tamper = (_from, data) => {
      if (peerOf(data)?.type !== 'answer') return data
      answers.push(data)
      return undefined
    }
    const ends = Promise.all(pair.parties.map((each) => codeOf(each.transit({ Video: 'tx rx' }))))
    await until('candidates, and the answer', () => answers.length === 1 && agent.sent.some(isCandidate))
    await settled()
    const { attempt } = last(agent, 'answer')
    const end = {
      attempt,
      peer: { type: 'candidate', candidate: { candidate: '', sdpMid: '0', sdpMLineIndex: 0 } },
    }
    give('visitor', end, ...answers, end)
    expect(await ends).toEqual(['done', 'done'])
    await Promise.all([picture(visitor), picture(agent)])
    stays()
  })

  it('ENG-20 an offer while one is answered, answers that are late, doubled or of the wrong side: each is dropped and counted, and the next exchange works', async () => {
    const { visitor, agent } = start()
    await pair.transit({ Voice: 'tx rx' })
    const [offer, answer] = [last(visitor, 'offer'), last(agent, 'answer')]
    await settled()
    const before = [visitor.engine.droppedSignals, agent.engine.droppedSignals]
    give('visitor', answer as never, answer as never, { ...offer, peer: offer.peer as never })
    give('agent', { ...answer, peer: answer.peer as never })
    expect([
      visitor.engine.droppedSignals - (before[0] ?? 0),
      agent.engine.droppedSignals - (before[1] ?? 0),
    ]).toEqual([3, 1])
    const { ufrag } = agent
    give('visitor', { attempt: offer.attempt, type: 'restart' })
    await until('another exchange', () => agent.ufrag !== ufrag)
    await until('both are stable', () => visitor.counted.made[0]?.signalingState === 'stable')
    const repeated = last(visitor, 'offer')
    const now = agent.engine.droppedSignals
    give('agent', repeated as never, repeated as never, repeated as never)
    expect(agent.engine.droppedSignals - now).toBe(2)
    await until('it is answered', () => agent.counted.made[0]?.signalingState === 'stable')
    stays()
  })

  it.each(['v=0', 'v=0\r\ngarbage', 'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio'])(
    'ENG-20 an answer that is no SDP (%j) fails the attempt on both sides, and the next one works',
    async (sdp) => {
      const { visitor, agent } = start()
      pair.tamper = (_from, data) =>
        peerOf(data)?.type === 'answer' ? { ...(data as object), peer: { type: 'answer', sdp } } : data
      const ends = Promise.all(pair.parties.map((each) => codeOf(each.transit({ Voice: 'tx rx' }))))
      await until('it is closed', () => visitor.counted.made.length === 1 && visitor.counted.open() === 0)
      await pair.clock.advance(15_000)
      expect(await ends).toEqual(['engine_failed', 'engine_failed'])
      await Promise.all(pair.parties.map(({ engine }) => engine.undo(media({}))))
      pair.tamper = (_from, data) => data
      await pair.transit({ Voice: 'tx rx' })
      expect([visitor.counted.open(), agent.counted.open()]).toEqual([1, 1])
    },
  )

  it('ENG-5 an offer without lines is refused: nothing could be heard or seen over it', async () => {
    const { agent } = start()
    const mute = new agent.counted.wrtc.RTCPeerConnection()
    mute.createDataChannel('liveness', { negotiated: true, id: 0 })
    const { sdp = '' } = await mute.createOffer()
    mute.close()
    const failed = codeOf(agent.transit({ Voice: 'tx rx' }))
    give('agent', { attempt: 'x-1', peer: { type: 'offer', sdp } })
    await until('it is refused', () => JSON.stringify(agent.sent).includes('"bye"'))
    await pair.clock.advance(15_000)
    expect(await failed).toBe('engine_failed')
  })

  it('ENG-5 lines that a later version adds change nothing at this one, however often it makes offers', async () => {
    const { visitor, agent } = start()
    const { wrtc } = visitor.counted
    const Real = wrtc.RTCPeerConnection
    const Later = function (configuration?: RTCConfiguration): RTCPeerConnection {
      const connection = new Real(configuration)
      const createOffer = connection.createOffer.bind(connection)
      connection.createOffer = (() => {
        if (connection.getTransceivers().length === 4) connection.addTransceiver('video')
        return createOffer()
      }) as RTCPeerConnection['createOffer']
      return connection
    }
    Object.assign(wrtc, { RTCPeerConnection: Later })
    await pair.transit({ Video: 'tx rx' })
    const { attempt } = last(visitor, 'offer')
    let opened = 0
    for (const { sender } of agent.counted.made[0]?.getTransceivers() ?? [])
      Object.defineProperty(sender, 'setStreams', { value: () => opened++, configurable: true })
    const { ufrag } = agent
    give('visitor', { attempt, type: 'restart' })
    await until('another exchange', () => agent.ufrag !== ufrag)
    await Promise.all([picture(visitor), picture(agent)])
    expect([opened, agent.counted.made[0]?.getTransceivers().map(({ direction }) => direction)]).toEqual([
      0,
      ['sendrecv', 'sendrecv', 'sendrecv', 'sendrecv', 'recvonly'],
    ])
    stays()
  })
})
