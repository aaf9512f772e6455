/** Which ids parties can have: whoever gives another one has made a mistake, and is told so. */
import { isName } from '../../../protocol/index.ts'
import { DIGESTED } from './claim-mapping.ts'
import { IDENTIFIED } from './identities.ts'
import type { Revoked } from './revocations.ts'
import { ANONYMOUS } from './visitors.ts'

/** SHA-256 as base64url. */
const DIGEST = /^[\w-]{43}$/

/** Of the service's own making, or named by the site. */
export const isVisitorId = (id: string): boolean =>
  isName(id) &&
  ((id.startsWith(ANONYMOUS) && id !== ANONYMOUS) ||
    (id.startsWith(IDENTIFIED) && isPartyName(id.slice(IDENTIFIED.length))))

/** Whether something may have this id. */
export const isPossible = ({ use, id }: Revoked): boolean =>
  use === 'token' ? id !== '' : use === 'visitor' ? isVisitorId(id) : isName(id) && isPartyName(id)

/** What begins as a digest is one. */
const isPartyName = (name: string): boolean =>
  name !== '' && (!name.startsWith(DIGESTED) || DIGEST.test(name.slice(DIGESTED.length)))
