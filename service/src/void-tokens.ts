import type { AttachmentService } from './attachments/index.ts'
import type { Principal } from './auth/principal.ts'
import type { Revocations, Revoked } from './auth/revocations.ts'
import type { Gateway } from './connections/gateway.ts'

interface VoidTokensParts {
  readonly revocations: Revocations
  readonly attachments: AttachmentService
  readonly gateway: Pick<Gateway, 'disconnect'>
  /** Whether the token of a connection has been voided. */
  readonly isVoid: (principal: Principal) => boolean
  /** Other nodes are to look, too. */
  readonly tellOthers: () => void
}

/** Ends what was begun with tokens that are void. */
export class VoidTokens {
  readonly #parts: VoidTokensParts

  constructor(parts: VoidTokensParts) {
    this.#parts = parts
  }

  /** Voids tokens, those of uploads too, and ends the connections that were made with them. */
  async revoke({ use, id }: Revoked): Promise<void> {
    const { revocations, attachments, tellOthers } = this.#parts
    await revocations.revoke({ use, id })
    tellOthers()
    await this.disconnect()
    await attachments.giveUp({ use, id })
  }

  /** The signing keys that were used before are void. */
  async endSigned(): Promise<void> {
    await this.disconnect()
    await this.#parts.attachments.giveUpAll()
  }

  /** Ends the connections whose tokens are void. */
  disconnect(): Promise<void> {
    return this.#parts.gateway.disconnect(this.#parts.isVoid)
  }

  /** Reads what other nodes have voided. */
  async look(): Promise<void> {
    await this.#parts.revocations.load()
    await this.disconnect()
  }
}
