/**
 * What a page does whose browser or tab was here before: loaded where the storage says so. Which contact it takes
 * up: its tab's own, or the newest of the browser that is open.
 */
import type { ContactData } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import { isContactClosed } from '../contact/contact-closed.ts'
import { eraseRing, eraseSaved, savedKey } from '../contact/saved-state.ts'
import type { KnownVisitor, KnownVisitors } from '../link/known-visitors.ts'
import type { ServiceLink } from '../link/service-link.ts'
import type { Own, OwnContact } from './own-contact.ts'
import { isRefused, readRecord } from './read-record.ts'
import type { PendingLeaves } from './pending-leaves.ts'

/** The connection of a visitor's page. */
interface OwnLink {
  /** The service names the visitor, not the site. */
  readonly isAnonymous: boolean
  /** In whose name the connection is, as far as its token tells. */
  readonly subject: string | undefined
  /** Connects in the name of a visitor; of the one before where none is given. */
  readonly online: (as?: KnownVisitor) => Promise<ServiceLink>
  readonly leaves: Pick<PendingLeaves, 'drop' | 'has' | 'parties'>
}

export interface FindHost {
  readonly known: Pick<KnownVisitors, 'all' | 'get'>
  readonly own: Pick<OwnContact, 'get'>
  readonly link: OwnLink
  /** Of the tab. */
  readonly tab: KeyValueStore
  readonly service: string
  /** A contact is over for the visitor; `isAnswer`: one for later, which nobody may have read. */
  readonly onOver: (contact: string, isAnswer: boolean) => void
}

/** A contact that is open for the visitor, on a connection of theirs. */
export interface Found {
  readonly link: ServiceLink
  readonly record: ContactData
}

/**
 * Asks the service about each contact that the browser knows until one is open; null where none is.
 * @throws {@link ContactError} `offline`, `timeout`, `unauthorized`, `protocol`
 */
export async function findOpenContact(host: FindHost): Promise<Found | null> {
  const own = host.own.get()
  const others = openContacts(host).filter(({ contact }) => contact !== own?.contact)
  for (const each of own ? [own, ...others] : others) {
    const found = await (host.link.isAnonymous ? findAs(host, each) : findOf(host, each))
    if (found) return found
  }
  return null
}

/** The contacts that were not left, the newest first; of the newest visitor before those of others. */
const openContacts = ({ known, link }: FindHost): Own[] =>
  known
    .all()
    .toReversed()
    .flatMap(({ visitor, contacts }) => contacts.toReversed().map((contact) => ({ contact, visitor })))
    .filter(({ contact }) => !link.leaves.has(contact))

/** Who the visitor is stands with the contact. */
async function findAs(host: FindHost, { contact, visitor }: Own): Promise<Found | null> {
  const known = host.known.get(visitor)
  const link =
    known &&
    (await host.link.online(known).catch((thrown: unknown) => {
      if (isRefused(thrown) && !host.known.get(visitor)) return null
      throw thrown
    }))
  const record = link ? await readRecord(link, contact) : null
  return unlessOver(host, { link: link ?? null, record }, contact)
}

/**
 * The site says who the visitor is, who may be another one than before: contacts of others stay theirs. Where
 * its token does not tell, only the service knows whose they are.
 */
async function findOf(host: FindHost, { contact, visitor }: Own): Promise<Found | null> {
  const link = await host.link.online()
  const { subject } = host.link
  if (visitor !== (subject ?? visitor)) return null
  const record = await readRecord(link, contact)
  return record || subject !== undefined ? unlessOver(host, { link, record }, contact) : null
}

function unlessOver(
  { onOver, tab, service }: FindHost,
  { link, record }: { readonly link: ServiceLink | null; readonly record: ContactData | null },
  contact: string,
): Found | null {
  if (link && record && record.state !== 'cleared') return { link, record }
  eraseSaved(tab, savedKey(service, contact))
  eraseRing(tab, service, contact)
  onOver(contact, record?.later === true)
  return null
}

/** Null where the contact has gone on under another id, and is over there. */
export async function takenUp<T>(
  entered: Promise<T>,
  id: string,
  known: Pick<KnownVisitors, 'ofContact'>,
): Promise<{ contact: T; resumed: true } | null> {
  try {
    return { contact: await entered, resumed: true }
  } catch (thrown) {
    if (isContactClosed(thrown) && !known.ofContact(id)) return null
    throw thrown
  }
}

/** Leaves are told in the name of who has left. */
export async function tellLeaves(link: OwnLink, known: Pick<KnownVisitors, 'get'>): Promise<void> {
  for (const party of link.leaves.parties) {
    const visitor = known.get(party)
    if (visitor || !link.isAnonymous) await link.online(visitor).catch(unlessRefused)
    if (link.isAnonymous && !known.get(party)) link.leaves.drop(party)
  }
}

const unlessRefused = (thrown: unknown): void => {
  if (!isRefused(thrown)) throw thrown
}
