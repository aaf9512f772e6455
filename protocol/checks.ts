/**
 * Checks of values from outside, with the functions and types of valibot's schemas in a third of its bytes.
 * `test/protocol/checks.test.ts` compares both, and the published JSON Schemas are
 * made by valibot from the same text. The first fault ends a check.
 */
import type * as V from 'valibot'
import { textBytes } from './json.ts'

export type { GenericSchema, InferOutput } from 'valibot'

/** Why a value does not fit. It never holds the value: messages of errors reach logs. */
export class Fault {
  readonly isMissing: boolean
  readonly expected: string
  /** The value is too long. */
  readonly isSize: boolean
  /** Where in the value, with dots; null for the whole. */
  path: string | null = null

  constructor(value: unknown, expected: string, isSize = false) {
    this.isMissing = value === undefined
    this.expected = expected
    this.isSize = isSize
  }
}

/** One step of a check: what it makes of a value, or a {@link Fault}. */
interface Step {
  readonly run: (value: unknown) => unknown
  readonly expects?: string
  readonly isOptional?: boolean
  readonly fallback?: unknown
  readonly entries?: Entries
}
type Entries = Readonly<Record<string, Step>>
type Plain = Record<string, unknown>

const isObject = (value: unknown): value is Plain => typeof value === 'object' && value !== null

/** A fault of a member, as one of the whole. */
const within = (fault: Fault, key: string | number): Fault => {
  fault.path = fault.path === null ? `${key}` : `${key}.${fault.path}`
  return fault
}

const anyOf = (expects: readonly unknown[]): string => {
  const all = [...new Set(expects)]
  return all.length > 1 ? `(${all.join(' | ')})` : String(all[0])
}
const quoted = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value))

/** Returns a fitting value unchanged. */
const that = (expects: string, fits: (value: never) => boolean, isSize = false): Step => ({
  expects,
  run: (value) => (fits(value as never) ? value : new Fault(value, expects, isSize)),
})

const rule = (type: string, fits: (value: never) => boolean): Step => that(`a valid ${type}`, fits)

export const string = (() =>
  that('string', (value) => typeof value === 'string')) as unknown as typeof V.string
export const number = (() =>
  that('number', (value) => typeof value === 'number' && !Number.isNaN(value))) as unknown as typeof V.number
export const boolean = (() =>
  that('boolean', (value) => typeof value === 'boolean')) as unknown as typeof V.boolean
export const unknown = (() => that('unknown', () => true)) as unknown as typeof V.unknown
export const custom = ((fits: (value: unknown) => boolean) =>
  that('unknown', fits)) as unknown as typeof V.custom
export const literal = ((one: unknown) =>
  that(quoted(one), (value) => value === one)) as unknown as typeof V.literal
export const picklist = ((options: readonly unknown[]) =>
  that(anyOf(options.map(quoted)), (value) => options.includes(value))) as unknown as typeof V.picklist

export const minLength = ((least: number) =>
  that(`>=${least}`, ({ length }: string) => length >= least)) as unknown as typeof V.minLength
export const maxLength = ((most: number) =>
  that(`<=${most}`, ({ length }: string) => length <= most, true)) as unknown as typeof V.maxLength
export const maxBytes = ((most: number) =>
  that(`<=${most}`, (value) => textBytes(value) <= most, true)) as unknown as typeof V.maxBytes
export const minValue = ((least: number) =>
  that(`>=${least}`, (value) => value >= least)) as unknown as typeof V.minValue
export const maxValue = ((most: number) =>
  that(`<=${most}`, (value) => value <= most)) as unknown as typeof V.maxValue
export const regex = ((pattern: RegExp) =>
  that(String(pattern), (value) => pattern.test(value))) as unknown as typeof V.regex
export const safeInteger = (() =>
  rule('safe_integer', Number.isSafeInteger)) as unknown as typeof V.safeInteger
export const integer = (() => rule('integer', Number.isInteger)) as unknown as typeof V.integer
export const finite = (() => rule('finite', Number.isFinite)) as unknown as typeof V.finite
export const check = ((fits: (value: never) => boolean) => rule('check', fits)) as unknown as typeof V.check
export const transform = ((run: (value: unknown) => unknown): Step => ({
  run,
})) as unknown as typeof V.transform

export const pipe = ((...steps: readonly [Step, ...Step[]]): Step => ({
  ...steps[0],
  run: (given) => {
    let value = given
    for (const step of steps) {
      value = step.run(value)
      if (value instanceof Fault) break
    }
    return value
  },
})) as unknown as typeof V.pipe

export const exactOptional = (({ run, expects = '' }: Step): Step => ({
  run,
  expects,
  isOptional: true,
})) as unknown as typeof V.exactOptional
export const nullable = (({ run, expects }: Step): Step => ({
  expects: `(${expects} | null)`,
  run: (value) => (value === null ? value : run(value)),
})) as unknown as typeof V.nullable
/** Also replaces a missing member. */
export const fallback = ((step: Step, instead: unknown): Step => ({
  ...step,
  fallback: instead,
  run: (value) => {
    const result = step.run(value)
    return result instanceof Fault ? instead : result
  },
})) as unknown as typeof V.fallback
export const lazy = ((of: (value: unknown) => Step): Step => ({
  run: (value) => of(value).run(value),
})) as unknown as typeof V.lazy

export const array = ((item: Step): Step => ({
  expects: 'Array',
  run: (value) => {
    if (!Array.isArray(value)) return new Fault(value, 'Array')
    const items: unknown[] = []
    for (let index = 0; index < value.length; index++) {
      const result = item.run(value[index])
      if (result instanceof Fault) return within(result, index)
      items.push(result)
    }
    return items
  },
})) as unknown as typeof V.array

/** Own members of an object but for those that reach its prototype. */
const membersOf = (value: Plain): [string, unknown][] =>
  Object.entries(value).filter(([key]) => !['__proto__', 'prototype', 'constructor'].includes(key))

export const record = ((name: Step, item: Step): Step => ({
  expects: 'Object',
  run: (value) => {
    if (!isObject(value)) return new Fault(value, 'Object')
    const members: Plain = {}
    for (const [key, given] of membersOf(value)) {
      const [named, result] = [name.run(key), item.run(given)]
      if (named instanceof Fault) return within(named, key)
      if (result instanceof Fault) return within(result, key)
      members[key] = result
    }
    return members
  },
})) as unknown as typeof V.record

/** `rest`: what other members must be; without, they are dropped. */
const members = (entries: Entries, rest?: Step): Step => ({
  expects: 'Object',
  entries,
  run: (value) => {
    if (!isObject(value)) return new Fault(value, 'Object')
    const read: Plain = {}
    for (const key in entries) {
      const { run, fallback: instead, isOptional } = entries[key] as Step
      if (key in value) {
        const result = run(value[key])
        if (result instanceof Fault) return within(result, key)
        read[key] = result
      } else if (instead !== undefined) read[key] = instead
      else if (!isOptional) return within(new Fault(undefined, `"${key}"`), key)
    }
    if (rest)
      for (const [key, given] of membersOf(value)) {
        if (Object.hasOwn(entries, key)) continue
        const result = rest.run(given)
        if (result instanceof Fault) return within(result, key)
        read[key] = result
      }
    return read
  },
})
export const object = ((entries: Entries) => members(entries)) as unknown as typeof V.object
export const looseObject = ((entries: Entries) =>
  members(entries, { run: (value) => value })) as unknown as typeof V.looseObject
export const objectWithRest = members as unknown as typeof V.objectWithRest

/** One member says which of the options it is. */
export const variant = ((key: string, options: readonly Step[]): Step => ({
  expects: 'Object',
  run: (value) => {
    if (!isObject(value)) return new Fault(value, 'Object')
    const kinds = options.map(({ entries = {} }) => entries[key])
    const found = kinds.findIndex((kind) => !(kind?.run(value[key]) instanceof Fault))
    return (
      options[found]?.run(value) ??
      within(new Fault(value[key], anyOf(kinds.map((kind) => kind?.expects))), key)
    )
  },
})) as unknown as typeof V.variant
export const union = ((options: readonly Step[]): Step => {
  const expects = anyOf(options.map((option) => option.expects))
  return {
    expects,
    run: (value) => {
      for (const option of options) {
        const result = option.run(value)
        if (!(result instanceof Fault)) return result
      }
      return new Fault(value, expects)
    },
  }
}) as unknown as typeof V.union

/** `fits` reports a fault of several members together. */
export const rawCheck = ((
  fits: (one: {
    readonly dataset: { readonly typed: true; readonly value: unknown }
    readonly addIssue: (issue: { readonly expected: string }) => void
  }) => void,
): Step => ({
  run: (value) => {
    let result: unknown = value
    const addIssue = ({ expected }: { readonly expected: string }): void =>
      void (result = new Fault(value, expected))
    fits({ dataset: { typed: true, value }, addIssue })
    return result
  },
})) as unknown as typeof V.rawCheck

/** The value as the schema reads it, or the fault. */
export const read = <S extends V.GenericSchema>(schema: S, value: unknown): V.InferOutput<S> | Fault =>
  (schema as unknown as { readonly run: (value: unknown) => V.InferOutput<S> | Fault }).run(value)

export const is = <S extends V.GenericSchema>(schema: S, value: unknown): boolean =>
  !(read(schema, value) instanceof Fault)
