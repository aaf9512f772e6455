import * as v from '../../protocol/checks.ts'

/** What stands in a store; null where that is nothing, or of another form. */
export function readAs<S extends v.GenericSchema>(schema: S, text: string | null): v.InferOutput<S> | null {
  try {
    const found = v.read(schema, JSON.parse(text ?? 'null'))
    return found instanceof v.Fault ? null : found
  } catch {
    return null
  }
}
