/** Checks of the options that a page gives to a client. */
import { ContactError } from '../../protocol/index.ts'
import type { ClientOptions } from '../api/client.ts'

/** 32 bytes in base64. */
const PUBLIC_KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/** Address of the service as a page gives it. @throws {@link ContactError} `invalid_argument` */
export function serviceOrigin(service: unknown): string {
  try {
    const url = new URL(String(service))
    if (url.protocol === 'http:' || url.protocol === 'https:') return url.origin
  } catch {
    // Falls through to the one clear error.
  }
  throw new ContactError(
    'invalid_argument',
    'unable to create a client; service must be an http or https address',
  )
}

/** Keys that a page trusts. @throws {@link ContactError} `invalid_argument` */
export function trustedKeysOf(given: ClientOptions['trustedKeys'] = []): readonly string[] {
  if (Array.isArray(given) && given.every((key) => typeof key === 'string' && PUBLIC_KEY.test(key)))
    return [...given]
  throw new ContactError(
    'invalid_argument',
    'unable to create a client; trustedKeys must be a list of base64 of 32 bytes each',
  )
}
