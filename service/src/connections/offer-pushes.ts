import type { Distribution, Push } from '../../../protocol/index.ts'
import { whenWritable } from './packet-sink.ts'
import type { SocketSink } from './packet-sink.ts'

export interface OfferPushParts {
  readonly sink: Pick<SocketSink, 'push' | 'pushHeard' | 'isFull' | 'isOpen' | 'drained' | 'close'>
  /** The offer of a contact as it stands now; null where it is over. */
  readonly standing: (contact: string) => Promise<Distribution | null>
  /** Notes what an offer has come to; null: nobody asks. */
  readonly evidence: {
    readonly told: (contact: string) => void
    readonly seen: (contact: string) => void
  } | null
  readonly onFault: (thrown: unknown) => void
}

/** Contacts whose offers a connection was told: a later telling has a larger number. */
export type Told = ReadonlyMap<string, number>

/**
 * What one connection of an agent is told of its offers. While the connection has no room, only the ids of
 * the contacts wait: each offer is read when there is room, and told as it stands then.
 */
export class OfferPushes {
  readonly #parts: OfferPushParts
  readonly #waiting = new Set<string>()
  readonly #told = new Map<string, number>()
  #pushes = 0
  #isSending = false
  #sent: Promise<void> = Promise.resolve()

  constructor(parts: OfferPushParts) {
    this.#parts = parts
  }

  push(push: Push): void {
    const { sink } = this.#parts
    if (push.name === 'agent.distribution') {
      if (this.#isSending || sink.isFull()) return this.#wait(push.body.id)
      return this.#offer(push.body)
    }
    if (push.name === 'agent.withdrawn') this.settled(push.body.id)
    sink.push(push.name, push.body)
  }

  /** The agent has answered over this connection: it knows that the offer is over. */
  settled(contact: string): void {
    this.#waiting.delete(contact)
    this.#told.delete(contact)
  }

  /** What it has been told until now. */
  get told(): Told {
    return new Map(this.#told)
  }

  /**
   * Tells what it was not told, and takes back what is over, since a hint may have been lost. `standing`:
   * contacts whose offers the store has. `before`: what had been told as the store was asked.
   */
  compare(standing: ReadonlySet<string>, before: Told): void {
    for (const [contact, telling] of before)
      if (!standing.has(contact) && this.#told.get(contact) === telling)
        this.push({ name: 'agent.withdrawn', body: { id: contact, reason: 'cleared' } })
    for (const contact of standing)
      if (!this.#told.has(contact) && !this.#waiting.has(contact)) this.#wait(contact)
  }

  /** Resolves when no offer waits any more, or the connection is gone. */
  sent(): Promise<void> {
    return this.#sent
  }

  #offer(offer: Distribution): void {
    const { sink, evidence } = this.#parts
    const { id } = offer
    this.#told.set(id, (this.#pushes += 1))
    if (!evidence) return sink.push('agent.distribution', offer)
    sink.pushHeard('agent.distribution', offer, () => evidence.seen(id))
    evidence.told(id)
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
    const offer = await this.#parts.standing(contact)
    // It may have been withdrawn meanwhile.
    if (this.#waiting.delete(contact) && offer) this.#offer(offer)
  }
}
