import { ContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import type { Environment } from './environment.ts'
import type { WebRtcMedium } from './lines.ts'

const DEVICES: Readonly<Record<WebRtcMedium, string>> = { Voice: 'the microphone', Video: 'the camera', Screen: 'the screen' }
const FEATURES = { Voice: 'microphone', Video: 'camera', Screen: 'display-capture' } as const

interface Verdict {
  readonly code: ErrorCode
  readonly reason: string
}

const nameOf = (thrown: unknown): string => (typeof thrown === 'object' && thrown !== null && 'name' in thrown ? String(thrown.name) : '')
const messageOf = (thrown: unknown): string => (thrown instanceof Error || (typeof thrown === 'object' && thrown !== null && 'message' in thrown) ? String(thrown.message) : '')

function refused(thrown: unknown, media: readonly WebRtcMedium[], environment: Environment): Verdict {
  const forbidden = media.find((medium) => environment.forbids(FEATURES[medium]))
  if (forbidden || /permissions policy/i.test(messageOf(thrown)))
    return { code: 'media_denied', reason: "the page's permissions policy forbids it: allow it in the frame or the header" }
  if (/by system/i.test(messageOf(thrown))) return { code: 'media_denied', reason: 'the operating system does not let the browser: allow it in the system settings' }
  // A screen has no lasting permission: what the browser refuses is a picker closed by the user.
  if (/dismissed/i.test(messageOf(thrown)) || media.includes('Screen'))
    return { code: 'media_dismissed', reason: 'the question was closed without an answer: ask again when the user wants it' }
  return { code: 'media_denied', reason: 'the user or the browser settings do not allow it: allow it in the site settings' }
}

function verdictOn(thrown: unknown, media: readonly WebRtcMedium[], environment: Environment): Verdict {
  switch (nameOf(thrown)) {
    case 'NotAllowedError':
    case 'PermissionDeniedError':
      return refused(thrown, media, environment)
    case 'NotFoundError':
    case 'OverconstrainedError':
      return { code: 'media_not_found', reason: 'there is no such device: connect one, or ask for less' }
    case 'NotReadableError':
    case 'AbortError':
      return { code: 'media_in_use', reason: 'another program uses the device, or it does not start: close the other program' }
    case 'SecurityError':
      return { code: 'media_insecure_context', reason: 'the browser gives devices to secure pages only: serve the page over https' }
    default:
      return { code: 'media_failed', reason: messageOf(thrown) === '' ? 'the browser failed' : `the browser failed with ${nameOf(thrown) || 'an error'}` }
  }
}

const nameDevices = (media: readonly WebRtcMedium[]): string => media.map((medium) => DEVICES[medium]).join(' and ')

/** What a browser threw when it was asked for devices, as an error that says what to do about it. */
export function captureError(thrown: unknown, media: readonly WebRtcMedium[], environment: Environment): ContactError {
  if (thrown instanceof ContactError) return thrown
  const { code, reason } = verdictOn(thrown, media, environment)
  return new ContactError(code, `unable to capture ${nameDevices(media)}; ${reason}`, { cause: thrown })
}

/** The error where the browser has nothing to capture with. */
export function noDevices(media: readonly WebRtcMedium[], environment: Environment): ContactError {
  return environment.isSecureContext
    ? new ContactError('media_not_found', `unable to capture ${nameDevices(media)}; this browser cannot capture it`)
    : new ContactError('media_insecure_context', `unable to capture ${nameDevices(media)}; the browser gives devices to secure pages only: serve the page over https`)
}

export const leftError = (): ContactError => new ContactError('left', 'unable to finish the transition; it is no longer wanted')

export const engineError = (reason: string, cause?: unknown): ContactError =>
  new ContactError('engine_failed', `unable to carry the media; ${reason}`, cause === undefined ? {} : { cause })
