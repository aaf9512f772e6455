import type { Socket } from 'socket.io'
import { ContactError, PROTOCOL_VERSION } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import type { CheckToken } from '../auth/tokens.ts'
import { clientAddress, networkOf } from '../limits/client-address.ts'
import type { RateLimits } from '../limits/rate-limits.ts'

export interface AdmissionParts {
  /** Number of reverse proxies in front of the service. */
  readonly proxies: number
  /** Local use: clients other than browsers may connect without an origin. */
  readonly lax: boolean
  readonly checkToken: CheckToken
  readonly limits: RateLimits
}

/** Decides who may connect: protocol version, token, origin and rates. */
export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /**
   * The party of a new connection.
   *
   * @throws {@link ContactError} `protocol`, `unauthorized`, `rate_limited`
   */
  async admit(socket: Socket): Promise<Principal> {
    const { token, protocol } = socket.handshake.auth as Record<string, unknown>
    if (typeof protocol !== 'string' || protocol.split('.')[0] !== PROTOCOL_VERSION.split('.')[0]) {
      throw new ContactError(
        'protocol',
        `unable to connect; this service speaks version ${PROTOCOL_VERSION} of the protocol`,
      )
    }
    const principal = await this.principalOf(typeof token === 'string' ? token : '', socket)
    this.#parts.limits.take('connects', principal.id)
    return principal
  }

  /** Checks a token that a connection sends. */
  async principalOf(token: string, { handshake, request }: Socket): Promise<Principal> {
    const principal = await this.#checkToken(token, networkOf(clientAddress(request, this.#parts.proxies)))
    if (principal.use === 'visitor') this.#checkOrigin(principal.origin, handshake.headers.origin)
    return principal
  }

  /**
   * Counts failures by address. A valid token is never refused for them, because many parties may share an
   * address.
   */
  async #checkToken(token: string, address: string): Promise<Principal> {
    const { limits, checkToken } = this.#parts
    try {
      return await checkToken(token)
    } catch (thrown) {
      if (thrown instanceof ContactError && thrown.code === 'unauthorized')
        limits.take('failedSignIns', address)
      throw thrown
    }
  }

  /** A visitor's token works only on pages of the origin it was issued to. */
  #checkOrigin(bound: string, origin: string | undefined): void {
    if (origin === undefined && this.#parts.lax) return
    if (origin !== bound)
      throw new ContactError('unauthorized', 'unable to connect; the token belongs to another origin')
  }
}
