/** Requests and their answers, as they pass between two sessions in lane frames of the kind `rpc`. */
import * as v from 'valibot'
import type { JsonValue } from './json.ts'
import { nameSchema } from './schema.ts'

const json = v.custom<JsonValue>((value) => value !== undefined)
const id = nameSchema

/** Why the other side did not run a procedure, or cannot give its result. */
const refusal = v.picklist(['not_supported', 'too_large', 'invalid_argument', 'rate_limited', 'peer_left'])

const frame = v.variant('type', [
  /** Runs the procedure, unless this id was seen before. */
  v.object({ type: v.literal('request'), id, action: nameSchema, data: v.exactOptional(json) }),
  v.object({ type: v.literal('received'), id }),
  v.object({ type: v.literal('result'), id, result: v.exactOptional(json) }),
  /** What the procedure gave as its failure; with `isError`, an `Error` whose name, message and other members stand in `error`. */
  v.object({ type: v.literal('failure'), id, error: json, isError: v.boolean() }),
  v.object({ type: v.literal('refused'), id, code: refusal }),
])

/** One frame of a request. */
export type RpcFrame = v.InferOutput<typeof frame>

/** A frame of the remote; null for one that is none. */
export function parseRpc(body: unknown): RpcFrame | null {
  const parsed = v.safeParse(frame, body)
  return parsed.success ? parsed.output : null
}
