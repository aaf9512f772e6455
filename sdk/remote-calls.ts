import { ContactError } from '../protocol/index.ts'
import type { JsonValue } from '../protocol/index.ts'
import type { ContactCore } from './contact-core.ts'
import type { Asked, Rpc } from './rpc/index.ts'

/** Where the ids of requests stand whose procedure was run. */
export const seenKey = (contact: string): string => `parley:${contact}:requests`

/** Requests of both sides. What carries them out is loaded with the first one, of either side. */
export class RemoteCalls {
  readonly #core: ContactCore
  #loading: Promise<Rpc> | null = null
  #rpc: Rpc | null = null
  /** Frames that came before the code. */
  #waiting: (JsonValue | undefined)[] = []

  constructor(core: ContactCore) {
    this.#core = core
    core.lane.on('rpc', (body) => this.#receive(body))
    core.lane.onPeer((peer) => {
      this.#waiting = []
      this.#rpc?.peerChanged(peer)
    })
  }

  /** @throws as `request` of a contact. */
  request = async (asked: Asked): Promise<JsonValue | undefined> => (this.#rpc ?? (await this.#load())).request(asked)

  end = (): void => this.#rpc?.end()

  #receive(body: JsonValue | undefined): void {
    if (this.#rpc) return this.#rpc.receive(body)
    this.#waiting.push(body)
    this.#load().catch(() => this.#core.options.log.warn('the code for requests could not be loaded'))
  }

  async #load(): Promise<Rpc> {
    try {
      return await (this.#loading ??= this.#import())
    } catch (cause) {
      this.#loading = null
      throw new ContactError('offline', 'unable to make the request; its code could not be loaded', { cause })
    }
  }

  async #import(): Promise<Rpc> {
    const loaded = await import('./rpc/index.ts')
    this.#rpc = new loaded.Rpc(this.#core, () => seenKey(this.#core.id))
    for (const body of this.#waiting.splice(0)) this.#rpc.receive(body)
    return this.#rpc
  }
}
