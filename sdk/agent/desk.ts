/** What an agent does beside contacts: notes, and looking whom a contact can be handed to. */
import { ContactError, LIMITS } from '../../protocol/index.ts'
import type { Calls, ContactNote } from '../../protocol/index.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { fromArguments, requireText } from '../values/arguments.ts'
import { plainJson } from '../values/plain-json.ts'
import type { TransferNote, TransferTarget } from './agent.ts'

/** @throws {@link ContactError} `invalid_argument`, `too_large` */
export async function writeNote(link: ServiceLink, contact: string, text: string): Promise<ContactNote> {
  requireNote('write the note', text)
  return (await link.call('agent.note', { contact, text })).note
}

/** What the service is asked for. @throws {@link ContactError} `invalid_argument`, `too_large` */
export function transferOf(
  to: TransferTarget,
  options: TransferNote,
): Omit<Calls['agent.transfer']['args'], 'contact'> {
  const operation = 'transfer the contact'
  const note = fromArguments(operation, () => options.note)
  if (note !== undefined) requireNote(operation, note)
  return { ...targetOf(to), ...(note !== undefined && { note }) }
}

function requireNote(operation: string, note: unknown): asserts note is string {
  requireText(operation, note, { name: 'the note' })
  if (note === '')
    throw new ContactError('invalid_argument', `unable to ${operation}; the note must not be empty`)
  if (note.length > LIMITS.note)
    throw new ContactError(
      'too_large',
      `unable to ${operation}; the note is longer than ${LIMITS.note} characters`,
    )
}

/** @throws {@link ContactError} `invalid_argument`, `too_large` */
function targetOf(to: TransferTarget): TransferTarget {
  const operation = 'transfer the contact'
  const { toAgent, toTags } = Object(plainJson(operation, to, { name: 'to', bytes: 16_384 })) as {
    readonly toAgent?: unknown
    readonly toTags?: unknown
  }
  if ((toAgent === undefined) === (toTags === undefined))
    throw new ContactError('invalid_argument', `unable to ${operation}; give either toAgent or toTags`)
  if (toAgent !== undefined) {
    requireText(operation, toAgent, { name: 'toAgent', bytes: LIMITS.id })
    return { toAgent }
  }
  if (!Array.isArray(toTags))
    throw new ContactError('invalid_argument', `unable to ${operation}; toTags must be a list of strings`)
  for (const tag of toTags) requireText(operation, tag, { name: 'toTags' })
  return { toTags: [...(toTags as string[])] }
}
