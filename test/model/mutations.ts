/**
 * Safeguards of the production code, each with the change that takes it out of a copy: the checker must then
 * find a violation.
 */
import { ACTIONS } from './mutations-actions.ts'
import { CHART } from './mutations-chart.ts'
import { ENGINES } from './mutations-engines.ts'
import { ENDS } from './mutations-ends.ts'
import { OFFERING } from './mutations-offering.ts'
import { OUTCOMES } from './mutations-outcomes.ts'
import { FOLD } from './mutations-fold.ts'
import { PENDING } from './mutations-pending.ts'
import { RULES } from './mutations-rules.ts'
import { SESSIONS } from './mutations-sessions.ts'
import { TABS } from './mutations-tabs.ts'
import type { Replacement } from './replace.ts'

export interface Mutation {
  readonly id: string
  readonly safeguard: string
  /** Names of scenarios of negotiation-scenarios.md that the safeguard prevents. */
  readonly scenarios?: readonly string[]
  /** The search that finds the violation first, of those in runs.ts. */
  readonly run: string
  readonly change: readonly Replacement[]
}

export const MUTATIONS: readonly Mutation[] = [
  ...SESSIONS,
  ...FOLD,
  ...RULES,
  ...OUTCOMES,
  ...ACTIONS,
  ...CHART,
  ...OFFERING,
  ...ENDS,
  ...TABS,
  ...PENDING,
  ...ENGINES,
]
