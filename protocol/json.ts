/** Any value that survives `JSON.stringify` and `JSON.parse`. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** UTF-8 bytes of the arguments of an action together: of a text itself, of any other value its JSON. */
export const argsBytes = (args: readonly JsonValue[]): number =>
  new TextEncoder().encode(args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(''))
    .length

/** Bytes of a value's JSON. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length
