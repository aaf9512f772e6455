import { callArgs, draftSchema } from './call-schema.ts'
import type { Draft } from './log.ts'
import { check, fit } from './parse-message.ts'
import type { CallName, Calls } from './wire.ts'

/** Whether `name` is a call of the protocol. */
export const isCallName = (name: string): name is CallName => Object.hasOwn(callArgs, name)

/**
 * Checked arguments of a call. The drafts of `log.append` are left to {@link parseDraft}: one bad draft does
 * not spoil the others.
 *
 * @throws {@link ContactError} `too_large`, `invalid_argument`
 */
export const parseCall = <N extends CallName>(name: N, args: unknown): Calls[N]['args'] =>
  (name === 'log.append' ? fit : check)(callArgs[name], args, `accept ${name}`)

/**
 * A checked draft.
 *
 * @throws {@link ContactError} `too_large`, `invalid_argument`
 */
export const parseDraft = (draft: unknown): Draft => check(draftSchema, draft, 'accept the entry') as Draft
