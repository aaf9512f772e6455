/** The pages of both parties on a walk. */
import type { Slot } from '../../protocol/index.ts'
import type { AgentImpl } from '../../sdk/agent/create-agent.ts'
import type { KeyValueStore } from '../../sdk/api/client.ts'
import type { VisitorClient } from '../../sdk/client/create-client.ts'
import type { Contact } from '../../sdk/index.ts'
import { settled } from '../../testing/index.ts'
import type { Party } from '../../testing/index.ts'
import { asked, watch } from './contacts.ts'
import type { World } from './world.ts'
import { ledgerOf } from './walk-tabs.ts'
import type { Tab } from './walk-tabs.ts'

const MOST_TRIES = 20

/** The outcome of what needs time; null where it failed. */
export async function meanwhile<T>(world: World, work: Promise<T>): Promise<T | null> {
  const watched = watch(work)
  await settled()
  for (let waited = 0; watched.result === 'pending' && waited < 200; waited++) await world.clock.advance(500)
  return typeof watched.result === 'object' && 'value' in watched.result ? watched.result.value : null
}

export class WalkPages {
  readonly world: World
  readonly tabs: Readonly<Record<Slot, Tab[]>> = { visitor: [], agent: [] }
  readonly #onOffer: (slot: Slot, tab: Tab) => void

  /** `onOffer`: a page is asked about an offer. */
  constructor(world: World, onOffer: (slot: Slot, tab: Tab) => void) {
    this.world = world
    this.#onOffer = onOffer
  }

  /** A page is loaded, and tries until it is in. */
  async load(slot: Slot, storage: KeyValueStore, agentId: string): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const page =
        slot === 'visitor' ? this.world.visitor({ tab: storage }) : this.world.agent({ id: agentId })
      const contact = await meanwhile(this.world, this.#enter(page, storage))
      if (contact) return settled()
      await page.client.close()
    }
    throw new Error(`the ${slot} cannot come back`)
  }

  async #enter(
    page: { readonly client: VisitorClient | AgentImpl; readonly party: Party },
    storage: KeyValueStore,
  ): Promise<Contact | null> {
    const { client } = page
    const contact =
      'resumeContact' in client ? (await client.resumeContact()).contact : await this.#taken(client)
    if (!contact) return null
    if (contact.role === 'agent') await contact.join()
    this.keep(contact.role, page, contact, storage)
    return contact
  }

  /** The agent's contact: theirs already, or the one that waits. */
  async #taken(client: AgentImpl): Promise<Contact | null> {
    const [mine] = await client.contacts()
    if (mine) return mine
    const waiting = [...this.world.link.contacts].at(-1)
    return waiting?.[1].state.life === 'queued' ? client.accept(waiting[0]) : null
  }

  /** From now on it is the party's newest page. */
  keep(
    slot: Slot,
    { client, party }: { readonly client: VisitorClient | AgentImpl; readonly party: Party },
    contact: Contact,
    storage: KeyValueStore,
  ): void {
    const tab: Tab = {
      client,
      party,
      contact,
      engines: { WebRTC: ledgerOf(contact, 'WebRTC'), Other: ledgerOf(contact, 'Other') },
      storage,
      offers: asked(contact),
      unplugged: new Set(),
    }
    contact.on('mediaoffer', () => this.#onOffer(slot, tab))
    this.tabs[slot].push(tab)
  }

  /** The newest page of a party. */
  current(slot: Slot): Tab {
    const tab = this.tabs[slot].at(-1)
    if (!tab) throw new Error(`the ${slot} has no page`)
    return tab
  }

  /**
   * The visitor's tab that holds the slot: any of those that are left may have taken it when the newest was
   * closed.
   */
  holder = (): Tab =>
    this.tabs.visitor.find(({ contact }) => contact.mediaState !== 'init') ?? this.current('visitor')

  all = (): Tab[] => [...this.tabs.visitor, ...this.tabs.agent]
}
