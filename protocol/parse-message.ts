import * as v from './checks.ts'
import type { MediaCapabilities } from './capabilities.ts'
import { ContactError } from './errors.ts'
import { capabilitiesSchema } from './media-schema.ts'
import { pushBodies } from './push-schema.ts'
import { callResults, replySchema } from './reply-schema.ts'
import { shapeFault } from './shape.ts'
import { wellFormed } from './text.ts'
import type { CallName, Calls, Push, PushName } from './wire.ts'

/** The value as its schema has it. @throws {@link ContactError} `too_large`, `invalid_argument` */
export function check<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  operation: string,
): v.InferOutput<S> {
  const fault = shapeFault(value)
  if (fault !== null) throw new ContactError('invalid_argument', `unable to ${operation}; ${fault}`)
  return fit(schema, wellFormed(value), operation)
}

/** The same for a value whose shape need not be looked at, or whose schema looks at the shape of each part. */
export function fit<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  operation: string,
): v.InferOutput<S> {
  const result = v.read(schema, value)
  if (!(result instanceof v.Fault)) return result
  const { isMissing, isSize, path, expected } = result
  // A path and a rule, never the value: messages of errors reach logs.
  throw new ContactError(
    isSize ? 'too_large' : 'invalid_argument',
    `unable to ${operation}; ${path ?? 'the message'} ${isMissing ? 'is missing' : `must be ${expected}`}`,
  )
}

/**
 * Checked capabilities of the application's making.
 *
 * @throws {@link ContactError} `invalid_argument`
 */
export const parseCapabilities = (capabilities: unknown, operation: string): MediaCapabilities =>
  check(capabilitiesSchema, capabilities, operation)

/** Schemas of what the service sends to a party. */
interface MessageSchemas {
  readonly results: { readonly [N in CallName]?: v.GenericSchema }
  readonly pushes: { readonly [N in PushName]?: v.GenericSchema }
}

/** Reads what the service sends to a party. */
export interface MessageReader {
  /**
   * The value of a reply.
   *
   * @throws {@link ContactError} what the service answered; `protocol` where the answer is not of the protocol,
   *   or to a call that is not the party's.
   */
  readonly parseReply: <N extends CallName>(name: N, reply: unknown) => Calls[N]['result']
  /**
   * A checked push; null for one that this version does not know, or that is not the party's.
   *
   * @throws {@link ContactError} `protocol`
   */
  readonly parsePush: (name: string, body: unknown) => Push | null
}

const never = v.custom(() => false)

export const messageReader = ({ results, pushes }: MessageSchemas): MessageReader => ({
  parseReply(name, reply) {
    const read = name === 'log.read' ? fit : check
    const parsed = fromService(() => read(replySchema, reply, `read the answer to ${name}`))
    if (!parsed.ok)
      throw new ContactError(parsed.error.code, parsed.error.message, {
        retryAfterMs: parsed.error.retryAfterMs,
      })
    return fromService(
      () =>
        read(
          results[name] ?? never,
          parsed.value,
          `read the answer to ${name}`,
        ) as Calls[typeof name]['result'],
    )
  },
  parsePush(name, body) {
    if (!Object.hasOwn(pushes, name)) return null
    const known = name as PushName
    const read = known === 'log.entries' ? fit : check
    return fromService(
      () => ({ name: known, body: read(pushes[known] ?? never, body, `read ${known}`) }) as Push,
    )
  },
})

/** Reads what the service sends to a visitor. */
export const visitorMessages = messageReader({ results: callResults, pushes: pushBodies })

function fromService<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ContactError('protocol', (cause as Error).message, { cause })
  }
}
