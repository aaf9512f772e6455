import '../../support/loaded-code.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { timerSet } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** A page in a tab of its own of a browser. */
const page = (store: KeyValueStore): VisitorClient =>
  new VisitorClient(
    { service: test.url },
    { ...testEnvironment(new TestClock()), clock: pageClock, random: Math.random, store, tab: memoryStore() },
  )

it('PRD-30 a message for later is answered while no page is there: the next one names it, reads it, and forgets it with the next contact', async () => {
  const store = memoryStore()
  const first = page(store)
  const contact = await first.createContact({ nick: 'Robin', later: 'unattended' })
  expect(contact.data().later).toBe(true)
  await contact.sendText('Where is my parcel?')
  await first.close()

  const { token } = await signInAgent(test.url, 'Ada')
  const agent = createAgent({ service: test.url, token })
  const offered = new Promise<string>((settle) => agent.on('distribution', ({ id }) => settle(id)))
  await agent.ready()
  const taken = await agent.accept(await offered)
  await taken.join()
  await taken.sendText('It arrives tomorrow')
  await taken.leave()

  const second = page(store)
  expect(await second.resumeContact()).toEqual({ contact: null, resumed: false, answered: contact.id })
  const { messages } = await second.readTranscript(contact.id)
  expect(messages.map((message) => ('text' in message ? message.text : message.type))).toEqual([
    'It arrives tomorrow',
    'Where is my parcel?',
  ])
  expect((await second.history()).contacts.map(({ id }) => id)).toEqual([contact.id])
  expect(await second.resumeContact()).toMatchObject({ answered: contact.id })
  const next = await second.createContact({ nick: 'Robin' })
  await next.leave()
  await second.close()

  const third = page(store)
  expect(await third.resumeContact()).toEqual({ contact: null, resumed: false })
  await third.close()
  await agent.close()
})

it('PRD-30 an answer under the id of a transfer is named, too', async () => {
  const store = memoryStore()
  const first = page(store)
  const contact = await first.createContact({ nick: 'Robin', later: true })
  await contact.sendText('Where is my parcel?')
  await first.close()
  await timerSet(test, contact.id, 'absence')
  test.clock.advance(60_000)

  const { token } = await signInAgent(test.url, 'Ada')
  const agent = createAgent({ service: test.url, token })
  const offers: string[] = []
  let heard = (): void => {}
  agent.on('distribution', ({ id }) => {
    offers.push(id)
    heard()
  })
  const offered = async (count: number): Promise<string> => {
    while (offers.length < count) await new Promise<void>((settle) => (heard = settle))
    return offers[count - 1] ?? ''
  }
  await agent.ready()
  const taken = await agent.accept(await offered(1))
  await taken.join()
  await agent.transfer(taken.id, { toTags: [] })
  const next = await agent.accept(await offered(2))
  await next.join()
  await next.sendText('It arrives tomorrow')
  await next.leave()

  const second = page(store)
  const resumed = await second.resumeContact()
  expect(resumed).toEqual({ contact: null, resumed: false, answered: next.id })
  const { messages } = await second.readTranscript(next.id)
  expect(messages.flatMap((message) => ('text' in message ? [message.text] : []))).toEqual([
    'It arrives tomorrow',
    'Where is my parcel?',
  ])
  await second.close()
  await agent.close()
})

it('PRD-30 a secure contact cannot be for later', async () => {
  const client = page(memoryStore())
  await expect(client.createContact({ secure: true, later: true })).rejects.toMatchObject({
    code: 'invalid_argument',
  })
  await client.close()
})
