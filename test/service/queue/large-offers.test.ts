import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../../protocol/index.ts'
import type { ContactRequest } from '../../../protocol/index.ts'
import { readWaiting } from '../../../service/src/queue/offer-rows.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

/** As many as an agent may have. */
const CONTACTS = 100
let test: TestService
let queued: string[] = []

const letters = (count: number, letter = 'x'): string => letter.repeat(count)
/** All that an agent is shown of a contact, as large as it may be. */
const LARGEST: ContactRequest = {
  nick: letters(LIMITS.nick, '漢'),
  lang: letters(LIMITS.lang, '漢'),
  tags: Array.from({ length: LIMITS.tags }, () => letters(LIMITS.name, '漢')),
  initialOffer: Object.fromEntries(
    Array.from({ length: LIMITS.mediaBytes / 256 - 1 }, (_, index) => [
      `m${index}`,
      { tx: 'optional', rx: 'optional', via: letters(100), engine: letters(80) },
    ]),
  ),
}

async function queue(count: number): Promise<string[]> {
  const client = await test.visitor()
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const { contact } = await client.call('contact.create', { request: randomUUID(), contact: LARGEST })
    const session = new WireSession(client, contact)
    await session.open()
    await session.present()
    ids.push(contact)
  }
  return ids
}

beforeAll(async () => {
  test = await startTestService()
  queued = [...(await queue(CONTACTS / 2)), ...(await queue(CONTACTS / 2))]
})
afterAll(() => test.close())

const offered = (agent: WireClient): Set<string> =>
  new Set(agent.pushes.flatMap(({ name, body }) => (name === 'agent.distribution' ? [body.id] : [])))

it('SND-306 an agent with room for many is told of the largest contacts one after the other, and stays connected', async () => {
  const { token } = await signInAgent(test.url, 'Ada')
  const presence = { state: 'ready', capacity: CONTACTS } as const
  const first = await WireClient.connect(test.url, token)
  await first.call('agent.presence', presence)
  await first.until(() => offered(first).size === CONTACTS, 'all offers')
  first.close()
  const again = await WireClient.connect(test.url, token)
  await again.call('agent.presence', presence)
  expect([...offered(again)].toSorted()).toEqual(queued.toSorted())
  await again.call('agent.presence', { ...presence, state: 'paused' })
  again.close()
})

it('SND-306 what matching reads of a contact is small, whatever its visitor asks for', async () => {
  const { db } = test.service.database
  const rows = await readWaiting(db, {
    after: { visitor_away: false, queued_at: -1, id: '' },
    parallel: 1_000,
    limit: 200,
  })
  expect(rows).toHaveLength(CONTACTS)
  for (const { distribution } of rows) expect(distribution.length).toBeLessThan(LIMITS.mediaBytes + 256)
})
