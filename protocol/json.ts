/** Any value that survives `JSON.stringify` and `JSON.parse`. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
