/** The exchange of descriptions over a connection of which the test says when each step is done. */
import { describe, expect, it } from 'vitest'
import { OfferAnswer } from '../../engines/webrtc/offer-answer.ts'
import type { CandidateInit, PeerSignal } from '../../engines/webrtc/signals.ts'
import { deferred } from '../../protocol/index.ts'
import { settled } from '../../testing/test-clock.ts'

const candidate = (name: string): CandidateInit => ({
  ...{ candidate: `candidate:${name}`, sdpMid: '0', sdpMLineIndex: null },
})

/** Notes what it is asked for. A step whose name begins with a word of `slow` waits for `go`. */
class SlowConnection extends EventTarget {
  signalingState: RTCSignalingState = 'stable'
  readonly asked: string[] = []
  slow = ''
  readonly #held = deferred()
  #offers = 0

  go(): void {
    this.#held.resolve()
  }

  async createOffer(): Promise<RTCSessionDescriptionInit> {
    await this.#step('create offer')
    return { type: 'offer', sdp: `offer ${(this.#offers += 1)}` }
  }

  async createAnswer(): Promise<RTCSessionDescriptionInit> {
    await this.#step('create answer')
    return { type: 'answer', sdp: 'answer' }
  }

  async setLocalDescription(description: RTCSessionDescriptionInit): Promise<void> {
    await this.#step('local')
    this.signalingState = description.type === 'offer' ? 'have-local-offer' : 'stable'
  }

  async setRemoteDescription({ type, sdp }: RTCSessionDescriptionInit): Promise<void> {
    await this.#step('remote')
    if (sdp === 'bad') throw new Error('it is no description')
    this.signalingState = type === 'offer' ? 'have-remote-offer' : 'stable'
  }

  async addIceCandidate({ candidate: text = '' }: RTCIceCandidateInit): Promise<void> {
    await this.#step(text)
    if (text.endsWith('bad')) throw new Error('it is no candidate')
  }

  async #step(name: string): Promise<void> {
    this.asked.push(name)
    if (this.slow !== '' && name.startsWith(this.slow)) await this.#held.promise
  }
}

function exchangeOf(initiator: boolean, slow = '') {
  const connection = new SlowConnection()
  connection.slow = slow
  const ending = new AbortController()
  const told: string[] = []
  const exchange = new OfferAnswer(connection as unknown as RTCPeerConnection, {
    ...{ initiator, over: ending.signal },
    events: {
      signal: (signal: PeerSignal) => void told.push('sdp' in signal ? signal.sdp : signal.type),
      offered: () => void told.push('offered'),
      refused: () => void told.push('refused'),
      failed: () => void told.push('failed'),
    },
  })
  return { connection, exchange, told, end: () => ending.abort() }
}

const OFFER = { type: 'offer', sdp: 'theirs' } as const
const ANSWER = { type: 'answer', sdp: 'theirs' } as const

describe('the exchange of descriptions', () => {
  it('ENG-20 candidates that come before the description are given to the browser after it, those that come later at once', async () => {
    const { connection, exchange } = exchangeOf(false, 'remote')
    for (const name of ['a', 'b'])
      expect(exchange.accept({ type: 'candidate', candidate: candidate(name) })).toBe(true)
    exchange.accept(OFFER)
    exchange.accept({ type: 'candidate', candidate: candidate('c') })
    await settled()
    expect(connection.asked).toEqual(['remote'])
    connection.go()
    await settled()
    exchange.accept({ type: 'candidate', candidate: candidate('d') })
    expect(connection.asked.filter((each) => each.startsWith('candidate'))).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => `candidate:${name}`),
    )
  })

  it('ENG-20 candidates that this side finds follow the description that they are of', async () => {
    const { connection, exchange, told } = exchangeOf(true, 'local')
    const find = (name: string): void => {
      const found = Object.assign(new Event('icecandidate'), { candidate: candidate(name) })
      connection.dispatchEvent(found)
    }
    exchange.offer()
    await settled()
    find('a')
    find('b')
    expect(told).toEqual([])
    connection.go()
    await settled()
    find('c')
    expect(told).toEqual(['offer 1', 'candidate', 'candidate', 'candidate'])
  })

  it('ENG-20 a description that comes while one is taken is dropped, until the answer is there', async () => {
    const { connection, exchange, told } = exchangeOf(false, 'remote')
    expect([exchange.accept(OFFER), exchange.accept(OFFER)]).toEqual([true, false])
    connection.go()
    await settled()
    expect(told).toEqual(['offered', 'answer'])
    expect(exchange.accept(OFFER)).toBe(true)
  })

  it('ENG-18 of the offers that are wanted while one is under way, one follows its answer', async () => {
    const { exchange, told } = exchangeOf(true)
    for (let asked = 0; asked < 3; asked++) exchange.offer()
    await settled()
    expect(told).toEqual(['offer 1'])
    exchange.accept(ANSWER)
    await settled()
    expect(told).toEqual(['offer 1', 'offer 2'])
    exchange.accept(ANSWER)
    await settled()
    exchange.offer()
    await settled()
    expect(told).toEqual(['offer 1', 'offer 2', 'offer 3'])
  })

  it.each(['create offer', 'local'])(
    'ENG-21 one that is over tells nothing and asks nothing more of the browser: offering, at %s',
    async (step) => {
      const { connection, exchange, told, end } = exchangeOf(true, step)
      exchange.offer()
      await settled()
      end()
      connection.go()
      await settled()
      exchange.offer()
      expect([told, connection.asked.at(-1)]).toEqual([[], step])
    },
  )

  it.each(['remote', 'create answer', 'local'])(
    'ENG-21 one that is over tells nothing and asks nothing more of the browser: answering, at %s',
    async (step) => {
      const { connection, exchange, told, end } = exchangeOf(false, step)
      exchange.accept({ type: 'candidate', candidate: candidate('a') })
      exchange.accept(OFFER)
      await settled()
      const before = [...told]
      end()
      connection.go()
      await settled()
      expect([told, connection.asked.at(-1)]).toEqual([before, step])
      expect(exchange.accept({ type: 'candidate', candidate: candidate('b') })).toBe(false)
    },
  )

  it('ENG-20 a candidate that the browser refuses is counted, and a description fails the exchange, while it is not over', async () => {
    for (const isOver of [false, true]) {
      const { connection, exchange, told, end } = exchangeOf(false, 'candidate')
      exchange.accept(OFFER)
      await settled()
      exchange.accept({ type: 'candidate', candidate: candidate('bad') })
      if (isOver) end()
      connection.go()
      await settled()
      expect(told.includes('refused')).toBe(!isOver)
      const late = exchangeOf(false, 'remote')
      late.exchange.accept({ ...OFFER, sdp: 'bad' })
      if (isOver) late.end()
      late.connection.go()
      await settled()
      expect(late.told).toEqual(isOver ? [] : ['failed'])
    }
  })
})
