/**
 * How agents are chosen for a contact: one scoring function; the named strategies are presets of its weights.
 */
export interface Strategy {
  /** Agents who are offered a contact at the same time. */
  readonly parallel: number
  /** Whether an agent must have all tags of the contact. */
  readonly needsTags: boolean
  /** What changes for a contact that nobody has taken. */
  readonly steps: readonly Step[]
  /** A contact is not offered before it has waited so long. */
  readonly delayMs: number
  /**
   * Whether an agent who lets an offer expire is paused. Not where all are asked at once: then it is nobody's
   * own.
   */
  readonly pausesOnExpiry: boolean
  readonly weights: Weights
}

/** From `afterMs` in the queue on, this holds instead. */
export interface Step extends Partial<Pick<Strategy, 'parallel' | 'needsTags'>> {
  readonly afterMs: number
}

/** Each factor is from 0 to 1 before its weight. */
export interface Weights {
  /** Free part of the agent's capacity. */
  readonly load: number
  /** Time since the agent's last contact: 1 from an hour on. */
  readonly idle: number
  /** Part of the contact's tags that the agent has. */
  readonly tags: number
}

const one = { parallel: 1, steps: [], delayMs: 0, pausesOnExpiry: true } as const

export const STRATEGIES = {
  broadcast: {
    ...one,
    parallel: Number.POSITIVE_INFINITY,
    pausesOnExpiry: false,
    needsTags: false,
    weights: { load: 1, idle: 0, tags: 0 },
  },
  skills: { ...one, needsTags: true, weights: { load: 0.5, idle: 0.1, tags: 1 } },
  'round-robin': { ...one, needsTags: false, weights: { load: 0, idle: 1, tags: 0 } },
  'least-loaded': { ...one, needsTags: false, weights: { load: 1, idle: 0.001, tags: 0 } },
  weighted: { ...one, needsTags: false, weights: { load: 1, idle: 0.5, tags: 2 } },
} as const satisfies Record<string, Strategy>

export type StrategyName = keyof typeof STRATEGIES

/** What the people who run the service change of a preset. */
export type Tuning = Pick<Strategy, 'delayMs' | 'steps'> & { readonly weights: Partial<Weights> }

export const strategyOf = (name: StrategyName, { weights, ...rest }: Tuning): Strategy => ({
  ...STRATEGIES[name],
  ...rest,
  weights: { ...STRATEGIES[name].weights, ...weights },
})

/** The strategy as it is for a contact that has waited so long. */
export function strategyAt(strategy: Strategy, waitedMs: number): Strategy {
  const due = strategy.steps
    .filter(({ afterMs }) => waitedMs >= afterMs)
    .toSorted((a, b) => a.afterMs - b.afterMs)
  return due.length === 0
    ? strategy
    : due.reduce<Strategy>((before, { afterMs: _after, ...change }) => ({ ...before, ...change }), strategy)
}

/** Agents who may be offered a contact at the same time, however long it waits. */
export const mostParallel = ({ parallel, steps }: Strategy): number =>
  Math.max(parallel, ...steps.map((step) => step.parallel ?? 0))

/** Moments of the wait at which more can be offered. */
export const stepTimes = ({ delayMs, steps }: Strategy): readonly number[] => [
  delayMs,
  ...steps.map(({ afterMs }) => afterMs),
]

/** An agent who may be offered contacts. */
export interface Candidate {
  readonly id: string
  readonly tags: readonly string[]
  readonly media: Readonly<Record<string, boolean>>
  readonly capacity: number
  /** Contacts that the agent has, offers included. */
  readonly load: number
  readonly lastAssigned: number
}

/** A contact in the queue. */
export interface Waiting {
  readonly id: string
  readonly tags: readonly string[]
  /** Media without which the visitor would not have what was asked for. */
  readonly media: readonly string[]
  readonly queuedAt: number
  /** The only agent who may have it, where it was transferred to one. */
  readonly onlyAgent: string | null
  /** Who handed it on: asked only while it fits nobody else. */
  readonly handedBy?: string | null
  readonly handedAt?: number | null
}

const HOUR_MS = 3_600_000

const tagPart = (contact: Waiting, agent: Candidate): number =>
  contact.tags.length === 0
    ? 1
    : contact.tags.filter((tag) => agent.tags.includes(tag)).length / contact.tags.length

/** How well the agent fits; null: not at all. */
export function score(
  contact: Waiting,
  agent: Candidate,
  { strategy, now }: { readonly strategy: Strategy; readonly now: number },
): number | null {
  if (contact.onlyAgent !== null && contact.onlyAgent !== agent.id) return null
  if (contact.media.some((medium) => agent.media[medium] === false)) return null
  const tags = tagPart(contact, agent)
  if (strategy.needsTags && tags < 1 && contact.onlyAgent === null) return null
  const idle = Math.min(1, Math.max(0, now - agent.lastAssigned) / HOUR_MS)
  const { weights } = strategy
  return weights.load * (1 - agent.load / agent.capacity) + weights.idle * idle + weights.tags * tags
}
