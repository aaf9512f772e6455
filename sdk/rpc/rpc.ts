import { parseRpc } from '../../protocol/index.ts'
import type { ErrorCode, JsonValue } from '../../protocol/index.ts'
import type { ContactCore } from '../contact/contact-core.ts'
import { Procedures } from './procedures.ts'
import { Requests } from './requests.ts'
import type { Asked } from './requests.ts'
import { SeenIds } from './seen-ids.ts'

/** Remote procedure calls of one contact, both ways, over the relay. */
export class Rpc {
  readonly #core: ContactCore
  readonly #requests: Requests
  readonly #procedures: Procedures

  /** `seenKey`: where it is remembered which procedures were run. */
  constructor(core: ContactCore, seenKey: () => string) {
    this.#core = core
    this.#requests = new Requests(core)
    this.#procedures = new Procedures(core, new SeenIds(core.options.seen, seenKey))
  }

  request = (asked: Asked): Promise<JsonValue | undefined> => this.#requests.make(asked)

  receive(body: JsonValue | undefined): void {
    const frame = parseRpc(body)
    if (frame?.type === 'request') this.#procedures.receive(frame)
    else if (frame) this.#requests.receive(frame)
  }

  /** Another session is spoken to; null: none. */
  peerChanged(peer: string | null): void {
    const { options, log, session } = this.#core
    this.#procedures.forget()
    if (peer !== null) this.#requests.tell({ type: 'peer.changed' })
    else
      this.#requests.tell({
        type: log.state.shared.session[options.role] === session ? 'peer.left' : 'contact.left',
      })
  }

  refuse = (code: ErrorCode): void => this.#requests.tell({ type: 'request.refused', code })

  end = (): void => this.#requests.tell({ type: 'contact.left' })
}
