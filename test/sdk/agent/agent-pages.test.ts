import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { World } from '../../support/world.ts'

describe('pages of one agent', () => {
  it('SRV-10 each is told what the agent takes, also one that comes later', async () => {
    const world = new World()
    const [one, two] = [world.agent().client, world.agent().client]
    const heard: unknown[] = []
    two.on('presence', (presence) => void heard.push(presence))
    await two.contacts()
    await one.ready({ capacity: 5, tags: ['bills'] })
    await settled()
    expect(heard).toEqual([{ state: 'ready', capacity: 5, tags: ['bills'] }])
    const late = world.agent().client
    const states: string[] = []
    late.on('presence', ({ state }) => void states.push(state))
    await late.contacts()
    await one.pause()
    await settled()
    expect(states).toEqual(['ready', 'paused'])
  })

  it('SRV-10 a reconnection says what another page has said last, not what this page once said', async () => {
    const world = new World()
    const [one, two] = [world.agent(), world.agent()]
    await one.client.ready({ capacity: 5 })
    await two.client.pause()
    await settled()
    world.link.cut(one.party)
    await world.clock.advance(5_000)
    await world.visitor().client.createContact()
    const offers: string[] = []
    one.client.on('distribution', ({ id }) => void offers.push(id))
    await settled()
    expect(offers).toEqual([])
  })

  it('SRV-11 a contact that one has taken is told to the others as their own', async () => {
    const world = new World()
    const [one, two, other] = [
      world.agent().client,
      world.agent().client,
      world.agent({ id: 'agent-2' }).client,
    ]
    const heard: unknown[] = []
    for (const [name, page] of Object.entries({ one, two, other })) {
      page.on('withdrawn', ({ reason, own }) => void heard.push([name, reason, own ?? false]))
      await page.ready()
    }
    const { id } = await world.visitor().client.createContact()
    await settled()
    await one.accept(id)
    await settled()
    expect(heard).toEqual([
      ['two', 'taken', true],
      ['other', 'taken', false],
    ])
    expect((await two.contacts()).map((contact) => contact.id)).toEqual([id])
  })
})
