import { ContactError, RateLimit, copyOf } from '../../protocol/index.ts'
import type { Calls, Clock } from '../../protocol/index.ts'
import type { ServiceLink } from './service-link.ts'

type Answer = Calls['ice.servers']['result']

/** An answer serves this part of the life of its credentials, at most this long. */
const USED_PART = 0.1
const USED_MS = 60_000
/** The service is asked so often at once, and then once in each interval: half of what it allows a party. */
const ASKS = { burst: 60, intervalMs: 4_000 }

interface IceServersOptions {
  readonly clock: Clock
  readonly ask: () => Promise<Answer>
  /** Whether the contacts are entered: the service gives nobody else servers that relay. */
  readonly isOnline: () => boolean
}

/**
 * The service's ICE servers, asked for anew whenever somebody wants them. A remote can make this page want servers
 * as often as it likes, and the service limits how often a party asks: what is wanted beyond that gets the last
 * answer, which serves all contacts of the page for a minute.
 */
class IceServers {
  readonly #options: IceServersOptions
  #answer: { readonly servers: Promise<Answer['iceServers']>; untilMs: number; isGood: boolean } | null = null
  readonly #limit = new RateLimit(ASKS)

  constructor(options: IceServersOptions) {
    this.#options = options
  }

  /** @throws what the service answers; the same until the time that it says to wait */
  get = async (): Promise<Answer['iceServers']> => {
    if (!this.#answer || this.#options.clock.now() >= this.#answer.untilMs || this.#mayAsk) this.#ask()
    return copyOf((await this.#answer?.servers) ?? [])
  }

  /** Whether a good answer may be asked for anew. */
  get #mayAsk(): boolean {
    return this.#answer?.isGood === true && this.#limit.allows(this.#options.clock.now())
  }

  #ask(): void {
    const { clock, ask, isOnline } = this.#options
    this.#limit.count(clock.now())
    const mayStay = isOnline()
    const asked = ask()
    const answer = {
      servers: asked.then(({ iceServers }) => iceServers),
      untilMs: Number.POSITIVE_INFINITY,
      isGood: false,
    }
    const keepFor = (ms: number): void => void (answer.untilMs = clock.now() + ms)
    this.#answer = answer
    asked.then(
      ({ expiresInMs }) => {
        answer.isGood = true
        keepFor(mayStay ? Math.min(expiresInMs * USED_PART, USED_MS) : 0)
      },
      (thrown: unknown) => keepFor((thrown instanceof ContactError && thrown.retryAfterMs) || 0),
    )
  }
}

/** A page's connection, as its ICE servers need it. */
export type IceLink = Pick<ServiceLink, 'call' | 'clock' | 'state'>

const ofLinks = new WeakMap<IceLink, IceServers>()

/**
 * STUN and TURN servers of a page, with credentials that are good for a while: one limit for all its contacts.
 * @throws {@link ContactError} as `call` of the link
 */
export function iceServersOf(link: IceLink): IceServers['get'] {
  const known = ofLinks.get(link)
  if (known) return known.get
  const servers = new IceServers({
    clock: link.clock,
    ask: () => link.call('ice.servers', {}),
    isOnline: () => link.state === 'online',
  })
  ofLinks.set(link, servers)
  return servers.get
}
