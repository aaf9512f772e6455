/** Requests and their answers, as they pass between two sessions in relay frames of the kind `rpc`. */
import * as v from './checks.ts'
import type { JsonValue } from './json.ts'
import { json, nameSchema } from './value-schema.ts'

const id = nameSchema

/**
 * Why the other side did not run a procedure, or cannot give its result. `internal` also replaces a
 * code of a later minor version.
 */
const REFUSALS = [
  'not_supported',
  'too_large',
  'invalid_argument',
  'rate_limited',
  'peer_left',
  'internal',
] as const

const frame = v.variant('type', [
  /** Runs the procedure, unless this id was seen before. */
  v.object({ type: v.literal('request'), id, action: nameSchema, data: v.exactOptional(json) }),
  v.object({ type: v.literal('received'), id }),
  v.object({ type: v.literal('result'), id, result: v.exactOptional(json) }),
  /**
   * What the procedure gave as its failure; with `isError`, an `Error` whose name, message and other members
   * are in `error`.
   */
  v.object({ type: v.literal('failure'), id, error: json, isError: v.boolean() }),
  v.object({ type: v.literal('refused'), id, code: v.fallback(v.picklist(REFUSALS), 'internal') }),
])

/** One frame of a request. Spelled out, so that the published types need nothing of the schema's. */
export type RpcFrame =
  | { readonly type: 'request'; readonly id: string; readonly action: string; readonly data?: JsonValue }
  | { readonly type: 'received'; readonly id: string }
  | { readonly type: 'result'; readonly id: string; readonly result?: JsonValue }
  | { readonly type: 'failure'; readonly id: string; readonly error: JsonValue; readonly isError: boolean }
  | { readonly type: 'refused'; readonly id: string; readonly code: (typeof REFUSALS)[number] }

/** A frame of the remote; null for one that is none. */
export function parseRpc(body: unknown): RpcFrame | null {
  const parsed = v.read(frame, body)
  return parsed instanceof v.Fault ? null : parsed
}
