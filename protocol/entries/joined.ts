import { agentCard } from '../agent-card.ts'
import type { EntryDefinition } from './definition.ts'

/** The agent joined. The membership machine tells the application. */
export const joined = { body: agentCard } satisfies EntryDefinition
