import type * as v from '../checks.ts'
import { base64Of, withSeal } from '../sealed-body.ts'
import type { Seal } from '../sealed-body.ts'
import { seq } from '../value-schema.ts'
import type { EntryDefinition } from './definition.ts'

/** What a `keyReveal` says. */
export interface Reveal {
  readonly ref: number
  readonly key: string
  readonly seal: Seal
}

/** The visitor answers the share `ref` with the public key that it had committed to, under the new key's seal. */
export const keyReveal = {
  body: withSeal({ ref: seq, key: base64Of(32) }) as unknown as v.GenericSchema<unknown, Reveal>,
} satisfies EntryDefinition
