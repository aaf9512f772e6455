import { ContactError, LIMITS, cutText } from '../../protocol/index.ts'
import type { ContactRequest } from '../../protocol/index.ts'
import type { ContactOptions } from '../api/contact.ts'
import { loaded } from '../async/lazy-module.ts'
import type { Loading } from '../async/lazy-module.ts'
import { later } from '../contact/lazy-modules.ts'
import { asJson } from '../values/arguments.ts'

/**
 * What a page asks the service for; the visitor's first offer as the application gives it, for
 * {@link withInitialOffer}.
 * @throws {@link ContactError} `invalid_argument`, `too_large`
 */
export function toRequest(options: ContactOptions): ContactRequest {
  if (typeof options !== 'object' || options === null)
    throw new ContactError('invalid_argument', 'unable to create the contact; the options must be an object')
  const { initialOffer, secure, ...rest } = options
  if (secure !== undefined && typeof secure !== 'boolean')
    throw new ContactError('invalid_argument', 'unable to create the contact; secure must be true or false')
  if (secure === true && rest.later)
    throw new ContactError(
      'invalid_argument',
      'unable to create the contact; a secure one cannot be for later',
    )
  return asJson('create the contact', {
    ...rest,
    ...(secure === true && { secure }),
    ...(initialOffer && { initialOffer }),
    visit: visitOf(),
  })
}

/**
 * A request with its first offer in full. The code that completes offers is loaded where there is one.
 * @throws {@link ContactError} `invalid_offer`, `offline`
 */
export async function withInitialOffer(request: ContactRequest, loading: Loading): Promise<ContactRequest> {
  const { initialOffer, secure } = request
  if (!initialOffer) return request
  const { completeInitial } = await loaded('create the contact', later.carriedWays(), loading)
  return { ...request, initialOffer: completeInitial(initialOffer, secure) }
}

function visitOf(): NonNullable<ContactRequest['visit']> {
  if (typeof document === 'undefined' || typeof navigator === 'undefined') return {}
  return {
    page: { url: cutText(location.href, LIMITS.url), title: cutText(document.title, 256) },
    ...(document.referrer && { referrer: cutText(document.referrer, LIMITS.url) }),
    userAgent: cutText(navigator.userAgent, LIMITS.desc),
    lang: cutText(navigator.language, LIMITS.lang),
  }
}
