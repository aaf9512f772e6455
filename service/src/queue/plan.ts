import { strategyAt, score } from './strategy.ts'
import type { Candidate, Strategy, Waiting } from './strategy.ts'

/** Agents by contact. */
export type PairSet = ReadonlyMap<string, ReadonlySet<string>>

export interface QueueSnapshot {
  readonly strategy: Strategy
  readonly now: number
  /** Longest wait first. */
  readonly waiting: readonly Waiting[]
  readonly agents: readonly Candidate[]
  /** Offers that stand. */
  readonly offered: PairSet
  /** Agents who are not to be asked again yet. */
  readonly refused: PairSet
  /** Where so many offers are planned, the rest is left to the next plan. */
  readonly most?: number
  /**
   * For so long a contact that was handed on also waits for agents who have no room at the moment, before it
   * is offered to the one who handed it on.
   */
  readonly keptMs?: number
}

export interface PlannedOffer {
  readonly contact: string
  readonly agent: string
}

/** An agent while the plan is made: offers count as load. */
type Free = { -readonly [K in keyof Candidate]: Candidate[K] }

const NOBODY: ReadonlySet<string> = new Set()

/** Who is to be offered what now. No agent gets more offers than contacts that they could still take. */
export function planOffers({
  strategy: whole,
  now,
  waiting,
  agents,
  offered,
  refused,
  most = Number.POSITIVE_INFINITY,
  keptMs = 0,
}: QueueSnapshot): PlannedOffer[] {
  const all: readonly Free[] = agents.map((agent) => ({ ...agent }))
  let free = all.filter(hasRoom)
  const planned: PlannedOffer[] = []
  for (const contact of waiting) {
    if (free.length === 0 || planned.length >= most) break
    const strategy = strategyAt(whole, now - contact.queuedAt)
    const standing = offered.get(contact.id) ?? NOBODY
    const wanted = strategy.parallel - standing.size
    if (wanted <= 0 || now - contact.queuedAt < strategy.delayMs) continue
    const unwilling = refused.get(contact.id) ?? NOBODY
    const others = {
      contact,
      all,
      standing,
      unwilling,
      strategy,
      now,
      isEarly: now - Math.max(contact.queuedAt, contact.handedAt ?? 0) < keptMs,
    }
    const without = [standing, unwilling, ...(fitsAnother(others) ? [new Set([contact.handedBy ?? ''])] : [])]
    const chosen = best({ contact, free, without, strategy, now }, wanted)
    for (const agent of chosen) {
      planned.push({ contact: contact.id, agent: agent.id })
      agent.load += 1
    }
    if (!chosen.every(hasRoom)) free = free.filter(hasRoom)
  }
  return planned
}

export const hasRoom = ({ load, capacity }: Candidate): boolean => load < capacity

interface Others {
  readonly contact: Waiting
  readonly all: readonly Free[]
  /** Agents who are asked already. */
  readonly standing: ReadonlySet<string>
  readonly unwilling: ReadonlySet<string>
  readonly strategy: Strategy
  readonly now: number
  readonly isEarly: boolean
}

/** Whether somebody other than the agent who handed the contact on could take it. */
function fitsAnother({ contact, all, standing, unwilling, strategy, now, isEarly }: Others): boolean {
  const by = contact.handedBy ?? null
  if (by === null) return false
  const couldTake = (agent: Free): boolean => isEarly || hasRoom(agent) || standing.has(agent.id)
  return all.some(
    (agent) =>
      agent.id !== by &&
      !unwilling.has(agent.id) &&
      couldTake(agent) &&
      score(contact, agent, { strategy, now }) !== null,
  )
}

interface Choice {
  readonly contact: Waiting
  readonly free: readonly Free[]
  /** Agents who are not to be asked. */
  readonly without: readonly ReadonlySet<string>[]
  readonly strategy: Strategy
  readonly now: number
}

/** The best fitting agents first, those whom the query named first among equals. */
function best({ contact, free, without, strategy, now }: Choice, wanted: number): readonly Free[] {
  const at = { strategy, now }
  const ranked: { readonly agent: Free; readonly points: number }[] = []
  for (const agent of free) {
    if (without.some((agents) => agents.has(agent.id))) continue
    const points = score(contact, agent, at)
    if (points === null) continue
    if (wanted > 1 || ranked.length === 0) ranked.push({ agent, points })
    else if (points > (ranked[0]?.points ?? 0)) ranked[0] = { agent, points }
  }
  if (wanted < ranked.length) ranked.sort((a, b) => b.points - a.points)
  return ranked.slice(0, wanted).map(({ agent }) => agent)
}
