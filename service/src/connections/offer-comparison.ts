import type { OfferPair } from '../queue/offer-rows.ts'
import type { OfferPushes } from './offer-pushes.ts'

/** Agents of one statement. */
const AT_ONCE = 100

/**
 * Compares what agents with a connection here (`here`, by agent) were told of offers with what stands in the
 * store, and makes up for hints that were lost. `read`: offers of some agents that stand.
 */
export async function compareOffers(
  here: ReadonlyMap<string, readonly OfferPushes[]>,
  read: (agents: readonly string[]) => Promise<readonly OfferPair[]>,
): Promise<void> {
  const all = [...here]
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE)
    const before = some.map(([, connections]) => connections.map(({ told }) => told))
    const standing = byAgent(await read(some.map(([agent]) => agent)))
    for (const [index, [agent, connections]] of some.entries())
      for (const [at, offers] of connections.entries())
        offers.compare(standing.get(agent) ?? new Set(), before[index]?.[at] ?? new Map())
  }
}

function byAgent(pairs: readonly OfferPair[]): ReadonlyMap<string, ReadonlySet<string>> {
  const contacts = new Map<string, Set<string>>()
  for (const { agent, contact } of pairs) contacts.set(agent, (contacts.get(agent) ?? new Set()).add(contact))
  return contacts
}
