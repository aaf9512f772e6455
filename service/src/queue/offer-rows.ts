import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

/** Takes back one offer. False where it is over already. Rows are always locked in the order contacts, agents, offers, timers. */
export async function withdrawOffer(db: Kysely<Tables>, contact: string, agent: string): Promise<boolean> {
  const rows = await db.deleteFrom('offers').where('contact', '=', contact).where('agent', '=', agent).returning('agent').execute()
  await db.deleteFrom('timers').where('subject', '=', contact).where('kind', '=', 'offer').where('key', '=', agent).execute()
  return rows.length > 0
}

/** The agent is not asked again for this contact until then. */
export async function noteRefusal(db: Kysely<Tables>, refusal: { readonly contact: string; readonly agent: string; readonly until: number }): Promise<void> {
  await db
    .insertInto('refusals')
    .values(refusal)
    .onConflict((conflict) => conflict.columns(['contact', 'agent']).doUpdateSet({ until: refusal.until }))
    .execute()
}
