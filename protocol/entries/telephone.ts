import * as v from '../checks.ts'
import { nameSchema } from '../value-schema.ts'
import type { EntryDefinition, ServiceEvents } from './definition.ts'

const STATES = ['answered', 'ended'] as const

/**
 * Why a telephone call is over. `no_number`: the contact's data has no telephone number; `refused`: by who
 * was called, or the network; `hung_up`: after it was answered.
 */
export type PhoneEnd = 'busy' | 'no_answer' | 'refused' | 'unreachable' | 'no_number' | 'failed' | 'hung_up'

/** The event of a telephone call. */
export interface TelephoneEvents {
  /** The telephone that Voice `via: 'pstn'` uses was answered, or the call is over. */
  telephone: { readonly state: (typeof STATES)[number]; readonly reason?: PhoneEnd }
}

const body = v.object({
  state: v.picklist(STATES),
  /** A later service may know more reasons. */
  reason: v.exactOptional(nameSchema as unknown as v.GenericSchema<PhoneEnd>),
})

const events: ServiceEvents<typeof body, TelephoneEvents> = {
  telephone: (entry) => entry.body,
}

/**
 * The telephone that carries Voice was answered, or the call is over. Parties that have Voice on then turn it
 * off.
 */
export const telephone = { body, events, decisive: ['state', STATES] } as const satisfies EntryDefinition
