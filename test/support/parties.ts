import { randomUUID } from 'node:crypto'
import type { ContactRequest } from '../../protocol/index.ts'
import type { TestService } from './service.ts'
import { WireSession } from './wire-client.ts'
import type { WireClient } from './wire-client.ts'

/** A party of a contact as a test drives it. */
export interface Party {
  readonly client: WireClient
  readonly session: WireSession
}

export interface WaitingVisitor extends Party {
  readonly id: string
}

/** Where parties come from. */
export type Place = Pick<TestService, 'visitor' | 'agent'>

/** A visitor in the queue. */
export async function queueVisitor(test: Place, contact: ContactRequest = {}): Promise<WaitingVisitor> {
  const client = await test.visitor()
  const { contact: id } = await client.call('contact.create', {
    request: randomUUID(),
    contact: { nick: 'Vera', ...contact },
  })
  const session = new WireSession(client, id)
  await session.open()
  await session.present()
  return { client, session, id }
}

/** An agent who takes the contact and joins it. */
export async function joinAgent(test: Place, contact: string, nick?: string): Promise<Party> {
  const client = await test.agent(nick)
  await client.call('agent.presence', { state: 'ready', capacity: 100 })
  return takeOffered(client, contact)
}

/** An agent who is ready takes the contact once it is offered, and joins it. */
export async function takeOffered(client: WireClient, contact: string): Promise<Party> {
  await client.push('agent.distribution', ({ id }) => id === contact)
  await client.call('agent.accept', { contact })
  const session = new WireSession(client, contact)
  await session.open()
  await session.present()
  await client.entry(contact, 'joined')
  return { client, session }
}

/** A visitor and an agent who have joined. */
export async function joinBoth(
  test: Place,
  contact: ContactRequest = {},
): Promise<{ visitor: WaitingVisitor; agent: Party; id: string }> {
  const visitor = await queueVisitor(test, contact)
  const agent = await joinAgent(test, visitor.id)
  await visitor.client.entry(visitor.id, 'joined')
  return { visitor, agent, id: visitor.id }
}

/** Waits until the service has set a timer of this kind about the contact or agent. */
export async function timerSet(test: TestService, subject: string, kind: string): Promise<void> {
  for (let rows: unknown[] = []; rows.length === 0;) {
    rows = await test.service.database.db
      .selectFrom('timers')
      .select('due')
      .where('subject', '=', subject)
      .where('kind', '=', kind)
      .execute()
    if (rows.length === 0) await new Promise((settle) => setImmediate(settle))
  }
}

/** Waits until the service knows that the agent has read the offer of the contact. */
export async function offerSeen(test: TestService, contact?: string): Promise<void> {
  for (let seen = false; !seen;) {
    const offers = test.service.database.db.selectFrom('offers').select('agent').where('seen', '=', true)
    seen =
      (await (contact === undefined ? offers : offers.where('contact', '=', contact)).execute()).length > 0
    if (!seen) await new Promise((settle) => setImmediate(settle))
  }
}
