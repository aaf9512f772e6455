import { expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { History, SavedHistory } from '../../apps/ui/src/history.ts'
import { createTestContact, settled } from '../../testing/index.ts'
import type { TestContact } from '../../testing/index.ts'
import { FakeContact } from './fake-contact.ts'

/** What the console of the agent shows before and after it is loaded anew. */
async function overLoad(happens: (test: TestContact) => Promise<unknown>): Promise<unknown[]> {
  const test = await createTestContact()
  const store = new Map<string, SavedHistory>()
  const history: History = {
    load: (id) => store.get(id) ?? null,
    save: (id, kept) => void store.set(id, kept),
    drop: (id) => void store.delete(id),
  }
  const before = new ContactSession(test.agent, { history })
  await settled()
  await happens(test)
  await settled()
  const sessions = [before]
  await test.reload('agent', (contact) => sessions.push(new ContactSession(contact, { history })))
  await test.clock.advance(5_000)
  for (const session of sessions) session.close()
  return sessions.map(({ state }) => state.peer?.presence)
}

const silent =
  (ms: number) =>
  async ({ faults, clock }: TestContact): Promise<void> => {
    faults.disconnect('visitor')
    await settled()
    await clock.advance(ms)
  }

it.each([
  ['has left', ({ visitor }: TestContact) => visitor.leave(), 'gone'],
  ['is away', silent(20_000), 'away'],
  ['was given up', silent(90_000), 'away'],
  ['is here', () => Promise.resolve(), 'here'],
] as const)(
  'SND-312 a console that is loaded anew shows that the visitor %s',
  async (_what, happens, presence) => {
    expect(await overLoad(happens)).toEqual([presence, presence])
  },
)

it('SND-312 a visitor’s page shows that the agent’s page has gone before it came, if it was there', () => {
  const agent = { user: 'a1', nick: 'Ada' }
  const channels = { total: 1, vvcu: 1, user: 0 }
  const seen = (['joined', 'assigned'] as const).map((state) => {
    const session = new ContactSession(new FakeContact('visitor', { state, agent, channels }).contact)
    session.close()
    return session.state.peer?.presence
  })
  expect(seen).toEqual(['away', 'here'])
})

it('SND-312 an answer about capabilities is no sign of life of somebody who has left', async () => {
  const { visitor, agent } = await createTestContact()
  const session = new ContactSession(agent)
  await settled()
  await visitor.leave()
  await settled()
  session.calls.askRemote()
  await settled()
  expect([session.state.peer?.presence, session.state.remote !== null]).toEqual(['gone', true])
  session.close()
})
