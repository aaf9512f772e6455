import { ContactError, LIMITS, algebra, cutText } from '../../protocol/index.ts'
import type { ContactRequest } from '../../protocol/index.ts'
import type { ContactOptions } from '../api/contact.ts'
import { asJson } from '../values/arguments.ts'

/**
 * What a page asks the service for.
 * @throws {@link ContactError} `invalid_argument`, `too_large`, `invalid_offer`
 */
export function toRequest(options: ContactOptions): ContactRequest {
  if (typeof options !== 'object' || options === null)
    throw new ContactError('invalid_argument', 'unable to create the contact; the options must be an object')
  const { initialOffer, secure, ...rest } = options
  if (secure !== undefined && typeof secure !== 'boolean')
    throw new ContactError('invalid_argument', 'unable to create the contact; secure must be true or false')
  if (secure === true && Object.values(initialOffer ?? {}).some((details) => details?.via === 'pstn'))
    throw new ContactError('invalid_offer', 'unable to create the contact; a secure one has no telephone')
  return asJson('create the contact', {
    ...rest,
    ...(secure === true && { secure }),
    ...(initialOffer && { initialOffer: completeInitial(initialOffer) }),
    visit: visitOf(),
  })
}

/** The visitor's first offer as the agent reads it. */
function completeInitial(
  offer: NonNullable<ContactOptions['initialOffer']>,
): NonNullable<ContactRequest['initialOffer']> {
  const built: Readonly<Record<string, string>> = {
    Chat: 'Native',
    Voice: offer.Voice?.via === 'pstn' ? 'Native' : 'WebRTC',
    Video: 'WebRTC',
    Screen: 'WebRTC',
  }
  return algebra.swapOffer(
    algebra.completeOffer(offer, (medium) => {
      const engine = built[medium]
      return engine === undefined
        ? undefined
        : [{ via: algebra.builtInVia(medium, engine) as string, engine }]
    }),
  )
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
