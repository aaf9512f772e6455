import { score } from './strategy.ts'
import type { Candidate, Strategy, Waiting } from './strategy.ts'

/** Agents by contact. */
export type PairSet = ReadonlyMap<string, ReadonlySet<string>>

export interface Situation {
  readonly strategy: Strategy
  readonly now: number
  /** Longest wait first. */
  readonly waiting: readonly Waiting[]
  readonly agents: readonly Candidate[]
  /** Offers that stand. */
  readonly offered: PairSet
  /** Agents who are not to be asked again yet. */
  readonly refused: PairSet
}

export interface PlannedOffer {
  readonly contact: string
  readonly agent: string
}

/** Who is to be offered what now. No agent gets more offers than contacts that they could still take. */
export function planOffers({ strategy, now, waiting, agents, offered, refused }: Situation): PlannedOffer[] {
  const load = new Map(agents.map((agent) => [agent.id, agent.load]))
  const planned: PlannedOffer[] = []
  for (const contact of waiting) {
    if (now - contact.queuedAt < strategy.delayMs) continue
    const standing = offered.get(contact.id) ?? new Set<string>()
    const free = agents.filter((agent) => (load.get(agent.id) ?? 0) < agent.capacity && !standing.has(agent.id) && !refused.get(contact.id)?.has(agent.id))
    const ranked = free
      .map((agent) => ({ id: agent.id, points: score(contact, { ...agent, load: load.get(agent.id) ?? 0 }, { strategy, now }) }))
      .filter((each): each is { id: string; points: number } => each.points !== null)
      .toSorted((a, b) => b.points - a.points)
    for (const { id } of ranked.slice(0, Math.max(0, strategy.parallel - standing.size))) {
      load.set(id, (load.get(id) ?? 0) + 1)
      planned.push({ contact: contact.id, agent: id })
    }
  }
  return planned
}
