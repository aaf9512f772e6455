/** Runs in the page: calls that are left at a chosen moment, and what remains of them. */
import type { JsonValue } from '../../protocol/index.ts'
import type { Contact } from '../../sdk/index.ts'
import { openPair } from './memory-pair.ts'

/** When both parties leave. */
export type Moment = 'asking' | 'ringing' | 'connecting' | 'talking' | 'restarting'

/** What of a call is live. */
export interface Live {
  readonly tracks: number
  readonly connections: number
  /** Of connections and their channels. */
  readonly listeners: number
}

declare global {
  interface Window {
    /** Makes a call, leaves it, and tells what is live then. */
    callAndLeave(moment: Moment): Promise<Live>
  }
}

const connections: RTCPeerConnection[] = []
const tracks: MediaStreamTrack[] = []
/** Of each listener of a connection or of its channels; nothing where none ends it. */
const endings: (AbortSignal | undefined)[] = []
let restarts = 0
/** While set, the user has not answered the browser yet. */
let asked: Promise<void> | undefined
/** Requests for devices that the browser has not answered yet. */
let asking = 0
let isDeaf = false

/** Notes what ends each listener. */
function watchListeners(target: EventTarget): void {
  const listen = target.addEventListener.bind(target)
  target.addEventListener = (name, run, options) => {
    endings.push(typeof options === 'object' ? options.signal : undefined)
    listen(name, run, options)
  }
}

const Real = window.RTCPeerConnection
window.RTCPeerConnection = class extends Real {
  constructor(configuration?: RTCConfiguration) {
    super(configuration)
    connections.push(this)
    watchListeners(this)
  }
  override createDataChannel(...options: Parameters<RTCPeerConnection['createDataChannel']>): RTCDataChannel {
    const channel = super.createDataChannel(...options)
    watchListeners(channel)
    return channel
  }
  override restartIce(): void {
    restarts++
    super.restartIce()
  }
  override addIceCandidate(candidate?: RTCIceCandidateInit | null): Promise<void> {
    return isDeaf ? Promise.resolve() : super.addIceCandidate(candidate ?? undefined)
  }
}
const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
navigator.mediaDevices.getUserMedia = async (constraints) => {
  asking++
  try {
    await asked
    const stream = await ask(constraints)
    tracks.push(...stream.getTracks())
    return stream
  } finally {
    asking--
  }
}

const required = { tx: 'required', rx: 'required' } as const

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Of who is rung and only prepares, both sides have a connection by then. */
function accept(agent: Contact, isRinging: boolean): void {
  const on = { tx: true, rx: true }
  agent.on('mediaoffer', ({ callback }) => {
    const prepare = { ...on, via: 'net', engine: 'WebRTC' }
    if (isRinging) void agent.getMediaEngine('WebRTC')?.prepare({ Voice: prepare, Video: prepare })
    else callback(null, { Chat: on, Voice: on, Video: on })
  })
}

window.callAndLeave = async (moment) => {
  let answer: () => void = () => {}
  isDeaf = moment === 'connecting'
  asked = moment === 'asking' ? new Promise((resolve) => (answer = resolve)) : undefined
  const before = restarts
  const { visitor, agent, close } = await openPair(0)
  accept(agent, moment === 'ringing')
  const engine = visitor.getMediaEngine('WebRTC')
  let attempt: JsonValue = null
  const agents = agent.getMediaEngine('WebRTC')
  const receive = agents?.receive.bind(agents)
  if (agents && receive)
    agents.receive = (data) => {
      attempt =
        typeof data === 'object' && data !== null && 'attempt' in data ? (data.attempt ?? attempt) : attempt
      receive(data)
    }
  const offered = visitor
    .offerMedia({ ...(await visitor.getMediaOffer()), Voice: required, Video: required })
    .then(
      () => 'done',
      ({ code }: { readonly code: string }) => code,
    )
  if (moment === 'talking' || moment === 'restarting') await offered
  if (moment === 'connecting')
    await until(() => connections.some(({ iceGatheringState }) => iceGatheringState === 'complete'))
  if (moment === 'ringing')
    await until(
      () =>
        connections.some(({ signalingState }) => signalingState === 'have-remote-offer') &&
        tracks.length === 4,
    )
  if (moment === 'restarting') {
    engine?.receive({ attempt, type: 'restart' })
    await until(() => restarts > before)
  }
  await close()
  answer()
  const outcome = await offered
  if (outcome !== (moment === 'talking' || moment === 'restarting' ? 'done' : 'left'))
    throw new Error(`the offer ended with ${outcome}`)
  await until(() => asking === 0)
  await new Promise((resolve) => setTimeout(resolve, 0))
  const live = {
    tracks: tracks.filter(({ readyState }) => readyState === 'live').length,
    connections: connections.filter(({ signalingState }) => signalingState !== 'closed').length,
    listeners: endings.filter((ending) => ending?.aborted !== true).length,
  }
  connections.length = 0
  tracks.length = 0
  endings.length = 0
  return live
}
