/** The back end of a site says who its customer is: a short JWT, for `identity` of `createClient`. */
import { SignJWT } from 'jose'

/** The same text as `--visitor-secret` of the service, at least 32 characters. */
const secret = new TextEncoder().encode(process.env['VISITOR_SECRET'] ?? '')

/**
 * For the address that the page asks, such as `/contact-identity`, behind the site's own sign-in.
 *
 * @param {{ readonly id: string, readonly name: string }} customer as the site's session knows them
 */
export const identityOf = ({ id, name }) =>
  new SignJWT({ name })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(id)
    .setIssuer('https://www.example.org')
    .setIssuedAt()
    .setExpirationTime('10 minutes')
    .sign(secret)
