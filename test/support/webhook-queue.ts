import type { TestService } from './service.ts'

/** Waits until a contact has an empty queue of events, or one whose first event has failed and waits for its time. */
export async function queueIs(
  { service }: TestService,
  contact: string,
  state: 'empty' | 'waiting',
): Promise<void> {
  for (;;) {
    const row = await service.database.db
      .selectFrom('webhook_queues')
      .select('failures')
      .where('contact', '=', contact)
      .executeTakeFirst()
    if (state === 'empty' ? !row : row && row.failures > 0) return
    await new Promise((settle) => setImmediate(settle))
  }
}
