import type { ErrorCode, JsonValue } from '../protocol/index.ts'
import type { ContactCore } from './contact-core.ts'
import { seenKey } from './kept.ts'
import { LoadedPart } from './loaded-part.ts'
import type { Asked, Rpc } from './rpc/index.ts'

/** Requests of both sides. What carries them out is loaded with the first one, of either side. */
export class RemoteCalls {
  readonly #code: LoadedPart<Rpc>

  constructor(core: ContactCore) {
    const load = async (): Promise<Rpc> => new (await import('./rpc/index.ts')).Rpc(core, () => seenKey(core.options.service, core.id))
    this.#code = new LoadedPart({ load, operation: 'make the request', log: core.options.log })
    core.lane.on('rpc', (body) => this.#code.with((rpc) => rpc.receive(body)))
    core.lane.onPeer((peer) => {
      this.#code.forgetWaiting()
      this.#code.now?.peerChanged(peer)
    })
  }

  /** @throws as `request` of a contact. */
  request = async (asked: Asked): Promise<JsonValue | undefined> => (this.#code.now ?? (await this.#code.get())).request(asked)

  end = (): void => this.#code.now?.end()

  /** What waits fails with this. */
  refuse = (code: ErrorCode): void => this.#code.now?.refuse(code)
}
