/** Runs in the page: what the engines detect there. */
import { detectAvailability, detectMobile, detectWebRtc } from '../../engines/eager.ts'

declare global {
  interface Window {
    detected: Promise<object>
  }
}

window.detected = detectAvailability().then((availability) => ({
  mobile: detectMobile(),
  webRtc: detectWebRtc(),
  availability,
}))
