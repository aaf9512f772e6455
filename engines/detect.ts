import type { WebRtcCapabilities } from '../protocol/index.ts'

/** The part of a browser's global object that detection reads. */
export interface BrowserLike {
  readonly RTCPeerConnection?: unknown
  readonly navigator?: {
    readonly userAgent?: string
    readonly maxTouchPoints?: number
    readonly userAgentData?: {
      readonly mobile?: boolean
      readonly brands?: readonly { readonly brand: string }[]
    }
    readonly mediaDevices?: {
      readonly getUserMedia?: unknown
      readonly getDisplayMedia?: unknown
      getSupportedConstraints?(): MediaTrackSupportedConstraints
      enumerateDevices?(): Promise<readonly { readonly kind: string }[]>
    }
  }
}

const running = (): BrowserLike => globalThis

/**
 * What this browser can do with WebRTC, for the member `WebRTC` of the capabilities. Asks for no permission.
 * In
 * Node every member is false.
 *
 * @param browser The global object to look at (default: the running one).
 */
export function detectWebRtc(browser: BrowserLike = running()): WebRtcCapabilities {
  const devices = browser.RTCPeerConnection === undefined ? undefined : browser.navigator?.mediaDevices
  const captures = typeof devices?.getUserMedia === 'function'
  const supported = (captures && devices.getSupportedConstraints?.()) || {}
  const { userAgent = '', userAgentData } = browser.navigator ?? {}
  const isChromium =
    userAgentData?.brands?.some(({ brand }) => brand === 'Chromium') ?? /Chrom(e|ium)\//.test(userAgent)
  return {
    AudioCapture: captures,
    AudioConstraints: supported.echoCancellation === true,
    VideoCapture: captures,
    VideoQuality: supported.width === true,
    ScreenCapture: typeof devices?.getDisplayMedia === 'function',
    BrowserFamilyA: isChromium,
    BrowserFamilyB: !isChromium && /Gecko\/\d/.test(userAgent),
  }
}

/**
 * Whether this device is mobile, for the member `Mobile` of the capabilities.
 *
 * @param browser The global object to look at (default: the running one).
 */
export function detectMobile(browser: BrowserLike = running()): boolean {
  const { userAgent = '', userAgentData, maxTouchPoints = 0 } = browser.navigator ?? {}
  const isTablet = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return userAgentData?.mobile ?? (/Mobi|Android|iPhone|iPad/i.test(userAgent) || isTablet)
}

/**
 * Which media could be sent from here now, for the member `MediaAvailability` of the capabilities: Voice with
 * a microphone, Video with a camera, Screen where it can be captured; Sharing and Chat always. Asks nobody
 * for permission. Firefox lists no devices, and this does not settle, before its window has the system's
 * focus.
 *
 * @param browser The global object to look at (default: the running one).
 */
export async function detectAvailability(
  browser: BrowserLike = running(),
): Promise<Readonly<Record<string, boolean>>> {
  return availability(browser, await deviceKinds(browser))
}

/**
 * As {@link detectAvailability}, without a look at the devices: each that the browser could use may be there.
 */
export const assumedAvailability = (browser: BrowserLike = running()): Readonly<Record<string, boolean>> =>
  availability(browser, null)

function availability(
  browser: BrowserLike,
  kinds: ReadonlySet<string> | null,
): Readonly<Record<string, boolean>> {
  const { AudioCapture = false, VideoCapture = false, ScreenCapture = false } = detectWebRtc(browser)
  const has = (kind: string): boolean => kinds === null || kinds.has(kind)
  return {
    Sharing: true,
    Chat: true,
    Voice: AudioCapture && has('audioinput'),
    Video: VideoCapture && has('videoinput'),
    Screen: ScreenCapture,
  }
}

/** Kinds of the devices that are there; null where the browser does not say. */
async function deviceKinds({ navigator }: BrowserLike): Promise<ReadonlySet<string> | null> {
  try {
    const devices = await navigator?.mediaDevices?.enumerateDevices?.()
    return devices ? new Set(devices.map(({ kind }) => kind)) : null
  } catch {
    return null
  }
}
