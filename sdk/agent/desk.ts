/** What an agent does beside contacts: notes, looking whom a contact can be handed to, past contacts, the overview. */
import { ContactError, LIMITS } from '../../protocol/index.ts'
import type {
  CallName,
  Calls,
  CannedReply,
  Colleague,
  ContactNote,
  ContactSearch,
  DeskOverview,
} from '../../protocol/index.ts'
import { runOperation } from '../async/run-operation.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { asJson, fromArguments, requireText } from '../values/arguments.ts'
import { plainJson } from '../values/plain-json.ts'
import type { TransferNote, TransferTarget } from './agent.ts'
import type { FoundPage, ReadOptions, ReadPage } from './desk-operations.ts'

/** What an agent asks of the service that belongs to no contact's page. */
export class Desk {
  readonly #link: ServiceLink

  constructor(link: ServiceLink) {
    this.#link = link
  }

  colleagues(): Promise<readonly Colleague[]> {
    const operation = 'list the colleagues'
    return runOperation(operation, async () => (await this.#ask('agent.colleagues', {})).colleagues)
  }

  note(id: string, text: string): Promise<ContactNote> {
    const operation = 'write the note'
    return runOperation(operation, async () => {
      requireId(operation, id)
      requireNote(operation, text)
      return (await this.#ask('agent.note', { contact: id, text })).note
    })
  }

  notes(id: string): Promise<readonly ContactNote[]> {
    const operation = 'read the notes'
    return runOperation(operation, async () => {
      requireId(operation, id)
      return (await this.#ask('agent.notes', { contact: id })).notes
    })
  }

  replies(): Promise<readonly CannedReply[]> {
    const operation = 'read the canned replies'
    return runOperation(operation, async () => (await this.#ask('agent.replies', {})).replies)
  }

  search(query: ContactSearch): Promise<FoundPage> {
    const operation = 'search the contacts'
    return runOperation(operation, () => {
      const asked = asJson(
        operation,
        fromArguments(operation, () => ({ ...query })),
      )
      return this.#ask('agent.search', asked)
    })
  }

  overview(): Promise<DeskOverview> {
    return runOperation('read the overview', () => this.#ask('agent.overview', {}))
  }

  read(id: string, options: ReadOptions): Promise<ReadPage> {
    const operation = 'read the contact'
    return runOperation(operation, () => {
      requireId(operation, id)
      const after = fromArguments(operation, () => options.after ?? 0)
      return this.#ask('agent.read', asJson(operation, { contact: id, after }))
    })
  }

  async #ask<N extends CallName>(name: N, args: Calls[N]['args']): Promise<Calls[N]['result']> {
    await this.#link.online()
    return this.#link.call(name, args)
  }
}

function requireId(operation: string, id: unknown): void {
  requireText(operation, id, { name: 'id', bytes: LIMITS.id })
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
