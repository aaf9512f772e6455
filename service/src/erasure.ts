import { sql } from 'kysely'
import { ContactError } from '../../protocol/index.ts'
import { removeSignIns } from './auth/visitors.ts'
import type { ContactStore } from './contacts/index.ts'
import type { Database } from './store/database.ts'
import { checkErasable } from './store/holds.ts'
import { CONTACT_BATCH, removeContacts } from './store/removal.ts'

interface ErasureParts {
  readonly db: Database['db']
  readonly store: Pick<ContactStore, 'change'>
  /** Voids the tokens that the visitor has been given, and ends their connections. */
  readonly revoke: () => Promise<void>
  /** Tells the other party of the end of a contact, which is the entry `head`. Resolves within some seconds. */
  readonly told: (contact: string, head: number) => Promise<void>
  readonly unlink: (files: readonly string[]) => Promise<void>
  /** These contacts are no more. */
  readonly gone: (contacts: readonly string[]) => void
}

/**
 * Removes everything of a visitor. The sign-in goes first: from then on nothing new comes. Each contact ends
 * before anything of it is removed, so that whoever comes later, after a failure too, finds it over. Gives
 * the ids of the contacts that are gone.
 *
 * @throws {@link ContactError} `invalid_state`: a contact is under a legal hold
 */
export async function eraseVisitor(parts: ErasureParts, visitor: string): Promise<readonly string[]> {
  const { db, revoke, told, unlink, gone } = parts
  await checkErasable(db, visitor)
  await removeSignIns(db, visitor)
  await revoke()
  const all: string[] = []
  for (let some = await contactsOf(db, visitor); some.length > 0; some = await contactsOf(db, visitor)) {
    const ends: Promise<void>[] = []
    for (const { id, ended } of some) ends.push(told(id, ended === null ? await end(parts, id) : 0))
    await Promise.all(ends)
    const ids = some.map(({ id }) => id)
    await removeContacts(db, ids, unlink)
    gone(ids)
    all.push(...ids)
  }
  await checkErasable(db, visitor)
  return all
}

async function contactsOf(
  db: Database['db'],
  visitor: string,
): Promise<readonly { readonly id: string; readonly ended: number | null }[]> {
  const { rows } = await sql<{ id: string; ended: number | null }>`
    select id, ended from contacts where visitor = ${visitor} and legal_hold is null order by id
      limit ${CONTACT_BATCH}`.execute(db)
  return rows
}

/** Returns the number of the last entry. One that is removed or put under a hold meanwhile is left as it is. */
const end = ({ store }: ErasureParts, contact: string): Promise<number> =>
  store
    .change(contact, async (change) => {
      if (change.row.legal_hold === null) change.happen({ type: 'erased' })
      return change.state.seq
    })
    .catch((thrown: unknown) => {
      if (!(thrown instanceof ContactError) || thrown.code !== 'not_found') throw thrown
      return 0
    })
