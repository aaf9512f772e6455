/**
 * Runs in the page: two parties whose signalling takes a while, on bare RTCPeerConnections or on Duolog over
 * a service in memory.
 */
import type { Contact } from '../sdk/index.ts'
import { openPair } from '../test/e2e/memory-pair.ts'

export type Kind = 'bare' | 'duolog'
type Side = 'visitor' | 'agent'

declare global {
  interface Window {
    /** Milliseconds from the acceptance of a video call until the visitor's first remote frame. */
    firstFrame(kind: Kind, oneWayMs: number): Promise<number>
    /** Milliseconds from the wish to add Video to a voice call until the other side's first frame. */
    upgrade(kind: Kind, oneWayMs: number, by: Side): Promise<number>
  }
}

const wait = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))

/** The first decoded frame of a stream. */
function frameOf(stream: MediaStream): Promise<void> {
  const video = document.createElement('video')
  video.muted = true
  video.srcObject = stream
  void video.play()
  return new Promise((resolve) =>
    video.requestVideoFrameCallback(() => {
      video.srcObject = null
      resolve()
    }),
  )
}

const camera = (): Promise<MediaStream> => navigator.mediaDevices.getUserMedia({ video: true })
const microphone = (): Promise<MediaStream> => navigator.mediaDevices.getUserMedia({ audio: true })
const stop = (...streams: readonly MediaStream[]): void =>
  streams.flatMap((stream) => stream.getTracks()).forEach((track) => track.stop())

/**
 * Two connections whose descriptions and candidates go over the same slow path. All lines are made at the
 * start.
 */
class Bare {
  readonly ends = {
    visitor: new RTCPeerConnection({ bundlePolicy: 'max-bundle' }),
    agent: new RTCPeerConnection({ bundlePolicy: 'max-bundle' }),
  }
  readonly #oneWayMs: number

  constructor(oneWayMs: number) {
    this.#oneWayMs = oneWayMs
    const { visitor, agent } = this.ends
    visitor.addEventListener(
      'icecandidate',
      ({ candidate }) => void this.over(() => agent.addIceCandidate(candidate ?? undefined)),
    )
    agent.addEventListener(
      'icecandidate',
      ({ candidate }) => void this.over(() => visitor.addIceCandidate(candidate ?? undefined)),
    )
  }

  async over<T>(run: () => T): Promise<Awaited<T>> {
    await wait(this.#oneWayMs)
    return await run()
  }

  async connect(send: Readonly<Record<Side, MediaStream>>): Promise<void> {
    const { visitor, agent } = this.ends
    const tracks = (side: Side, kind: string): MediaStreamTrack | undefined =>
      send[side].getTracks().find((track) => track.kind === kind)
    for (const kind of ['audio', 'video'] as const)
      visitor.addTransceiver(tracks('visitor', kind) ?? kind, { direction: 'sendrecv' })
    await visitor.setLocalDescription()
    await this.over(() => agent.setRemoteDescription(visitor.localDescription as RTCSessionDescription))
    for (const transceiver of agent.getTransceivers()) {
      transceiver.direction = 'sendrecv'
      void transceiver.sender.replaceTrack(tracks('agent', transceiver.receiver.track.kind) ?? null)
    }
    await agent.setLocalDescription()
    await this.over(() => visitor.setRemoteDescription(agent.localDescription as RTCSessionDescription))
  }

  picture(side: Side): Promise<void> {
    return frameOf(new MediaStream([this.ends[side].getReceivers()[1]?.track as MediaStreamTrack]))
  }

  close(): void {
    this.ends.visitor.close()
    this.ends.agent.close()
  }
}

const BOTH = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
const required = { tx: 'required', rx: 'required' } as const

/** The stream of a medium as soon as an event tells of it. */
const streamOf = (contact: Contact, medium: 'Voice' | 'Video'): Promise<MediaStream> =>
  new Promise((resolve) => {
    contact.on('mediachange', ({ newMedia }) => {
      const data = newMedia[medium]?.data as { readonly rx_stream?: MediaStream } | undefined
      if (data?.rx_stream) resolve(data.rx_stream)
    })
  })

/** Answers after `before`, and tells when. */
function accepting(
  contact: Contact,
  media: readonly string[],
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  return new Promise((resolve) =>
    contact.on('mediaoffer', ({ callback }) => {
      void before().then(() => {
        resolve(performance.now())
        callback(
          null,
          Object.fromEntries(['Chat', ...media].map((medium) => [medium, { tx: true, rx: true }])),
        )
      })
    }),
  )
}

window.firstFrame = async (kind, oneWayMs) => {
  if (kind === 'bare') {
    const send = { visitor: await both(), agent: await both() }
    const bare = new Bare(oneWayMs)
    const accepted = performance.now()
    await bare.over(() => {})
    const connected = bare.connect(send)
    await bare.picture('visitor')
    const took = performance.now() - accepted
    await connected
    bare.close()
    stop(send.visitor, send.agent)
    return took
  }
  const { visitor, agent, close } = await openPair(oneWayMs)
  const media = { Voice: BOTH, Video: BOTH }
  const accepted = accepting(agent, ['Voice', 'Video'], async () =>
    agent.getMediaEngine('WebRTC')?.prepare(media),
  )
  const stream = streamOf(visitor, 'Video')
  const offered = visitor.offerMedia({ ...(await visitor.getMediaOffer()), Voice: required, Video: required })
  await frameOf(await stream)
  const took = performance.now() - (await accepted)
  await offered
  await close()
  return took
}

async function both(): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({ audio: true, video: true })
}

window.upgrade = async (kind, oneWayMs, by) => {
  const other: Side = by === 'visitor' ? 'agent' : 'visitor'
  if (kind === 'bare') {
    const voices = { visitor: await microphone(), agent: await microphone() }
    const bare = new Bare(oneWayMs)
    await bare.connect(voices)
    const { ends } = bare
    await new Promise<void>((resolve) => {
      const look = (): void =>
        void (
          ends.visitor.connectionState === 'connected' &&
          ends.agent.connectionState === 'connected' &&
          resolve()
        )
      for (const end of Object.values(ends)) end.addEventListener('connectionstatechange', look)
      look()
    })
    await wait(200)
    const start = performance.now()
    const picture = await camera()
    await bare.over(() => {})
    await bare.over(() => {})
    await ends[by].getSenders()[1]?.replaceTrack(picture.getVideoTracks()[0] ?? null)
    await bare.picture(other)
    const took = performance.now() - start
    bare.close()
    stop(voices.visitor, voices.agent, picture)
    return took
  }
  const { visitor, agent, close } = await openPair(oneWayMs)
  const contacts = { visitor, agent }
  void accepting(agent, ['Voice'])
  await visitor.offerMedia({ ...(await visitor.getMediaOffer()), Voice: required })
  await wait(200)
  agent.off('mediaoffer')
  contacts[other].on('mediaoffer', ({ callback }) =>
    callback(null, {
      Chat: { tx: true, rx: true },
      Voice: { tx: true, rx: true },
      Video: { tx: false, rx: true },
    }),
  )
  const stream = streamOf(contacts[other], 'Video')
  const offer = await contacts[by].getMediaOffer()
  const start = performance.now()
  const offered = contacts[by].offerMedia({ ...offer, Video: { tx: 'required', rx: 'off' } })
  await frameOf(await stream)
  const took = performance.now() - start
  await offered
  await close()
  return took
}
