import { createTestContact, settled } from 'duolog/testing'
import { expect, it } from 'vitest'
import { Unread } from './unread.ts'

it('counts what the agent says', async () => {
  const { visitor, agent } = await createTestContact()
  const unread = new Unread(visitor)
  await agent.sendText('Good morning')
  await settled()
  expect(unread.count).toBe(1)
})

it('counts a message once, however often it is sent', async () => {
  const { visitor, agent, faults, clock } = await createTestContact()
  const unread = new Unread(visitor)
  // It arrives, but the answer is lost: the SDK sends it again once it is connected again.
  faults.dropMessage({ by: 'agent', answerOnly: true })
  const sent = agent.sendText('Good morning')
  await clock.advance(5_000)
  await sent
  expect(unread.count).toBe(1)
})

it('knows that the network is gone', async () => {
  const { visitor, faults } = await createTestContact()
  const unread = new Unread(visitor)
  faults.disconnect('visitor')
  await settled()
  expect(unread.isOnline).toBe(false)
})
