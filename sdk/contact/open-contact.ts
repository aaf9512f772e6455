import type { ContactData, FileRules, MediaCapabilities, Slot } from '../../protocol/index.ts'
import { controlsKey } from '../media/call-controls.ts'
import { ContactParts } from './contact-parts.ts'
import type { ContactPartsOptions } from './contact-parts.ts'
import type { End } from './membership.ts'
import type { Environment } from '../client/environment.ts'
import { SavedState, savedKey, seenKey } from './saved-state.ts'
import { later } from './lazy-modules.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { ContactImpl } from './contact.ts'
import { loaded } from '../async/lazy-module.ts'
import type { TellLeave } from '../client/pending-leaves.ts'

export interface OpenContactOptions {
  readonly link: ServiceLink
  /** Origin of the service. */
  readonly service: string
  readonly role: Slot
  readonly record: ContactData
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
export async function openContact(options: OpenContactOptions): Promise<OpenedContact> {
  const { service, record, environment } = options
  const saved = (contact: string): SavedState => new SavedState(environment.tab, savedKey(service, contact))
  const { unsent } = saved(record.id)
  const code = Promise.all([environment.engines(), record.telephone ? later.telephone() : null])
  const [engines, phone] = await loaded('open the contact', code, environment)
  const telephone = phone ? new phone.ContactTelephone() : undefined
  const capabilities = withFiles(await environment.capabilities(), record.files)
  const parts = new ContactParts({
    ...environment,
    ...options,
    ...endsOf(options, () => stopWatching()),
    ...{ telephone, capabilities, saved, seen: environment.store },
    pipes: () => loaded('connect directly', environment.pipes(), environment),
  })
  const stopWatching = environment.onDevices((availability) => parts.capabilities.available(availability))
  for (const engine of engines) await parts.addEngine(engine.id === 'Native' ? (telephone ?? engine) : engine)
  for (const entry of unsent) parts.write(entry)
  return { contact: parts.contact, enter: parts.enter }
}

/**
 * What happens when the contact goes on under another id, or this page's part in it ends: what all pages share
 * of it is erased, when the contact is over.
 */
function endsOf(
  { service, role, record, environment, onMove, onEnd }: OpenContactOptions,
  stopWatching: () => void,
): Pick<ContactPartsOptions, 'onEnd' | 'onMove'> {
  let { id } = record
  const erase = (): void => {
    for (const key of [seenKey(service, id), controlsKey(service, { role, contact: id })])
      environment.store.removeItem(key)
  }
  return {
    onMove: (next) => {
      const before = id
      erase()
      id = next
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
