import { afterEach, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { FakeContact } from './fake-contact.ts'

const sessions: ContactSession[] = []
afterEach(() => {
  for (const session of sessions.splice(0)) session.close()
})

function tab(role: 'visitor' | 'agent', visitor = 'v1'): { fake: FakeContact; session: ContactSession } {
  const record = { state: 'joined', agent: { user: 'a1', nick: 'Ada' }, visitor: { id: visitor } } as const
  const fake = new FakeContact(role, record)
  const session = new ContactSession(fake.contact)
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
