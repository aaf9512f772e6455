import * as v from 'valibot'

/** What stands in a store; null where that is nothing, or of another form. */
export function readAs<S extends v.GenericSchema>(schema: S, text: string | null): v.InferOutput<S> | null {
  try {
    return v.parse(schema, JSON.parse(text ?? 'null'))
  } catch {
    return null
  }
}
