import {
  NativeEngine,
  assumedAvailability,
  detectAvailability,
  detectMobile,
  detectWebRtc,
} from '../../engines/eager.ts'
import type { MakeDataPipe, MediaEngine } from '../../engines/eager.ts'
import { ContactError, LIMITS } from '../../protocol/index.ts'
import type { Clock, MediaCapabilities } from '../../protocol/index.ts'
import type { Uploader } from '../attachments/uploader.ts'
import type { ClientOptions, Inspect, KeyValueStore, Log } from '../api/client.ts'
import { later } from '../contact/lazy-modules.ts'
import type { LateEnginesOptions } from '../media/late-engines.ts'
import { LateWebRtc } from '../media/late-webrtc.ts'
import { pageClock } from './clock.ts'
import { pageStore } from './page-storage.ts'
import { pageTabs } from './page-tabs.ts'
import type { OpenTabs } from './page-tabs.ts'
import { silentLog } from './silent-log.ts'

type Availability = NonNullable<MediaCapabilities['MediaAvailability']>

/** All that the SDK takes from the world, in one place. */
export interface Environment {
  readonly clock: Clock
  /** 0 to 1. */
  readonly random: () => number
  readonly log: Log
  readonly inspect?: Inspect | undefined
  /** Milliseconds that an own offer stands; the usual time without. */
  readonly offerLifetime?: number | undefined
  /** Kept for all pages of the origin. */
  readonly store: KeyValueStore
  /** Kept for this tab. */
  readonly tab: KeyValueStore
  /** New engines for one contact. */
  readonly engines: () => Promise<readonly MediaEngine[]>
  /** What attaches them at once, where they are not the page's own: their operations may fail. */
  readonly enginesCode?: LateEnginesOptions['enginesCode']
  /** What encrypts, where it does not come from the package. */
  readonly secrecy?: () => Promise<typeof import('../crypto/secure-contact.ts')>
  /** How the tabs of a party hear of each other. */
  readonly openTabs: OpenTabs
  /** How data channels connect directly; null where that cannot be. */
  readonly pipes: () => Promise<MakeDataPipe | null>
  /** What the device can do, engines apart; which devices there are is told by `onDevices`. */
  readonly capabilities: () => Promise<MediaCapabilities>
  /** Brings a file to the service. */
  readonly upload: Uploader
  /**
   * Calls `changed` with what could be sent, as soon as the browser lists its devices and whenever they come
   * and go; returns how to stop.
   */
  readonly onDevices: (changed: (availability: Availability) => void) => () => void
  /**
   * Calls `wake` when the network or the page comes back, and `hide` when the page goes; returns how to stop.
   */
  readonly onWake: (wake: () => void, hide: () => void) => () => void
}

export type EnvironmentOptions = Pick<
  ClientOptions,
  'storage' | 'clock' | 'log' | 'inspect' | 'iceTransportPolicy' | 'offerLifetime'
>

/** The page that the SDK runs in. @throws {@link ContactError} `invalid_argument` */
export function pageEnvironment({
  storage,
  clock = pageClock,
  log = silentLog,
  inspect,
  iceTransportPolicy = 'all',
  offerLifetime,
}: EnvironmentOptions): Environment {
  requireLifetime(offerLifetime)
  const warn = (message: string): void => log.warn(message)
  return {
    clock,
    random: Math.random,
    log,
    inspect,
    offerLifetime,
    store: storage ?? pageStore('localStorage', warn),
    tab: pageStore('sessionStorage', warn),
    engines: async () => [new NativeEngine(), new LateWebRtc({ iceTransportPolicy }, clock)],
    openTabs: pageTabs,
    pipes: async () => (await later.webRtc()).webRtcPipes({ iceTransportPolicy }),
    capabilities: async () => ({
      Media: { Sharing: {} },
      Mobile: detectMobile(),
      CoBrowsing: false,
      WebRTC: detectWebRtc(),
      MediaAvailability: assumedAvailability(),
    }),
    upload: async (file, job) => (await import('../attachments/tus-upload.ts')).tusUpload(file, job),
    onDevices: watchDevices,
    onWake: watchPage,
  }
}

function requireLifetime(value: unknown): void {
  const { least, most } = LIMITS.offerLifetime
  if (value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most))
    return
  throw new ContactError(
    'invalid_argument',
    `unable to prepare the page; offerLifetime must be ${least} to ${most} ms`,
  )
}

function watchPage(wake: () => void, hide: () => void): () => void {
  if (typeof window === 'undefined') return () => {}
  const shown = (): void => {
    if (document.visibilityState === 'visible') wake()
  }
  window.addEventListener('online', wake)
  window.addEventListener('pageshow', wake)
  window.addEventListener('pagehide', hide)
  document.addEventListener('visibilitychange', shown)
  return () => {
    window.removeEventListener('online', wake)
    window.removeEventListener('pageshow', wake)
    window.removeEventListener('pagehide', hide)
    document.removeEventListener('visibilitychange', shown)
  }
}

function watchDevices(changed: (availability: Availability) => void): () => void {
  const devices: MediaDevices | undefined =
    typeof navigator === 'undefined' ? undefined : navigator.mediaDevices
  const look = (): void => void detectAvailability().then(changed)
  look()
  devices?.addEventListener?.('devicechange', look)
  return () => devices?.removeEventListener?.('devicechange', look)
}
