import { createLocalJWKSet, errors } from 'jose'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { ContactError } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'

/** Keys are asked for again after so long. */
const FRESH_MS = 600_000
/** Whatever asks for them, and however it ends: the provider is asked so often at most. */
const PAUSE_MS = 10_000
const LIMIT_MS = 5_000

/** Public keys of the identity provider. Those that it gave last go on while it is down. */
export class ProviderKeys {
  readonly #address: string
  readonly #clock: ServiceClock
  #keys: JWTVerifyGetKey | null = null
  #loaded = Number.NEGATIVE_INFINITY
  #asked = Number.NEGATIVE_INFINITY
  #failure: unknown = null
  #asking: Promise<void> | null = null

  constructor(address: string, clock: ServiceClock) {
    this.#address = address
    this.#clock = clock
  }

  /**
   * The key that a token names.
   * @throws {@link ContactError} `offline` — the provider cannot be asked for it; what jose throws where
   *   there is no such key
   */
  find: JWTVerifyGetKey = async (header, token) => {
    if (this.#clock.now() - this.#loaded >= FRESH_MS) await this.#ask()
    try {
      return await this.#known()(header, token)
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown
      await this.#ask()
      if (this.#failure !== null) throw this.#offline()
      return this.#known()(header, token)
    }
  }

  #known(): JWTVerifyGetKey {
    if (!this.#keys) throw this.#offline()
    return this.#keys
  }

  #offline(): ContactError {
    return new ContactError('offline', 'unable to connect; the identity provider cannot be reached', {
      cause: this.#failure,
    })
  }

  #ask(): Promise<void> {
    if (this.#asking) return this.#asking
    if (this.#clock.now() - this.#asked < PAUSE_MS) return Promise.resolve()
    this.#asked = this.#clock.now()
    this.#asking = this.#load().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #load(): Promise<void> {
    try {
      const answer = await fetch(this.#address, {
        headers: { accept: 'application/jwk-set+json, application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      if (answer.status !== 200) throw new Error(`the identity provider answered with ${answer.status}`)
      this.#keys = createLocalJWKSet((await answer.json()) as JSONWebKeySet)
      this.#loaded = this.#clock.now()
      this.#failure = null
    } catch (thrown) {
      this.#failure = thrown
    }
  }
}
