/** Any value that survives `JSON.stringify` and `JSON.parse`. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** UTF-8 bytes of a text. */
export const textBytes = (text: string): number => new TextEncoder().encode(text).length

/** UTF-8 bytes of the arguments of an action: of a text itself, of any other value its JSON. */
export const argsBytes = (args: readonly JsonValue[]): number =>
  textBytes(args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(''))

/** UTF-8 bytes of a value's JSON. */
export const jsonBytes = (value: unknown): number => textBytes(JSON.stringify(value))
