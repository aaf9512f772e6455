import type { MediaEngine } from '../../engines/eager.ts'
import { ContactError, isName } from '../../protocol/index.ts'
import { fromArguments, isRecord } from '../values/arguments.ts'

const ENGINE_OPERATIONS = [
  'capabilities',
  'attach',
  'prepare',
  'transit',
  'undo',
  'receive',
  'data',
  'stop',
] as const satisfies readonly (keyof MediaEngine)[]

/** What is missing for a MediaEngine, in words. */
function wrongMember(engine: unknown): string | undefined {
  if (!isRecord(engine)) return 'it is no object'
  if (!isName(engine['id'])) return '`id` is no name'
  const missing = ENGINE_OPERATIONS.find((name) => typeof engine[name] !== 'function')
  return missing && `\`${missing}\` is missing`
}

/** @throws {@link ContactError} `invalid_argument` — no engine */
export function requireEngine(operation: string, engine: unknown): void {
  const wrong = fromArguments(operation, () => wrongMember(engine))
  if (wrong)
    throw new ContactError(
      'invalid_argument',
      `unable to ${operation}; it does not implement MediaEngine (${wrong})`,
    )
}
