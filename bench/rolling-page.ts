/** Runs in a page: both parties of a voice call over the service, and what they hear of each other. */
import { createAgent } from '../sdk/agent/index.ts'
import { createClient } from '../sdk/index.ts'
import type { Contact } from '../sdk/index.ts'

/** What has happened to the call since the last look. */
export interface Heard {
  readonly mediachanges: number
  /** Of both directions. */
  readonly sent: number
  readonly packets: number
  readonly lost: number
  /** Connections that were made. */
  readonly connections: number
}

declare global {
  interface Window {
    startCall(service: string, token: string): Promise<void>
    lookAtCall(): Promise<Heard>
  }
}

const connections: RTCPeerConnection[] = []
const Bare = window.RTCPeerConnection
window.RTCPeerConnection = class extends Bare {
  constructor(configuration?: RTCConfiguration) {
    super(configuration)
    connections.push(this)
  }
}

let mediachanges = 0
const required = { tx: 'required', rx: 'required' } as const

window.startCall = async (service, token) => {
  const desk = createAgent({ service, token })
  const taken = new Promise<Contact>((resolve, reject) =>
    desk.on('distribution', ({ id }) => void desk.accept(id).then(resolve, reject)),
  )
  const client = createClient({ service })
  const visitor = await client.createContact({ nick: 'Robin' })
  const joined = new Promise((resolve) => visitor.on('joined', resolve))
  await desk.ready({ capacity: 1 })
  const agent = await taken
  await agent.join()
  await joined
  agent.on('mediaoffer', ({ callback }) =>
    callback(null, { Chat: { tx: true, rx: true }, Voice: { tx: true, rx: true } }),
  )
  await visitor.offerMedia({ ...(await visitor.getMediaOffer()), Voice: required })
  await desk.pause()
  while ((await lookAt()).packets < 100) await new Promise((resolve) => setTimeout(resolve, 100))
  for (const contact of [visitor, agent]) contact.on('mediachange', () => (mediachanges += 1))
}

window.lookAtCall = lookAt

async function lookAt(): Promise<Heard> {
  let [sent, packets, lost] = [0, 0, 0]
  for (const connection of connections)
    for (const report of (await connection.getStats()).values() as Iterable<Record<string, unknown>>) {
      if (report['type'] === 'outbound-rtp') sent += Number(report['packetsSent'])
      if (report['type'] !== 'inbound-rtp') continue
      packets += Number(report['packetsReceived'])
      lost += Number(report['packetsLost'])
    }
  return { mediachanges, sent, packets, lost, connections: connections.length }
}
