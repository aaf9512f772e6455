import type { JsonValue } from './json.ts'

/** Engines of one medium: engine id to whether it can be used. */
export interface MediumCapabilities {
  readonly Engines?: Readonly<Record<string, boolean>>
}

/** What a party can carry, by medium. */
export interface MediaSupport {
  readonly Sharing?: MediumCapabilities & {
    /** Can send and receive file attachments. */
    readonly FileTransfer?: boolean
    /** Maximum size of an attachment, bytes. */
    readonly MaxFileSize?: number
    /** Media types of attachments, such as `image/png`; an asterisk matches any. */
    readonly FileTypes?: readonly string[]
  }
  readonly Chat?: MediumCapabilities
  readonly Voice?: MediumCapabilities
  readonly Video?: MediumCapabilities
  readonly Screen?: MediumCapabilities
  readonly [medium: string]: MediumCapabilities | undefined
}

/** What a party's browser can do with WebRTC. */
export interface WebRtcCapabilities {
  /** Can capture (for example from a microphone) and stream audio. */
  readonly AudioCapture?: boolean
  /** Can set audio capture parameters instead of only browser defaults. */
  readonly AudioConstraints?: boolean
  /** Can capture and stream video. */
  readonly VideoCapture?: boolean
  /** Can set video capture parameters instead of only defaults. */
  readonly VideoQuality?: boolean
  /** Can capture and stream the screen. */
  readonly ScreenCapture?: boolean
  /** The browser is of the Chromium family. */
  readonly BrowserFamilyA?: boolean
  /** The browser is of the Gecko family. */
  readonly BrowserFamilyB?: boolean
}

/** Features a party can or will use. Custom members are kept and exchanged. */
export interface MediaCapabilities {
  readonly Media: MediaSupport
  /** The party's device is mobile. */
  readonly Mobile: boolean
  /** Co-browsing is supported. */
  readonly CoBrowsing?: boolean
  readonly WebRTC?: WebRtcCapabilities
  /** Current availability or willingness, by medium. */
  readonly MediaAvailability?: Readonly<Record<string, boolean>>
  /** A capability of a third party. */
  readonly [custom: string]: JsonValue | MediaSupport | WebRtcCapabilities | undefined
}
