/** What a form field of each type may hold. */
import * as v from './checks.ts'
import type { FieldType } from './contact-data.ts'
import { LIMITS, isWebUrl } from './limits.ts'

/** An ISO 8601 calendar date, with or without a time of day. */
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/
const PHONE = /^\+[1-9]\d{1,14}$/
/** As RFC 5321 4.1.2 has it, without quoted mailboxes and address literals. */
const EMAIL =
  /^[^\s@"(),:;<>[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/
const LINK = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/

/** A number as text: decimal digits with a point, and an exponent. */
const NUMERIC = /^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?$/

/** Whether there is such a day and such a time. */
function isOnCalendar(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (
    DATE.exec(text)?.slice(1) ?? []
  ).map((part) => Number(part ?? 0))
  const date = new Date(Date.UTC(year, month - 1, day))
  return (
    month > 0 &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 61
  )
}

/**
 * What a field of each type holds where it is not empty. The published JSON Schemas are made from it, without
 * the checks.
 */
export const fieldValues = {
  checkbox: v.boolean(),
  date: v.pipe(v.string(), v.regex(DATE), v.check(isOnCalendar)),
  email: v.pipe(v.string(), v.maxLength(254), v.regex(EMAIL)),
  link: v.pipe(v.string(), v.maxLength(LIMITS.url), v.regex(LINK), v.check(isWebUrl)),
  number: v.union([
    v.pipe(v.number(), v.finite()),
    v.pipe(
      v.string(),
      v.regex(NUMERIC),
      v.check((text) => Number.isFinite(Number(text))),
    ),
  ]),
  phone: v.pipe(v.string(), v.regex(PHONE)),
  text: v.pipe(v.string(), v.maxBytes(LIMITS.textBytes)),
  nickname: v.pipe(v.string(), v.maxLength(LIMITS.nick)),
} satisfies Readonly<Record<FieldType, v.GenericSchema>>

const WORDS: Readonly<Record<FieldType, string>> = {
  checkbox: 'true or false',
  date: 'an ISO 8601 date',
  email: 'an e-mail address',
  link: 'an http or https address',
  number: 'a number, or one as text',
  phone: 'an E.164 phone number',
  text: `a text of at most ${LIMITS.textBytes} bytes`,
  nickname: `a name of at most ${LIMITS.nick} characters`,
}

/**
 * What a field of this type must hold, where `value` is something else; null where it fits. Every type but
 * `checkbox` may be empty.
 */
export function fieldFault(type: FieldType, value: unknown): string | null {
  const empty = type !== 'checkbox' && (value === undefined || value === null || value === '')
  return empty || v.is(fieldValues[type], value) ? null : WORDS[type]
}
