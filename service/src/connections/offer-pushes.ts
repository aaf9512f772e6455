import type { Distribution, Push } from '../../../protocol/index.ts'
import { whenWritable } from './packet-sink.ts'
import type { PacketSink } from './packet-sink.ts'

export interface OfferPushParts {
  readonly sink: Pick<PacketSink, 'push' | 'isFull' | 'isOpen' | 'drained' | 'close'>
  /** The offer of a contact as it stands now; null where it is over. */
  readonly standing: (contact: string) => Promise<Distribution | null>
  readonly onFault: (thrown: unknown) => void
}

/**
 * What one connection of an agent is told of its offers. While the connection has no room, only the ids of
 * the contacts wait: each offer is read when there is room, and told as it stands then.
 */
export class OfferPushes {
  readonly #parts: OfferPushParts
  readonly #waiting = new Set<string>()
  #isSending = false
  #sent: Promise<void> = Promise.resolve()

  constructor(parts: OfferPushParts) {
    this.#parts = parts
  }

  push(push: Push): void {
    const { sink } = this.#parts
    const isOffer = push.name === 'agent.distribution'
    if (isOffer && (this.#isSending || sink.isFull())) return this.#wait(push.body.id)
    if (push.name === 'agent.withdrawn') this.#waiting.delete(push.body.id)
    sink.push(push.name, push.body)
  }

  /** Resolves when no offer waits any more, or the connection is gone. */
  sent(): Promise<void> {
    return this.#sent
  }

  #wait(contact: string): void {
    this.#waiting.add(contact)
    if (!this.#isSending) this.#sent = this.#send()
  }

  async #send(): Promise<void> {
    const { sink, onFault } = this.#parts
    this.#isSending = true
    try {
      for (const contact of this.#waiting) {
        await whenWritable(sink)
        if (!sink.isOpen()) break
        await this.#tell(contact)
      }
    } catch (thrown) {
      // A connection that is made anew is told of all offers that stand.
      onFault(thrown)
      sink.close()
    }
    this.#waiting.clear()
    this.#isSending = false
  }

  async #tell(contact: string): Promise<void> {
    const { sink, standing } = this.#parts
    const offer = await standing(contact)
    // It may have been withdrawn meanwhile.
    if (this.#waiting.delete(contact) && offer) sink.push('agent.distribution', offer)
  }
}
