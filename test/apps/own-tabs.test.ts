import { afterEach, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { History } from '../../apps/ui/src/history.ts'
import { FakeContact } from './fake-contact.ts'

const sessions: ContactSession[] = []
afterEach(() => {
  for (const session of sessions.splice(0)) session.close()
})

function tab(
  role: 'visitor' | 'agent',
  visitor = 'v1',
  history?: History,
): { fake: FakeContact; session: ContactSession } {
  const record = { state: 'joined', agent: { user: 'a1', nick: 'Ada' }, visitor: { id: visitor } } as const
  const fake = new FakeContact(role, record)
  const session = new ContactSession(fake.contact, { ...(history && { history }) })
  sessions.push(session)
  return { fake, session }
}
const stages = (...tabs: readonly { session: ContactSession }[]): string[] =>
  tabs.map(({ session }) => session.state.stage)
/** What has been told to the tabs before has arrived. */
async function told(): Promise<void> {
  const [one, other] = [new BroadcastChannel('told'), new BroadcastChannel('told')]
  const heard = vi.fn<() => void>()
  other.addEventListener('message', heard)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows
  one.postMessage('')
  await expect.poll(() => heard.mock.calls.length).toBeGreaterThan(0)
  for (const channel of [one, other]) channel.close()
}

it.each(['visitor', 'agent'] as const)(
  'SND-309 a %s who ends a contact ends it in each of the own tabs, once',
  async (role) => {
    const [here, there] = [tab(role), tab(role)]
    await here.session.leave()
    await told()
    expect(stages(here, there)).toEqual(['ended', 'ended'])
    await told()
    expect([here, there].map(({ fake }) => fake.calls.filter(([name]) => name === 'leave').length)).toEqual([
      1, 1,
    ])
  },
)

it('SND-309 nobody else’s part ends with it, and a tab that is closed hears nothing', async () => {
  const [here, closed] = [tab('visitor'), tab('visitor')]
  const [agent, other] = [tab('agent'), tab('visitor', 'v2')]
  closed.session.close()
  await here.session.leave()
  await told()
  expect(stages(here, agent, other, closed)).toEqual(['ended', 'talking', 'talking', 'talking'])
})

const say = (id: string, ...tabs: readonly { fake: FakeContact }[]): void => {
  for (const { fake } of tabs)
    fake.emit('text', { id, text: id, ts: 0, from_id: 'a1', from_nick: 'Ada', agent: true })
}
const unread = (...tabs: readonly { session: ContactSession }[]): number[] =>
  tabs.map(({ session }) => session.state.unread)

it('SND-309 what was read in one tab is read in the others, which count what comes afterwards', async () => {
  const [here, there, stranger] = [tab('visitor'), tab('visitor'), tab('visitor', 'v2')]
  say('m1', here, there, stranger)
  say('m2', here, there, stranger)
  expect(unread(here, there, stranger)).toEqual([2, 2, 2])
  here.session.attend(true)
  await told()
  expect(unread(here, there, stranger)).toEqual([0, 0, 2])
  say('m3', here)
  await told()
  say('m3', there)
  expect(unread(here, there)).toEqual([0, 0])
  here.session.attend(false)
  say('m4', here, there)
  await told()
  expect(unread(here, there)).toEqual([1, 1])
})

it('SND-309 a tab that is loaded anew learns what was read in another one meanwhile', async () => {
  const here = tab('visitor')
  say('m1', here)
  here.session.attend(true)
  const history: History = {
    load: () => ({ transcript: { ...here.session.state.transcript }, unread: 1 }),
    save: () => {},
    drop: () => {},
  }
  const there = tab('visitor', 'v1', history)
  expect(unread(there)).toEqual([1])
  await told()
  await told()
  expect(unread(there)).toEqual([0])
})
