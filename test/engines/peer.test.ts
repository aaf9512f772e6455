/** A peer over a connection of which the test tells what the browser would. */
import { expect, it } from 'vitest'
import { Peer } from '../../engines/webrtc/peer.ts'
import { settled } from '../../testing/test-clock.ts'

class ToldConnection extends EventTarget {
  readonly signalingState = 'stable'
  readonly channels: EventTarget[] = []
  readonly asked: string[] = []
  refuses = false

  createDataChannel(): EventTarget {
    const channel = new EventTarget()
    this.channels.push(channel)
    return channel
  }
  setConfiguration({ iceServers = [] }: RTCConfiguration): void {
    if (this.refuses) throw new TypeError('it takes no such server')
    this.asked.push(JSON.stringify(iceServers))
  }
  restartIce(): void {
    this.asked.push('restart')
  }
  async createOffer(): Promise<RTCSessionDescriptionInit> {
    this.asked.push('offer')
    return { type: 'offer', sdp: 'offer' }
  }
  async setLocalDescription(): Promise<void> {}
  close(): void {
    this.asked.push('close')
  }
}

function peerOf() {
  const connection = new ToldConnection()
  const told: string[] = []
  const tell =
    (what: string): (() => void) =>
    () =>
      void told.push(what)
  const peer = new Peer({
    initiator: false,
    implementation: {
      RTCPeerConnection: function made() {
        return connection
      },
      MediaStream: Object,
    } as never,
    configuration: {},
    events: {
      ...{ signal: tell('signal'), lines: tell('lines'), connected: tell('connected') },
      ...{ interrupted: tell('interrupted'), refused: tell('refused'), closed: tell('closed') },
    },
  })
  return { peer, connection, told }
}

it.each(['closing', 'close', 'error'])(
  'ENG-18 the end of the other side is told, once, where the browser tells of it by `%s` alone',
  (name) => {
    const { connection, told } = peerOf()
    const [liveness] = connection.channels
    for (let times = 0; times < 2; times++) liveness?.dispatchEvent(new Event(name))
    expect([told, connection.asked]).toEqual([['closed'], ['close']])
  },
)

it('ENG-19 where the browser refuses the servers of a restart, it restarts with those of before', async () => {
  const { peer, connection } = peerOf()
  peer.restart([{ urls: 'stun:a.example' }])
  connection.refuses = true
  peer.restart([{ urls: 'stun:b.example' }])
  await settled()
  expect(connection.asked).toEqual(['[{"urls":"stun:a.example"}]', 'restart', 'offer', 'restart'])
})
