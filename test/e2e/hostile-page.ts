/** Runs in a page: one party of a secure contact, and what it is told, with the time. */
import { createAgent } from '../../sdk/agent/index.ts'
import { createClient } from '../../sdk/index.ts'
import type { Contact } from '../../sdk/index.ts'

const told: { readonly at: number; readonly what: string }[] = []
const connections: RTCPeerConnection[] = []
const tracks: MediaStreamTrack[] = []

const Real = RTCPeerConnection
globalThis.RTCPeerConnection = class extends Real {
  constructor(configuration?: RTCConfiguration) {
    super(configuration)
    connections.push(this)
  }
}
const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
navigator.mediaDevices.getUserMedia = async (constraints) => {
  const stream = await ask(constraints)
  tracks.push(...stream.getTracks())
  return stream
}

function watch(contact: Contact): Contact {
  const note = (what: string): void => void told.push({ at: Date.now(), what })
  contact.on('text', ({ text }) => note(`text ${text}`))
  contact.on('ack', ({ ref }) => note(`ack ${ref}`))
  contact.on('error', ({ code }) => note(`error ${code}`))
  contact.on('insecure', ({ type, reason }) => note(`insecure ${type} ${reason}`))
  contact.on('verification', ({ state }) => note(state))
  contact.on('mediaoffer', ({ offer, callback }) => callback(null, contact.answer(offer, { Voice: true })))
  Object.assign(globalThis, { contact })
  return contact
}

Object.assign(globalThis, {
  told,
  /** Whether this page sends, or could send, anything from its devices. */
  isOn: (): boolean =>
    tracks.some(({ readyState }) => readyState === 'live') ||
    connections.some(({ connectionState }) => connectionState !== 'closed'),
  isCalling: (): boolean => connections.some(({ connectionState }) => connectionState === 'connected'),
  attend: async (service: string, token: string, tag: string): Promise<void> => {
    const agent = createAgent({ service, token })
    const joined = new Promise<void>((resolve, reject) => {
      agent.once('distribution', ({ id }) => {
        agent
          .accept(id)
          .then((contact) => watch(contact).join())
          .then(resolve, reject)
      })
    })
    Object.assign(globalThis, { joined })
    await agent.ready({ tags: [tag] })
  },
  visit: async (service: string, tag: string): Promise<string> => {
    const contact = await createClient({ service }).createContact({ secure: true, tags: [tag] })
    return watch(contact).id
  },
})
