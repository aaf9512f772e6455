import { ContactError, within } from '../../protocol/index.ts'
import type { ErrorCode, JsonValue } from '../../protocol/index.ts'
import type { Log } from '../api/client.ts'
import { later } from '../contact/lazy-modules.ts'
import { LazyModule } from '../async/lazy-module.ts'
import type { Asked } from './requests.ts'
import type { Relay } from '../relay/relay.ts'
import type { Rpc, RpcOptions } from './rpc.ts'

const OPERATION = 'make the request'
/** Longest time that a browser's timer can measure. */
const NEVER_MS = 2_147_483_647

/** What the calls of both sides need of their contact. */
export interface RemoteCallsOptions extends RpcOptions {
  readonly relay: Relay
  readonly log: Log
  /** Aborted when this page's part in the contact ends. */
  readonly over: AbortSignal
}

/** Requests of both sides. What carries them out is loaded with the first one, of either side. */
export class RemoteCalls {
  readonly #options: RemoteCallsOptions
  readonly #code: LazyModule<Rpc>

  constructor(options: RemoteCallsOptions) {
    const { relay } = options
    this.#options = options
    const load = async (): Promise<Rpc> => new (await later.rpc()).Rpc(options)
    this.#code = new LazyModule({ ...options, load, operation: OPERATION })
    relay.on('rpc', (body) => this.#code.with((rpc) => rpc.receive(body)))
    relay.onPeer((peer) => {
      this.#code.forgetWaiting()
      this.#code.now?.peerChanged(peer)
    })
  }

  /** @throws as `request` of a contact. */
  request = async (asked: Asked): Promise<JsonValue | undefined> =>
    this.#code.now?.request(asked) ?? this.#loadAndRequest(asked)

  /** The time-out of a request counts from the call. */
  async #loadAndRequest(asked: Asked): Promise<JsonValue | undefined> {
    const { clock } = this.#options
    const end = clock.now() + limitOf(asked)
    const late = (): ContactError =>
      new ContactError('timeout', `unable to ${OPERATION}; there was no answer in time`)
    const inTime = <T>(work: Promise<T>): Promise<T> => within(work, { clock, ms: end - clock.now() }, late)
    const rpc = await inTime(this.#code.get())
    return inTime(rpc.request(asked))
  }

  end = (): void => this.#code.now?.end()

  /** What waits fails with this. */
  refuse = (code: ErrorCode): void => this.#code.now?.refuse(code)
}

/** How long a request takes with all its tries. What is no time is refused when the code is there. */
function limitOf({ timeout, retries }: Asked): number {
  const tries = typeof retries === 'number' && retries > 0 ? 1 + retries : 1
  return typeof timeout === 'number' && timeout > 0 ? Math.min(timeout * tries, NEVER_MS) : NEVER_MS
}
