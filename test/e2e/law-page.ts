/**
 * Runs in the page: the conformance kit over the WebRTC engine, the browser's own WebRTC and its fake
 * devices.
 */
import { WebRtcEngine } from '../../engines/index.ts'
import { describeMediaEngine } from '../../testing/index.ts'
import type { EngineUnderTest } from '../../testing/index.ts'
import { PatientUser } from '../../testing/patient-user.ts'

declare global {
  interface Window {
    /** Runs one law; the message of its failure, or nothing. */
    runLaw(name: string): Promise<string>
  }
}

const laws = new Map<string, () => Promise<void>>()
const Real = window.RTCPeerConnection

/** The browser's devices, with a user that the test plays. */
class PageDevices extends PatientUser {
  readonly tracks: MediaStreamTrack[] = []
  questions = 0
  isRefused = false

  getUserMedia = (constraints: MediaStreamConstraints): Promise<MediaStream> =>
    this.#ask(() => navigator.mediaDevices.getUserMedia(constraints))
  getDisplayMedia = (options?: DisplayMediaStreamOptions): Promise<MediaStream> =>
    this.#ask(() => navigator.mediaDevices.getDisplayMedia({ ...options, audio: false }))

  async #ask(call: () => Promise<MediaStream>): Promise<MediaStream> {
    this.questions++
    await this.answered()
    const refused = this.isRefused
    this.isRefused = false
    if (refused) throw new DOMException('Permission denied', 'NotAllowedError')
    const stream = await call()
    this.tracks.push(...stream.getTracks())
    return stream
  }
}

function make(): EngineUnderTest {
  const devices = new PageDevices()
  const made: RTCPeerConnection[] = []
  class Counted extends Real {
    constructor(configuration?: RTCConfiguration) {
      super(configuration)
      made.push(this)
    }
  }
  const engine = new WebRtcEngine({
    mediaDevices: devices,
    wrtc: { RTCPeerConnection: Counted, MediaStream },
  })
  const live = (): MediaStreamTrack[] => devices.tracks.filter(({ readyState }) => readyState === 'live')
  const endTrack = (track: MediaStreamTrack): void => {
    track.stop()
    track.dispatchEvent(new Event('ended'))
  }
  return {
    engine,
    probes: {
      devices: {
        inUse: () => live().length,
        questions: () => devices.questions,
        hold: () => devices.hold(),
        answer: () => devices.answer(),
        refuse: () => void (devices.isRefused = true),
        end: (medium) =>
          live()
            .filter(({ kind }) => kind === (medium === 'Voice' ? 'audio' : 'video'))
            .forEach(endTrack),
      },
      connections: () => made.filter(({ signalingState }) => signalingState !== 'closed').length,
      muting: {
        medium: 'Voice',
        mute: () => engine.muteLocalAudio(),
        unmute: () => engine.unmuteLocalAudio(),
        isSilent: () => live().every(({ enabled }) => !enabled),
      },
      exchange: () => engine.resumeCapture('Voice'),
    },
  }
}

describeMediaEngine('WebRtcEngine', make, {
  describe: (_name, define) => define(),
  it: (name, run) => laws.set(name, run),
  has: ['devices', 'connections', 'muting', 'exchange'],
})

window.runLaw = (name) =>
  (laws.get(name) ?? (() => Promise.reject(new Error('there is no such law'))))().then(
    () => '',
    (error: unknown) => String(error),
  )
