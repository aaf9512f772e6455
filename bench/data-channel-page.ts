/**
 * Runs in the page: both ends of a bare RTCDataChannel, and both parties of a contact whose service is in
 * memory.
 */
import { PIPE_WATERMARKS, webRtcPipes } from '../engines/index.ts'
import type { Clock, DataChannel } from '../protocol/index.ts'
import { AgentImpl } from '../sdk/agent/create-agent.ts'
import { VisitorClient } from '../sdk/client/create-client.ts'
import type { Environment } from '../sdk/client/environment.ts'
import { pageClock } from '../sdk/client/clock.ts'
import { MemoryService } from '../testing/memory-service.ts'
import { TestClock } from '../testing/test-clock.ts'
import { testEnvironment } from '../testing/test-contact.ts'

declare global {
  interface Window {
    /** Milliseconds from the first send until all has arrived. */
    measure(kind: 'bare' | 'duolog', messages: number, size: number): Promise<number>
  }
}

interface Ends {
  send(bytes: ArrayBuffer): Promise<void>
  onArrived(run: (bytes: number) => void): void
}

async function bareEnds(): Promise<Ends> {
  const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()]
  a.addEventListener('icecandidate', ({ candidate }) => void b.addIceCandidate(candidate ?? undefined))
  b.addEventListener('icecandidate', ({ candidate }) => void a.addIceCandidate(candidate ?? undefined))
  const [from, to] = [a, b].map((connection) =>
    connection.createDataChannel('bare', { negotiated: true, id: 1 }),
  ) as [RTCDataChannel, RTCDataChannel]
  const opened = Promise.all(
    [from, to].map((channel) => new Promise((resolve) => channel.addEventListener('open', resolve))),
  )
  await a.setLocalDescription()
  await b.setRemoteDescription(a.localDescription as RTCSessionDescription)
  await b.setLocalDescription()
  await a.setRemoteDescription(b.localDescription as RTCSessionDescription)
  await opened
  from.bufferedAmountLowThreshold = PIPE_WATERMARKS.low
  to.binaryType = 'arraybuffer'
  return {
    async send(bytes) {
      if (from.bufferedAmount >= PIPE_WATERMARKS.high)
        await new Promise((resolve) => from.addEventListener('bufferedamountlow', resolve, { once: true }))
      from.send(bytes)
    },
    onArrived: (run) =>
      to.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => run(data.byteLength)),
  }
}

async function duologEnds(): Promise<Ends> {
  const link = new MemoryService(pageClock)
  const environment = (): Environment => ({
    ...testEnvironment(new TestClock()),
    clock: pageClock satisfies Clock,
    pipes: () => Promise.resolve(webRtcPipes()),
  })
  const service = 'http://localhost'
  const visitor = await new VisitorClient(
    { service, transport: link.transport({ slot: 'visitor', id: 'visitor-1' }) },
    environment(),
  ).createContact()
  const agent = await new AgentImpl(
    { service, token: 'memory', transport: link.transport({ slot: 'agent', id: 'agent-1' }) },
    environment(),
  ).accept(visitor.id)
  await agent.join()
  const there = new Promise<DataChannel>((resolve) => agent.once('datachannel', resolve))
  const here = await visitor.getDataChannel('bench')
  const other = await there
  if (here.type !== 'webrtc' || other.type !== 'webrtc') throw new Error('the channel is not direct')
  return {
    send: (bytes) => here.send(bytes),
    onArrived: (run) => other.on('data', ({ data }) => run((data as ArrayBuffer).byteLength)),
  }
}

const ends: Partial<Record<'bare' | 'duolog', Promise<Ends>>> = {}
const arrived = { bare: 0, duolog: 0 }
let notice: () => void = () => {}

window.measure = async (kind, messages, size) => {
  ends[kind] ??= (kind === 'bare' ? bareEnds() : duologEnds()).then((made) => {
    made.onArrived((bytes) => {
      arrived[kind] += bytes
      notice()
    })
    return made
  })
  const made = await ends[kind]
  arrived[kind] = 0
  const all = new Promise<void>((resolve) => (notice = () => arrived[kind] >= messages * size && resolve()))
  const bytes = new Uint8Array(size).fill(7).buffer
  const start = performance.now()
  for (let n = 0; n < messages; n++) await made.send(bytes)
  await all
  return performance.now() - start
}
