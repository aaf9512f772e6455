import { ContactError } from '../protocol/index.ts'
import type { ErrorCode, JsonValue } from '../protocol/index.ts'
import type { ContactCore } from './contact-core.ts'
import { seenKey } from './kept.ts'
import { LoadedPart } from './loaded-part.ts'
import type { Asked, Rpc } from './rpc/index.ts'
import { loadedUntil } from './settle.ts'

const OPERATION = 'make the request'

/** Requests of both sides. What carries them out is loaded with the first one, of either side. */
export class RemoteCalls {
  readonly #core: ContactCore
  readonly #code: LoadedPart<Rpc>

  constructor(core: ContactCore) {
    this.#core = core
    const load = async (): Promise<Rpc> => new (await import('./rpc/index.ts')).Rpc(core, () => seenKey(core.options.service, core.id))
    this.#code = new LoadedPart({ load, operation: OPERATION, log: core.options.log })
    core.lane.on('rpc', (body) => this.#code.with((rpc) => rpc.receive(body)))
    core.lane.onPeer((peer) => {
      this.#code.forgetWaiting()
      this.#code.now?.peerChanged(peer)
    })
  }

  /** @throws as `request` of a contact. */
  request = async (asked: Asked): Promise<JsonValue | undefined> => (this.#code.now ?? (await this.#load(asked.timeout))).request(asked)

  /** No longer than the contact lasts, and than the application waits for an answer. */
  async #load(timeout: unknown): Promise<Rpc> {
    const { over, options } = this.#core
    const code = loadedUntil(over, OPERATION, this.#code.get())
    if (typeof timeout !== 'number' || !(timeout > 0 && timeout < 2 ** 31)) return code
    let timer: unknown
    const late = new Promise<never>((_resolve, reject) => {
      const expire = (): void => reject(new ContactError('timeout', `unable to ${OPERATION}; its code did not come in time`))
      timer = options.clock.setTimeout(expire, timeout)
    })
    return Promise.race([code, late]).finally(() => options.clock.clearTimeout(timer))
  }

  end = (): void => this.#code.now?.end()

  /** What waits fails with this. */
  refuse = (code: ErrorCode): void => this.#code.now?.refuse(code)
}
