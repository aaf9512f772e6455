import { ContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import type { Environment } from './environment.ts'
import type { WebRtcMedium } from './media-transceivers.ts'
import type { PeerLoss } from './peer-session.types.ts'

const FEATURES = { Voice: 'microphone', Video: 'camera', Screen: 'display-capture' } as const

interface Verdict {
  readonly code: ErrorCode
  readonly reason: string
}

const nameOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'name' in thrown ? String(thrown.name) : ''
const messageOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : ''

function refused(thrown: unknown, media: readonly WebRtcMedium[], environment: Environment): Verdict {
  const forbidden = media.find((medium) => environment.forbids(FEATURES[medium]))
  if (forbidden || /permissions policy/i.test(messageOf(thrown)))
    return { code: 'media_denied', reason: 'the permissions policy of the page forbids it' }
  if (/by system/i.test(messageOf(thrown))) return { code: 'media_denied', reason: 'the system forbids it' }
  // A screen has no lasting permission: what the browser refuses is a picker closed by the user.
  if (/dismissed/i.test(messageOf(thrown)) || media.includes('Screen'))
    return { code: 'media_dismissed', reason: 'nobody answered the question' }
  return { code: 'media_denied', reason: 'the user or the browser forbids it: see the site settings' }
}

function verdictOn(thrown: unknown, media: readonly WebRtcMedium[], environment: Environment): Verdict {
  switch (nameOf(thrown)) {
    case 'NotAllowedError':
      return refused(thrown, media, environment)
    case 'NotFoundError':
    case 'OverconstrainedError':
      return { code: 'media_not_found', reason: 'there is no such device, or it cannot' }
    case 'NotReadableError':
    case 'AbortError':
      return { code: 'media_in_use', reason: 'another program may use it: close that one' }
    case 'SecurityError':
      return { code: 'media_insecure_context', reason: 'the page is not secure: serve it over https' }
    default:
      return { code: 'media_failed', reason: `the browser failed: ${nameOf(thrown)}` }
  }
}

/** What a browser threw when it was asked for devices, as an error that says what to do about it. */
export function captureError(
  thrown: unknown,
  media: readonly WebRtcMedium[],
  environment: Environment,
): ContactError {
  if (thrown instanceof ContactError) return thrown
  const { code, reason } = verdictOn(thrown, media, environment)
  return new ContactError(code, `unable to capture ${media.join(' and ')}; ${reason}`, { cause: thrown })
}

/** The error where the browser has nothing to capture with. */
export const noDevices = (media: readonly WebRtcMedium[], environment: Environment): ContactError =>
  captureError({ name: environment.isSecureContext ? 'NotFoundError' : 'SecurityError' }, media, environment)

export { notWanted as leftError } from '../native/native-engine.ts'

/** An error with the code `engine_failed`. */
export const engineError = (reason: string, cause?: unknown): ContactError =>
  new ContactError(
    'engine_failed',
    `unable to carry the media; ${reason}`,
    cause === undefined ? {} : { cause },
  )

const LOSSES: Readonly<Record<Exclude<PeerLoss, 'late'>, string>> = {
  failed: 'the connection could not be made',
  closed: 'the connection closed',
  hung_up: 'the other side hung up',
  lost: 'the connection was lost',
}

/** The error for a connection that is not there. `trouble`: what the browser said of an ICE server last. */
export function lossError(
  loss: PeerLoss,
  {
    limitMs,
    trouble,
    cause,
  }: { readonly limitMs: number; readonly trouble: string | undefined; readonly cause: unknown },
): ContactError {
  if (loss !== 'late') return engineError(LOSSES[loss], cause)
  const detail = trouble === undefined ? '' : `: ${trouble}`
  return engineError(`no connection within ${limitMs} ms: network or TURN server out of reach${detail}`)
}
