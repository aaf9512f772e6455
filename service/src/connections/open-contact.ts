import { connectedSessions } from '../../../protocol/index.ts'
import type { ConnectedSessions, Slot } from '../../../protocol/index.ts'
import type { SessionElsewhere } from '../contacts/index.ts'
import type { Channel } from './channel.ts'
import type { ContactFold } from './contact-fold.ts'

/** An opening of a session; without an epoch: of a version that does not tell it. */
type Opened = Pick<SessionElsewhere, 'session' | 'slot'> & { readonly epoch: number | null }

/** A contact with an open channel in this process. */
export class OpenContact {
  readonly id: string
  readonly fold: ContactFold
  readonly channels = new Map<string, Channel>()
  /** The hub's count as a channel of it has opened or closed last, here or elsewhere. */
  changed = 0
  readonly #elsewhere = new Map<string, SessionElsewhere>()
  /** The openings whose frames were passed last. */
  readonly #passed = new Map<Slot, Opened>()

  constructor(id: string, fold: ContactFold) {
    this.id = id
    this.fold = fold
  }

  /** The other nodes that have it open, as far as this one has heard. */
  get nodes(): ReadonlySet<string> {
    return new Set([...this.#elsewhere.values()].map(({ node }) => node))
  }

  /** The other node that has a session; null where none is known to. */
  nodeOf(session: string): string | null {
    return this.#elsewhere.get(session)?.node ?? null
  }

  /** Its sessions that have a connection, here or elsewhere. */
  get connected(): ConnectedSessions {
    const elsewhere = [...this.#elsewhere.values()].filter(({ session }) => !this.channels.has(session))
    return connectedSessions([...this.channels.values(), ...elsewhere], this.fold.state.shared)
  }

  /** What the store has, instead of what was heard. Gives whether it is another thing. */
  setElsewhere(sessions: readonly SessionElsewhere[]): boolean {
    const isSame =
      sessions.length === this.#elsewhere.size &&
      sessions.every(({ session, node, epoch }) => {
        const known = this.#elsewhere.get(session)
        return known?.node === node && known.epoch === epoch
      })
    if (isSame) return false
    this.#elsewhere.clear()
    for (const each of sessions) this.#elsewhere.set(each.session, each)
    return true
  }

  /** A session has a connection elsewhere, or has lost it. What is of an earlier opening is passed over. */
  hear(heard: SessionElsewhere, isHere: boolean): void {
    const known = this.#elsewhere.get(heard.session)
    if (known && known.epoch > heard.epoch) return
    if (isHere) this.#elsewhere.set(heard.session, heard)
    else this.#elsewhere.delete(heard.session)
  }

  /**
   * Whether a frame of this opening may be passed, which is noted: a node that had no time may still have some of
   * a connection that the page has replaced.
   */
  mayPass(opened: Opened): boolean {
    const { session, slot, epoch } = opened
    if (epoch === null) return true
    const passed = this.#passed.get(slot)
    const later = [
      this.#elsewhere.get(session),
      this.channels.get(session),
      passed?.session === session ? passed : undefined,
    ]
    if (later.some((known) => (known?.epoch ?? 0) > epoch)) return false
    this.#passed.set(slot, { session, slot, epoch })
    return true
  }

  /** Tells the pages that are connected here who is connected. */
  tellConnected(): void {
    const { connected } = this
    for (const channel of this.channels.values()) channel.tellConnected(connected)
  }
}
