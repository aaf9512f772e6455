import type { Clock } from '../../protocol/index.ts'

/** The globals of WebRTC in a browser (W3C webrtc). In Node, `@roamhq/wrtc` exports the same. */
export interface WebRtcImplementation {
  readonly RTCPeerConnection: typeof RTCPeerConnection
  readonly MediaStream: typeof MediaStream
}

/** A device that a user can choose. */
export interface Device {
  readonly kind: 'audioinput' | 'videoinput' | 'audiooutput'
  readonly deviceId: string
  /** Devices of one piece of hardware share it. */
  readonly groupId: string
  readonly label: string
}

/** The part of `navigator.mediaDevices` that the engine uses. */
export interface CaptureDevices {
  /** As in the browser: microphone, camera or both. */
  getUserMedia(constraints: MediaStreamConstraints): Promise<MediaStream>
  /** As in the browser: a screen, a window or a tab; missing where there is none. */
  getDisplayMedia?(options?: DisplayMediaStreamOptions): Promise<MediaStream>
  /**
   * As in the browser: all microphones, cameras and speakers. Where it is missing, no device can be chosen.
   */
  enumerateDevices?(): Promise<readonly Device[]>
  /** As in the browser: `devicechange`, when devices come and go. */
  addEventListener?(name: 'devicechange', run: () => void): void
  /** As in the browser. */
  removeEventListener?(name: 'devicechange', run: () => void): void
}

/**
 * Options of the WebRTC engine. The default of each is the browser's own, looked up when it is first needed.
 */
export interface WebRtcOptions {
  /** Devices (default: `navigator.mediaDevices`). */
  readonly mediaDevices?: CaptureDevices
  /** WebRTC itself (default: the browser's globals). */
  readonly wrtc?: WebRtcImplementation
  /** `relay` lets no candidate but a TURN server's be used (default: `all`). */
  readonly iceTransportPolicy?: RTCIceTransportPolicy
  /** How the microphone is asked for (default: `true`). */
  readonly audio?: boolean | MediaTrackConstraints
  /** How the camera is asked for (default: `true`). */
  readonly video?: boolean | MediaTrackConstraints
  /** How a screen is asked for (default: picture, and system audio where the browser gives it). */
  readonly screen?: DisplayMediaStreamOptions
  /** Makes an identifier that was never used before (default: 16 random hexadecimal digits). */
  readonly newId?: () => string
}

/** The running environment. A member is `undefined` where the environment lacks it. */
export interface Environment {
  readonly implementation: WebRtcImplementation | undefined
  readonly devices: CaptureDevices | undefined
  readonly isSecureContext: boolean
  /** Whether the page's permissions policy forbids a feature. */
  forbids(feature: 'microphone' | 'camera' | 'display-capture'): boolean
  newId(): string
}

interface PolicyDocument {
  readonly featurePolicy?: { allowsFeature?(feature: string): boolean }
}

const browserImplementation = (): WebRtcImplementation | undefined =>
  typeof RTCPeerConnection === 'undefined' ? undefined : { RTCPeerConnection, MediaStream }

const browserDevices = (): CaptureDevices | undefined => {
  const devices: CaptureDevices | undefined =
    typeof navigator === 'undefined' ? undefined : navigator.mediaDevices
  return devices
}

const forbiddenByPage = (feature: string): boolean => {
  const page: PolicyDocument | undefined =
    typeof document === 'undefined' ? undefined : (document as PolicyDocument)
  return page?.featurePolicy?.allowsFeature?.(feature) === false
}

const randomId = (): string =>
  Array.from(globalThis.crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

/**
 * The environment that the options describe, looked up at every use: never when this module is imported or an
 * engine is made.
 */
export const environmentOf = (options: WebRtcOptions): Environment => ({
  get implementation() {
    return options.wrtc ?? browserImplementation()
  },
  get devices() {
    return options.mediaDevices ?? browserDevices()
  },
  get isSecureContext() {
    return (globalThis as { readonly isSecureContext?: boolean }).isSecureContext !== false
  },
  forbids: forbiddenByPage,
  newId: () => (options.newId ?? randomId)(),
})

/** The time of the page, for an engine that no contact has attached yet. */
export const pageTime: Pick<Clock, 'setTimeout' | 'clearTimeout'> = {
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}
