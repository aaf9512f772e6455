import type { ContactData, FileRules, MediaCapabilities, MediaOffer, Slot } from '../../protocol/index.ts'
import { ContactParts } from './contact-parts.ts'
import type { ContactPartsOptions } from './contact-parts-options.ts'
import type { EncryptionParts } from './encryption-parts.ts'
import type { Encryption, SecrecyHost } from '../crypto/interface.ts'
import type { End } from './membership.ts'
import { onlyAgents } from '../forms/edit-host.ts'
import type { EditField } from '../forms/edit-host.ts'
import { datedStore, secureStore } from '../client/dated-store.ts'
import { eraseContact } from '../client/erase-contact.ts'
import type { Environment } from '../client/environment.ts'
import { SavedState, savedKey, secureKey } from './saved-state.ts'
import { later } from './lazy-modules.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ContactImpl } from './contact.ts'
import { loaded } from '../async/lazy-module.ts'
import type { TellLeave } from '../client/pending-leaves.ts'

export interface OpenContactOptions extends Partial<
  Pick<SecrecyHost, 'shareHistory' | 'signKey' | 'trustedKeys'>
> {
  readonly link: ServiceLink
  /** Origin of the service. */
  readonly service: string
  readonly role: Slot
  readonly record: ContactData
  /** Asked for as a secure contact, or told of as one, whatever the record says. */
  readonly isSecure?: boolean | undefined
  /** The first offer that this page has asked for, relative to the agent. */
  readonly firstOffer?: MediaOffer | undefined
  /** Of an agent. */
  readonly editField?: EditField
  readonly environment: Environment
  /** The contact was open on an earlier page of this tab or another. */
  readonly resumed: boolean
  /**
   * Tells the service that a session has ended, as soon as it can be reached. Resolves when it has heard, or
   * cannot now.
   */
  readonly leave: TellLeave
  /** The contact goes on under another id. */
  readonly onMove?: (contact: string, before: string) => void
  /** This page holds nothing of the contact any more. */
  readonly onEnd: (how: End, contact: string) => void
}

/** A contact, and how this page enters it without being asked by the application. */
interface OpenedContact {
  readonly contact: ContactImpl
  /** Resolves when this session is announced. @throws as `join` of the contact */
  readonly enter: () => Promise<void>
}

/** Makes a contact with the engines of the page. It is not entered yet. */
export async function openContact(given: OpenContactOptions): Promise<OpenedContact> {
  const { service, environment } = given
  const isPinned = given.isSecure || environment.store.getItem(secureKey(service, given.record.id)) !== null
  const isLowered = !given.record.secure && isPinned // §5
  const options = isLowered ? { ...given, record: { ...given.record, secure: true } } : given
  const { record } = options
  if (record.secure) secureStore(environment.store, service).setItem(secureKey(service, record.id), '1')
  const saved = (contact: string): SavedState => new SavedState(environment.tab, savedKey(service, contact))
  if (options.firstOffer) saved(record.id).save({ first: options.firstOffer })
  const { unsent } = saved(record.id)
  const code = Promise.all([
    environment.engines(),
    record.telephone && !record.secure ? later.telephone() : null, // §7
    environment.inspect ? later.negotiation().catch(() => null) : null,
  ])
  const encrypt = await (record.secure ? encryptionOf(options) : null)
  const [engines, phone, inspected] = await loaded('open the contact', code, environment)
  const telephone = phone ? new phone.ContactTelephone() : undefined
  const capabilities = withFiles(await environment.capabilities(), record.files)
  const made: { encryption?: Encryption } = {}
  const parts = new ContactParts({
    ...{ editField: onlyAgents, ...environment, ...options },
    ...endsOf(options, () => stopWatching()),
    ...{ telephone, capabilities, saved, seen: datedStore(environment.store, service) },
    show: environment.inspect && inspected?.Negotiation.showsLog(environment.inspect),
    encrypt: encrypt && ((own) => (made.encryption = encrypt(own))),
    pipes: () => loaded('connect directly', environment.pipes(), environment),
  })
  const stopWatching = environment.onDevices((availability) => parts.capabilities.available(availability))
  for (const engine of engines) await parts.addEngine(engine.id === 'Native' ? (telephone ?? engine) : engine)
  for (const entry of unsent) parts.write(entry)
  const { contact } = parts
  if (isLowered) made.encryption?.broken('lowered') // §5
  const enter = async (): Promise<void> => {
    if (record.secure && !encrypt) throw noCrypto('enter the contact')
    // A contact that is broken is not entered: it is there to be left.
    if (!contact.isLocked) await parts.enter()
  }
  return { contact, enter }
}

/** Loads what encrypts; null where that cannot be had: the contact is there, and nothing is sent. */
async function encryptionOf(
  options: OpenContactOptions,
): Promise<((parts: EncryptionParts) => Encryption) | null> {
  const code = await loadSecrecy(options.environment).catch(() => null)
  return code && ((parts) => code.encryptionOf(options, parts, later))
}

/** What encrypts. @throws {@link ContactError} `no_crypto` — it cannot be had */
export const loadSecrecy = (environment: Environment): ReturnType<typeof later.secrecy> =>
  loaded('encrypt', environment.secrecy?.() ?? later.secrecy(), environment).catch((cause: unknown) => {
    throw noCrypto('load the encryption', cause)
  })

const noCrypto = (operation: string, cause?: unknown): ContactError =>
  new ContactError('no_crypto', `unable to ${operation}; encryption is not available`, { cause })

/**
 * What happens when the contact goes on under another id, or this page's part in it ends: what all pages share
 * of it is erased, when the contact is over.
 */
function endsOf(
  { service, role, record, environment, onMove, onEnd }: OpenContactOptions,
  stopWatching: () => void,
): Pick<ContactPartsOptions, 'onEnd' | 'onMove'> {
  let { id } = record
  const erase = (): void => eraseContact(environment.store, service, { role, contact: id })
  return {
    onMove: (next) => {
      const before = id
      erase()
      id = next
      if (record.secure) secureStore(environment.store, service).setItem(secureKey(service, id), '1')
      onMove?.(next, before)
    },
    onEnd: (how) => {
      stopWatching()
      if (how === 'over') erase()
      onEnd(how, id)
    },
  }
}

/** Capabilities with what the service takes of files. */
function withFiles(capabilities: MediaCapabilities, rules: FileRules | undefined): MediaCapabilities {
  const files = rules
    ? { FileTransfer: true, MaxFileSize: rules.maxFileSize, FileTypes: rules.types }
    : { FileTransfer: false }
  return {
    ...capabilities,
    Media: { ...capabilities.Media, Sharing: { Engines: {}, ...capabilities.Media.Sharing, ...files } },
  }
}
