/** Ratings by two tabs of a visitor whom the service names, at the end of a long contact. */
import '../../support/loaded-code.ts'
import { expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import type { Agent } from '../../../sdk/agent/index.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { Contact } from '../../../sdk/index.ts'
import { startService } from '../../../service/src/start-service.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { browser } from '../../support/browser-tabs.ts'
import { freePort } from '../../support/free-port.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { next } from '../../support/next-event.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInAgent, testOptions } from '../../support/service.ts'

const MINUTES = 60_000

/** A service that can be started again, and a browser with pages of it. */
async function start() {
  const data = preparedData()
  const clock = new ManualClock()
  const options = testOptions(data.folder, { port: await freePort() })
  let service = await startService(options, { clock })
  const { url } = service
  const [store, openTabs] = [memoryStore(), browser()]
  return {
    url,
    clock,
    tab: (): VisitorClient => {
      const page = { clock: pageClock, random: Math.random, store, tab: memoryStore(), openTabs }
      return new VisitorClient({ service: url }, { ...testEnvironment(new TestClock()), ...page })
    },
    restart: async (): Promise<void> => {
      await service.stop()
      service = await startService(options, { clock })
    },
    stop: async (): Promise<void> => {
      await service.stop()
      data.remove()
    },
  }
}

async function agentNamed(
  url: string,
  nick: string,
): Promise<{ readonly agent: Agent; readonly id: string }> {
  const { token, agent } = await signInAgent(url, nick)
  const made = createAgent({ service: url, token })
  await made.ready()
  return { agent: made, id: agent.id }
}

const offerTo = (agent: Agent): Promise<string> =>
  new Promise((settle) => agent.once('distribution', ({ id }) => settle(id)))

const online = (contact: Contact): Promise<void> =>
  new Promise((resolve) => {
    contact.on('connection', ({ state }) => state === 'online' && resolve())
  })

it('PRD-155 each tab rates the contact after a transfer, a token’s lifetime, a restart, and again minutes later', async () => {
  const { url, clock, tab, restart, stop } = await start()
  const [ada, first, second] = [await agentNamed(url, 'Ada'), tab(), tab()]
  const offered = offerTo(ada.agent)
  const contact = await first.createContact()
  const taken = await ada.agent.accept(await offered)
  await taken.join()
  // The second page renews the sign-in; the token of the first one is good for a while yet.
  const { contact: other } = await second.resumeContact()
  if (!other) throw new Error('there is nothing to resume')
  const bea = await agentNamed(url, 'Bea')
  const handed = offerTo(bea.agent)
  const moved = Promise.all([next(contact, 'transferred'), next(other, 'transferred')])
  const toId = await ada.agent.transfer(contact.id, { toAgent: bea.id })
  await moved
  const there = await bea.agent.accept(await handed)
  const joined = next(contact, 'joined')
  await there.join()
  await joined
  const back = Promise.all([contact, other, there].map(online))
  await restart()
  await back
  clock.advance(12 * MINUTES)
  const over = Promise.all([next(contact, 'cleared'), next(other, 'cleared')])
  await there.leave()
  await over
  expect([contact.id, other.id]).toEqual([toId, toId])
  const told: unknown[] = []
  bea.agent.on('rating', ({ id, score }) => told.push([id, score]))
  for (const [client, score] of [
    [first, 2],
    [second, 3],
    [first, 4],
    [second, 5],
  ] as const) {
    await client.rate(toId, { score })
    clock.advance(16 * MINUTES)
  }
  await expect.poll(() => told).toEqual([2, 3, 4, 5].map((score) => [toId, score]))
  await Promise.all([first.close(), second.close(), ada.agent.close(), bea.agent.close()])
  await stop()
})
