import * as v from 'valibot'
import { ContactError, LIMITS, isName } from '../../../protocol/index.ts'

/** How far two clocks may differ. */
export const SKEW_S = 30
/** No token is taken that lives longer: its revocation is kept for so long. */
export const LONGEST_LIFE_MS = 30 * 86_400_000

export const idSchema = v.custom<string>(isName)
export const rightsSchema = v.optional(
  v.pipe(v.array(v.pipe(v.string(), v.maxLength(LIMITS.name))), v.maxLength(32)),
  [],
)
/** Claims by which a token can be revoked. */
export const issueClaims = {
  iat: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
  jti: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(256))), null),
}
/** What a token says and parties are shown: no controls, no halves of characters. */
const word = v.pipe(v.string(), v.regex(/^[^\p{Cc}\p{Cs}]*$/u))
export const tagSchema = v.pipe(word, v.maxLength(LIMITS.name))
export const avatarSchema = v.object({
  base_url: v.pipe(word, v.maxLength(LIMITS.url), v.regex(/^https?:\/\//)),
  images: v.pipe(v.array(v.object({ size: word, file: word })), v.maxLength(16)),
})

/** Base64url has several spellings of the same bytes: only the one that an encoder writes is taken. */
export function isToken(text: string): boolean {
  const parts = text.split('.')
  return (
    text.length <= LIMITS.token &&
    parts.length === 3 &&
    parts.every(
      (part) =>
        /^[A-Za-z0-9_-]+$/.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part,
    )
  )
}

/** A token whose owner has signed in, and is no agent. Told to the owner alone, who may then ask for the role. */
export class NoAgentError extends ContactError {
  constructor() {
    super('unauthorized', 'unable to connect; the owner of the token is no agent')
  }
}

/**
 * One that outlives its revocation would come back. Without `iat` what is left of it counts.
 * @throws {@link ContactError} `unauthorized`
 */
export function checkLife(
  { iat, exp }: { readonly iat: number; readonly exp: number },
  now: number,
  issuer: 'provider' | 'site',
): void {
  if (exp * 1_000 - (iat > 0 ? iat * 1_000 : now) > LONGEST_LIFE_MS)
    throw new ContactError(
      'unauthorized',
      `unable to connect; the token lives longer than 30 days, for which revocations are kept: let the ${issuer} issue shorter ones`,
    )
}

/** One answer for every fault of a token: it tells nothing of which check failed. */
export const refused = (cause?: unknown): ContactError =>
  new ContactError('unauthorized', 'unable to connect; the token is missing, expired or not valid', { cause })
