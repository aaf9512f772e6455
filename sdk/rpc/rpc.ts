import { parseRpc } from '../../protocol/index.ts'
import type { ErrorCode, JsonValue } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import { Procedures } from './procedures.ts'
import type { ProceduresOptions } from './procedures.ts'
import { Requests } from './requests.ts'
import type { Asked, RequestsOptions } from './requests.ts'
import type { Relay } from '../relay/relay.ts'
import { SeenIds } from './seen-ids.ts'

/** What remote procedure calls need of their contact. */
export interface RpcOptions extends ProceduresOptions, RequestsOptions {
  readonly relay: Pick<Relay, 'send' | 'trySend'>
  /** For all pages of the party: which procedures were run, and under which key that stands now. */
  readonly seen: KeyValueStore
  readonly seenKey: () => string
  /** Whether this page's session holds its party's slot. */
  readonly holdsSlot: () => boolean
}

/** Remote procedure calls of one contact, both ways, over the relay. */
export class Rpc {
  readonly #options: RpcOptions
  readonly #requests: Requests
  readonly #procedures: Procedures

  constructor(options: RpcOptions) {
    this.#options = options
    this.#requests = new Requests(options)
    this.#procedures = new Procedures(options, new SeenIds(options.seen, options.seenKey))
  }

  request = (asked: Asked): Promise<JsonValue | undefined> => this.#requests.make(asked)

  receive(body: JsonValue | undefined): void {
    const frame = parseRpc(body)
    if (frame?.type === 'request') this.#procedures.receive(frame)
    else if (frame) this.#requests.receive(frame)
  }

  /** Another session is spoken to; null: none. */
  peerChanged(peer: string | null): void {
    this.#procedures.forget()
    if (peer !== null) this.#requests.tell({ type: 'peer.changed' })
    else this.#requests.tell({ type: this.#options.holdsSlot() ? 'peer.left' : 'contact.left' })
  }

  refuse = (code: ErrorCode): void => this.#requests.tell({ type: 'request.refused', code })

  end = (): void => this.#requests.tell({ type: 'contact.left' })
}
