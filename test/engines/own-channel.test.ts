import { afterEach, expect, it } from 'vitest'
import { EnginePair } from '../support/engine-pair.ts'
import { countingImplementation, until } from '../support/node-media.ts'

const pair = { of: new EnginePair() }
afterEach(() => pair.of.end())

/** An implementation whose data channels a test uses by itself. */
function channelsOf() {
  const channels: RTCDataChannel[] = []
  const { wrtc, made } = countingImplementation()
  const RTCPeerConnection = function (configuration?: RTCConfiguration): RTCPeerConnection {
    const connection = new wrtc.RTCPeerConnection(configuration)
    const make = connection.createDataChannel.bind(connection)
    connection.createDataChannel = (...args) => {
      const channel = make(...args)
      channels.push(channel)
      return channel
    }
    return connection
  }
  return { wrtc: { ...wrtc, RTCPeerConnection } as unknown as typeof wrtc, made, channels }
}

it('SND-306 what the remote sends over the channel of a connection is dropped, and ends no call', async () => {
  const [hostile, own] = [channelsOf(), channelsOf()]
  pair.of = new EnginePair({ visitor: { wrtc: hostile.wrtc }, agent: { wrtc: own.wrtc } })
  await pair.of.transit({ Voice: 'tx rx' })
  const [from, to] = [hostile.channels[0], own.channels[0]]
  await until('it is open', () => from?.readyState === 'open' && to?.readyState === 'open')
  let arrived = 0
  to?.addEventListener('message', () => arrived++)
  for (let n = 0; n < 20; n++) from?.send(new Uint8Array(1_000))
  await until('all arrive', () => arrived === 20)
  expect([to?.readyState, pair.of.agent.events]).toEqual(['open', []])
})

it('ENG-5 a connection that the other side has closed is closed at once, before the network notices', async () => {
  const [closing, own] = [channelsOf(), channelsOf()]
  pair.of = new EnginePair({ visitor: { wrtc: closing.wrtc }, agent: { wrtc: own.wrtc } })
  await pair.of.transit({ Voice: 'tx rx' })
  await until('it is open', () => closing.channels[0]?.readyState === 'open')
  closing.channels[0]?.close()
  await until('it is closed', () => own.made[0]?.signalingState === 'closed')
})
