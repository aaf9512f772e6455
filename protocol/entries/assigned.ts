import { agentCard } from '../agent-card.ts'
import type { EntryDefinition } from './definition.ts'

/** An agent is assigned. The membership machine tells the application. */
export const assigned = { body: agentCard } satisfies EntryDefinition
