import type { MediaOfferDetails } from '../../protocol/index.ts'
import type { Client } from '../api/client.ts'
import type { Contact, ContactOptions } from '../api/contact.ts'
import { fromArguments } from '../values/arguments.ts'
import { runOperation } from '../async/run-operation.ts'
import type { CompatContact, compatContact } from './compat-contact.ts'

/** What a visitor may say when starting a contact: `Sharing` in the first offer is ignored. */
export interface CompatContactOptions extends Omit<ContactOptions, 'initialOffer'> {
  readonly initialOffer?: Readonly<Record<string, MediaOfferDetails | undefined>>
}

/** A visitor's page whose contacts are in this style. */
export interface CompatClient extends Omit<Client, 'createContact' | 'resumeContact'> {
  /** As of a {@link Client}. @throws `ContactError` as there */
  createContact(options?: CompatContactOptions): Promise<CompatContact>
  /**
   * As of a {@link Client}; the messages from before are in `contact.transcript` then.
   * @throws `ContactError` as there
   */
  resumeContact(): Promise<{ readonly contact: CompatContact | null; readonly resumed: boolean }>
}

/** Makes the contacts of a client, each once. */
export function compatClient(
  client: Client,
  known: (contact: Contact) => ReturnType<typeof compatContact>,
): CompatClient {
  const resumed = async (): ReturnType<CompatClient['resumeContact']> => {
    const outcome = await client.resumeContact()
    if (!outcome.contact) return { ...outcome, contact: null }
    const { contact, read } = known(outcome.contact)
    await read()
    return { ...outcome, contact }
  }
  return {
    createContact: (options) =>
      runOperation(
        'create the contact',
        async () => known(await client.createContact(withoutSharing(options))).contact,
      ),
    resumeContact: () => runOperation('resume the contact', resumed),
    history: (before) => client.history(before),
    readTranscript: (id, options) => client.readTranscript(id, options),
    rate: (id, rating) => client.rate(id, rating),
    close: () => client.close(),
  }
}

/** What is left to {@link Client.createContact}, which looks at everything else. */
const withoutSharing = (options: CompatContactOptions | undefined): ContactOptions =>
  fromArguments('create the contact', () => {
    const initialOffer = options?.initialOffer
    if (typeof initialOffer !== 'object' || initialOffer === null) return options as ContactOptions
    const { Sharing: _ignored, ...offered } = initialOffer
    return { ...options, initialOffer: offered }
  })
