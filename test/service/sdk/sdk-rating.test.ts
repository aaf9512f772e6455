/** Ratings by the SDK, on the real service. */
import '../../support/loaded-code.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pageClock } from '../../../sdk/client/clock.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { createAgent } from '../../../sdk/agent/index.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** A page whose visitor the service names, and what its browser keeps. */
function page() {
  const store = memoryStore()
  const client = new VisitorClient(
    { service: test.url },
    {
      ...testEnvironment(new TestClock()),
      ...{ clock: pageClock, random: Math.random, store, tab: memoryStore() },
    },
  )
  return { client, kept: () => store.getItem(`duolog:${test.url}:visitor`) }
}

it.each(['visitor', 'agent'] as const)(
  'PRD-155 the page whose contact the %s has ended rates it, though the visitor is forgotten, and acts as somebody else next',
  async (by) => {
    const { token } = await signInAgent(test.url, 'Ada')
    const agent = createAgent({ service: test.url, token })
    await agent.ready({ capacity: 50 })
    const { client, kept } = page()
    const told = new Promise((settle) => agent.on('rating', settle))
    const offered = new Promise<string>((settle) => agent.on('distribution', ({ id }) => settle(id)))
    const contact = await client.createContact()
    const { visitor } = contact.data()
    const there = await agent.accept(await offered)
    await there.join()
    const over = new Promise<void>((settle) => {
      contact.on('cleared', () => settle())
      contact.on('localleft', () => settle())
    })
    await (by === 'visitor' ? contact : there).leave()
    await over
    await client.rate(contact.id, { score: 4, comment: 'Quick' })
    expect(await told).toEqual({ id: contact.id, score: 4, comment: 'Quick' })
    await client.rate(contact.id, { score: 5 })
    expect(kept()).toBeNull()
    const next = await client.createContact()
    expect(next.data().visitor.id).not.toBe(visitor.id)
    await expect(client.rate(contact.id, { score: 1 })).rejects.toMatchObject({ code: 'not_found' })
    await next.leave()
    await Promise.all([client.close(), agent.close()])
  },
)
