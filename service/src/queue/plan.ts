import { atStep, score } from './strategy.ts'
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

const NOBODY: ReadonlySet<string> = new Set()

/** Who is to be offered what now. No agent gets more offers than contacts that they could still take. */
export function planOffers({ strategy: whole, now, waiting, agents, offered, refused }: Situation): PlannedOffer[] {
  let free = agents.filter(({ load, capacity }) => load < capacity)
  const planned: PlannedOffer[] = []
  for (const contact of waiting) {
    if (free.length === 0) break
    const strategy = atStep(whole, now - contact.queuedAt)
    const standing = offered.get(contact.id) ?? NOBODY
    const wanted = strategy.parallel - standing.size
    if (wanted <= 0 || now - contact.queuedAt < strategy.delayMs) continue
    const unasked = free.filter(({ id }) => !standing.has(id) && !refused.get(contact.id)?.has(id))
    const chosen = new Set(best({ contact, agents: unasked, strategy, now }, wanted))
    if (chosen.size === 0) continue
    for (const agent of chosen) planned.push({ contact: contact.id, agent })
    free = free.map((agent) => (chosen.has(agent.id) ? { ...agent, load: agent.load + 1 } : agent)).filter(({ load, capacity }) => load < capacity)
  }
  return planned
}

interface Choice {
  readonly contact: Waiting
  readonly agents: readonly Candidate[]
  readonly strategy: Strategy
  readonly now: number
}

/** The best fitting agents first, those whom the query named first among equals. */
function best({ contact, agents, strategy, now }: Choice, wanted: number): string[] {
  const ranked = agents
    .map((agent) => ({ id: agent.id, points: score(contact, agent, { strategy, now }) }))
    .filter((each): each is { id: string; points: number } => each.points !== null)
  if (wanted >= ranked.length) return ranked.map(({ id }) => id)
  if (wanted > 1)
    return ranked
      .toSorted((a, b) => b.points - a.points)
      .slice(0, wanted)
      .map(({ id }) => id)
  const [first] = ranked
  return first ? [ranked.reduce((top, each) => (each.points > top.points ? each : top), first).id] : []
}
