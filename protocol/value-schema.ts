/** Schemas of single values that several messages have. */
import * as v from './checks.ts'
import type { JsonValue } from './json.ts'
import { NAME } from './limits.ts'
import { isGivable } from './shape.ts'

/** A name in the protocol: of a channel, topic, medium, engine, session or message. */
export const nameSchema = v.pipe(v.string(), v.regex(NAME))

/** A text for people, of at most `limit` characters. */
export const shown = (limit: number) => v.pipe(v.string(), v.maxLength(limit))

/** A number of things, from 0. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A position in a log, from 1. */
export const seq = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

/** Any JSON value. */
export const json = v.custom<JsonValue>((value) => value !== undefined)

/** A JSON value that an application gives. */
export const givenJson = v.custom<JsonValue>(isGivable)

/** The two slots of a contact. */
export const SLOTS = ['visitor', 'agent'] as const
export const slot = v.picklist(SLOTS)
