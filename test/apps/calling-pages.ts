/** The visitor's and the agent's page in a call, over the SDK in memory. */
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { CallKind } from '../../apps/ui/src/media-plan.ts'
import { createTestContact, settled } from '../../testing/index.ts'
import type { TestContact } from '../../testing/index.ts'

/** What the pages and the SDK have to do is done. */
export async function rest(): Promise<void> {
  for (let round = 0; round < 5; round++) await settled()
}

export interface Pages extends TestContact {
  readonly mine: ContactSession
  readonly theirs: ContactSession
}

/** Two pages in a call; the visitor's is `mine`. */
export async function inCall(...kinds: readonly CallKind[]): Promise<Pages> {
  const test = await createTestContact()
  const mine = new ContactSession(test.visitor)
  const theirs = new ContactSession(test.agent)
  await rest()
  for (const kind of kinds) {
    mine.calls.call(kind)
    await rest()
    theirs.calls.accept({ Voice: true })
    await rest()
  }
  return { ...test, mine, theirs }
}

/** Devices in use, the visitor's and the agent's. */
export const inUse = ({ devices }: Pages): unknown[] => [devices.visitor.inUse, devices.agent.inUse]
