import { compat } from '../../../sdk/compat/index.ts'
import { createTestContact } from '../../../testing/index.ts'

/** Both parties, the visitor's page in the style of positional arguments. */
export async function pair() {
  const all = await createTestContact({ contact: { nick: 'Vera' } })
  return { ...all, contact: compat(all.visitor) }
}
