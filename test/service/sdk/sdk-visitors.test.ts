import '../../support/loaded-code.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { createAgent } from '../../../sdk/agent/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import type { Environment } from '../../../sdk/client/environment.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService({ strategy: 'least-loaded' })
})
afterAll(() => test.close())

/** A page of a tab of a browser, with real tokens. */
const page = (
  store: KeyValueStore,
  tab: KeyValueStore,
  onWake: Environment['onWake'] = () => () => {},
): VisitorClient =>
  new VisitorClient(
    { service: test.url },
    { ...testEnvironment(new TestClock()), clock: pageClock, random: Math.random, store, tab, onWake },
  )

const agentFor = async (nick: string) => {
  const { token, agent } = await signInAgent(test.url, nick)
  return { agent: createAgent({ service: test.url, token }), id: agent.id }
}

describe('the visitors of one browser', () => {
  it('SND-1 SND-304 the contact that a page begins after a leave which the service has not heard of yet outlives a page load', async () => {
    const [store, tab] = [memoryStore(), memoryStore()]
    let hide = (): void => {}
    const first = page(store, tab, (_wake, hidden) => ((hide = hidden), () => {}))
    const contact = await first.createContact()
    hide()
    await contact.leave()
    await first.close()
    const second = page(store, tab)
    const next = await second.createContact()
    const kept = store.getItem(`duolog:${test.url}:visitor`)
    await second.close()
    const third = page(store, tab)
    const { contact: back } = await third.resumeContact()
    await third.close()
    expect({ back: back?.id, kept }).toMatchObject({
      back: next.id,
      kept: expect.stringContaining('refresh'),
    })
  })

  it('SND-1 SND-304 a contact that the same page begins after such a leave outlives a page load', async () => {
    const [store, tab] = [memoryStore(), memoryStore()]
    let [wake, hide] = [(): void => {}, (): void => {}]
    const first = page(store, tab, (shown, hidden) => (([wake, hide] = [shown, hidden]), () => {}))
    const contact = await first.createContact()
    hide()
    await contact.leave()
    setTimeout(() => wake(), 50)
    const next = await first.createContact()
    const kept = store.getItem(`duolog:${test.url}:visitor`)
    await first.close()
    const second = page(store, tab)
    const { contact: back } = await second.resumeContact()
    await second.close()
    expect({ back: back?.id, kept }).toMatchObject({
      back: next.id,
      kept: expect.stringContaining('refresh'),
    })
  })

  it('SND-1 SND-304 a tab that is loaded anew while another one follows a transfer has the contact', async () => {
    const store = memoryStore()
    const tabs = [memoryStore(), memoryStore()] as const
    const desk = await agentFor('Ada')
    await desk.agent.ready({ tags: ['t17'], capacity: 50 })
    const offered = new Promise<string>((resolve) =>
      desk.agent.on('distribution', ({ id, tags }) => tags.includes('t17') && resolve(id)),
    )
    const one = page(store, tabs[0])
    const contact = await one.createContact({ tags: ['t17'] })
    const two = page(store, tabs[1])
    expect((await two.resumeContact()).contact?.id).toBe(contact.id)
    const there = await desk.agent.accept(await offered)
    await there.join()
    await desk.agent.pause()
    await two.close()
    const moved = new Promise<void>((resolve) => contact.once('transferred', () => resolve()))
    const toId = await desk.agent.transfer(contact.id, { toTags: ['nobody'] })
    await moved
    await expect.poll(() => contact.id).toBe(toId)
    const again = page(store, tabs[1])
    const { contact: back } = await again.resumeContact()
    await expect.poll(() => back?.id).toBe(toId)
    await Promise.all([one.close(), again.close(), desk.agent.close()])
  })

  it('SND-21 SND-304 a leave of one visitor of the browser is told in that one’s name, whoever is the newest', async () => {
    const [store, tabs] = [memoryStore(), [memoryStore(), memoryStore()] as const]
    let hide = (): void => {}
    const one = page(store, tabs[0], (_wake, hidden) => ((hide = hidden), () => {}))
    const two = page(store, tabs[1])
    const [mine, other] = await Promise.all([one.createContact(), two.createContact()])
    const visitor = mine.data().visitor.id
    expect(visitor).not.toBe(other.data().visitor.id)
    // The other tab is the newest.
    await two.close()
    const again = page(store, tabs[1])
    await again.resumeContact()
    const known = JSON.parse(store.getItem(`duolog:${test.url}:visitor`) ?? '[]') as {
      visitor: string
      refresh: string
    }[]
    expect(known.at(-1)?.visitor).not.toBe(visitor)
    const refresh = known.find((each) => each.visitor === visitor)?.refresh
    hide()
    await mine.leave()
    await one.close()
    const next = page(store, tabs[0])
    await next.resumeContact()
    const answer = await fetch(`${test.url}/v1/visitors/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh }),
    })
    const { token } = (await answer.json()) as { token: string }
    const wire = await WireClient.connect(test.url, token)
    const { record } = (await wire.call('contact.read', { contact: mine.id })) as {
      record: { state: string }
    }
    wire.close()
    await Promise.all([next.close(), again.close()])
    expect(record.state).toBe('cleared')
  })

  it('SND-21 SND-304 a leave of an agent is told in that one’s name, also where another one has signed in in the tab meanwhile', async () => {
    const [store, tab] = [memoryStore(), memoryStore()]
    const [grace, bob] = [await signInAgent(test.url, 'Grace'), await signInAgent(test.url, 'Bob')]
    let hide = (): void => {}
    const onWake: Environment['onWake'] = (_wake, hidden) => ((hide = hidden), () => {})
    const console = ({ token }: typeof grace): AgentImpl =>
      new AgentImpl(
        { service: test.url, token },
        { ...testEnvironment(new TestClock()), clock: pageClock, random: Math.random, store, tab, onWake },
      )
    const visitor = page(store, memoryStore())
    const contact = await visitor.createContact({ tags: ['t18'] })
    const left = new Promise<string | undefined>((resolve) =>
      contact.once('left', ({ user }) => resolve(user)),
    )
    const first = console(grace)
    const offered = new Promise<string>((resolve) =>
      first.on('distribution', ({ id, tags }) => tags.includes('t18') && resolve(id)),
    )
    await first.ready({ tags: ['t18'], capacity: 50 })
    const there = await first.accept(await offered)
    await there.join()
    hide()
    await there.leave()
    await first.close()
    const unheard = tab.getItem(`duolog:${test.url}:leaves:agent`)
    for (const each of [bob, grace]) {
      const next = console(each)
      await next.ready({ tags: ['nothing'] })
      if (each === bob)
        expect([tab.getItem(`duolog:${test.url}:leaves:agent`), unheard]).toEqual([
          unheard,
          expect.stringContaining(grace.agent.id),
        ])
      await next.close()
    }
    expect(await left).toBe(grace.agent.id)
    expect(tab.getItem(`duolog:${test.url}:leaves:agent`)).toBeNull()
    await visitor.close()
  })
})
