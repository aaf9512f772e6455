import { algebra, countChannels, typesWith } from '../protocol/index.ts'
import type { ContactData, ContactRequest, ContactState, Entry, Slot } from '../protocol/index.ts'
import type { MemoryForms } from './memory-forms.ts'
import type { Party } from './party.ts'

const MESSAGES = typesWith('isMessage')

/** What the record of a contact is made of. */
interface Recorded {
  readonly options: {
    readonly id: string
    readonly visitor: Party
    readonly request: ContactRequest
    readonly transferredFrom?: string
  }
  /** Time of its creation, milliseconds. */
  readonly created: number
  readonly forms: MemoryForms
  readonly state: ContactState
  /** The id under which it goes on. */
  readonly successor: string | null
  readonly entries: readonly Entry[]
}

/** The record of a contact as `reader` may see it. */
export function recordFor(reader: Slot, recorded: Recorded): ContactData {
  const { options, created, forms, state, successor, entries } = recorded
  const { id, visitor, request, transferredFrom } = options
  const { lang, tags, initialOffer, secure, visit } = request
  const { nick } = visitor
  const { email } = forms
  const { life, agent, channels, shared, reason, repeated = 0 } = state
  return {
    id,
    state: successor === null ? life : 'transferred',
    created: new Date(created).toISOString(),
    visit: visit ?? {},
    visitor: {
      id: visitor.id,
      ...(nick !== undefined && { nick }),
      ...(email !== undefined && { email }),
      ...(lang !== undefined && { lang }),
    },
    ...(agent && { agent }),
    tags: tags ?? [],
    data: forms.for(reader),
    ...(initialOffer && { initialOffer }),
    mediaState: reader === 'visitor' ? shared.media : algebra.swap(shared.media),
    secure: secure ?? false,
    transcript: { messages: entries.filter(({ type }) => MESSAGES.includes(type)).length - repeated },
    ...(transferredFrom !== undefined && { transferredFrom }),
    channels: countChannels(channels),
    ...(reason && { reason }),
  }
}
