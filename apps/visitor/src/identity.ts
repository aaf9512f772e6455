/** Who the visitor is, where the site says it: a JWT of its back end, or what gives a fresh one. */
import type { PropertyValues } from 'lit'
import type { ErrorCode } from 'duolog'
import type { Words } from '../../ui/src/index.ts'
import { tellDeveloper } from './tell-developer.ts'
import type { WidgetSettings } from './widget-api.ts'

export type Identity = Required<WidgetSettings>['identity']

/** For `createClient`: asks for what the element has by then, so that a JWT that got old can be replaced. */
export const identityFrom = (current: () => Identity) => async (): Promise<string> => {
  const given = current()
  return typeof given === 'function' ? given() : given
}

/**
 * Whether both name the same visitor: two JWT with the same `iss` and `sub`, or two functions, which a page makes
 * anew each time that it renders. A contact goes on then, and the newer one is asked from now on.
 */
export function isSameVisitor(before: Identity, after: Identity): boolean {
  if (before === after) return true
  if (typeof before === 'function' || typeof after === 'function') return typeof before === typeof after
  const [was, is] = [subjectOf(before), subjectOf(after)]
  return was !== null && was === is
}

/** Another service, or another visitor: what was shown is not theirs. */
export const isAnother = (changed: PropertyValues<Required<WidgetSettings>>, identity: Identity): boolean =>
  changed.has('service') ||
  (changed.has('identity') && !isSameVisitor(changed.get('identity') ?? '', identity))

/** `iss` and `sub` of a JWT (RFC 7519, 4.1), unchecked: the service checks it. */
function subjectOf(jwt: string): string | null {
  try {
    const base64 = (jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytesOf(base64)))
    if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return null
    return JSON.stringify(['iss' in claims ? claims.iss : null, claims.sub])
  } catch {
    return null
  }
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))

/** What a service answers that takes no identity, or not this one, and what to check then. */
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  not_found:
    'the service takes no identities of visitors; check that it has --visitor-secret or --visitor-jwks',
  unauthorized:
    'the service does not accept the JWT; check its signature (--visitor-secret, --visitor-jwks), that iss and aud ' +
    'are those of the service, that it has sub and iat, and that exp has not passed and is at most 30 days away',
}

/** Tells the developer of the page why `identity` was refused, if it was. */
export const tellRefusal = (code: ErrorCode, tell: (what: string) => void = tellDeveloper): void => {
  const why = REFUSALS[code]
  if (why) tell(`<duolog-widget> is unable to sign the visitor in with "identity" (${code}); ${why}`)
}

/** What a visitor reads of a failure before there is a contact. */
export const failureText = (code: ErrorCode, isIdentified: boolean, words: Words): string =>
  isIdentified && REFUSALS[code] ? words.t('identityRefused') : words.error(code)
