import * as v from '../checks.ts'
import type { JsonValue } from '../json.ts'
import { fieldName } from '../form-schema.ts'
import { givenJson, nameSchema } from '../value-schema.ts'
import type { EntryDefinition, ServiceEvents } from './definition.ts'

/** The event of an edited form field. */
export interface DataChangeEvents {
  /**
   * The agent changed a form field. `original`: its value before the first change, null where it was empty;
   * `user`: the agent.
   */
  datachange: {
    readonly form: string
    readonly field: string
    readonly value: JsonValue
    readonly original: JsonValue
    readonly user: string
  }
}

const body = v.object({
  form: fieldName,
  field: fieldName,
  value: givenJson,
  original: givenJson,
  user: nameSchema,
})

const events: ServiceEvents<typeof body, DataChangeEvents> = {
  datachange: (entry) => entry.body,
}

/** The agent changed a form field that both parties can see. */
export const datachange = { body, events } satisfies EntryDefinition
