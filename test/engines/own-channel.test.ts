import SimplePeer from 'simple-peer'
import { afterEach, it, vi } from 'vitest'
import { EnginePair } from '../support/engine-pair.ts'
import { countingImplementation, until } from '../support/node-media.ts'

interface Readable {
  readonly readableLength: number
  _onChannelMessage(event: unknown): void
}

const pair = { of: new EnginePair() }
afterEach(async () => {
  vi.restoreAllMocks()
  await pair.of.end()
})

/** An implementation whose data channels a hostile page uses by itself. */
function hostile() {
  const channels: RTCDataChannel[] = []
  const { wrtc } = countingImplementation()
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
  return { wrtc: { ...wrtc, RTCPeerConnection } as unknown as typeof wrtc, channels }
}

it('SND-306 what the remote sends over the data channel of simple-peer is not kept', async () => {
  const reading = vi.spyOn(SimplePeer.prototype as unknown as Readable, '_onChannelMessage')
  const { wrtc, channels } = hostile()
  pair.of = new EnginePair({ visitor: { wrtc } })
  await pair.of.transit({ Voice: 'tx rx' })
  await until('it is open', () => channels[0]?.readyState === 'open')
  for (let n = 0; n < 20; n++) channels[0]?.send(new Uint8Array(1_000))
  await until('all arrive', () => reading.mock.calls.length === 20)
  await until('nothing is kept', () =>
    reading.mock.contexts.every((peer) => (peer as Readable).readableLength === 0),
  )
})
