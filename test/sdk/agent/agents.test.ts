import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { VOICE, record, required } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

describe('agents', () => {
  it('SRV-10 LIFE-3 a ready agent is offered what waits and what comes, with its initial offer', async () => {
    const world = new World()
    const visitor = await world
      .visitor()
      .client.createContact({ nick: 'Vera', tags: ['sales'], initialOffer: VOICE })
    const desk = world.agent().client
    const offers: unknown[] = []
    desk.on('distribution', (offer) => void offers.push(offer))
    await desk.ready({ capacity: 3 })
    await settled()
    const details = { ...required, via: 'net' }
    expect(offers).toEqual([
      {
        id: visitor.id,
        nick: 'Vera',
        tags: ['sales'],
        initialOffer: { Chat: { ...details, engine: 'Native' }, Voice: { ...details, engine: 'WebRTC' } },
        secure: false,
        expiresInMs: 30_000,
      },
    ])
    await desk.pause()
  })

  it('SRV-11 accepting twice, also at once, gives the same contact; one that is taken not_assigned', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const desk = world.agent().client
    const agent = await desk.accept(visitor.id)
    const [one, two] = await Promise.all([desk.contacts(), desk.contacts()])
    expect([one[0], two[0]]).toEqual([agent, agent])
    const other = world.agent({ id: 'agent-2' }).client
    await expect(other.accept(visitor.id)).rejects.toMatchObject({ code: 'not_assigned' })
    await expect(other.accept(7 as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(await other.contacts()).toEqual([])
  })

  it('RES-11 contacts asked for twice at once on a new page are the same objects', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    await world.agent().client.accept(visitor.id)
    const console = world.agent().client
    const [one, two] = await Promise.all([console.contacts(), console.contacts()])
    expect(one.length).toBe(1)
    expect(one[0]).toBe(two[0])
  })

  it('MSG-11 a handler that throws disturbs neither the other handlers nor the contacts', async () => {
    const world = new World()
    const desk = world.agent().client
    const offers: string[] = []
    desk.on('distribution', () => {
      throw new Error('in a handler')
    })
    desk.on('distribution', ({ id }) => void offers.push(id))
    await desk.ready()
    const visitor = await world.visitor().client.createContact()
    await settled()
    const agent = await desk.accept(visitor.id)
    await agent.join()
    expect([offers, agent.mediaState]).toEqual([['contact-1'], 'idle'])
  })

  it('MSG-11 once and off', async () => {
    const world = new World()
    const desk = world.agent().client
    const heard: string[] = []
    const never = (): void => void heard.push('never')
    desk.once('distribution', ({ id }) => void heard.push(id))
    desk.once('distribution', never)
    desk.off('distribution', never)
    await desk.ready()
    for (let n = 0; n < 2; n++) await world.visitor().client.createContact()
    await settled()
    expect(heard).toEqual(['contact-1'])
  })

  it('SRV-10 LOG-3 after a reconnection the agent is ready again, and its contacts go on', async () => {
    const world = new World()
    const { client: desk, party } = world.agent()
    const states: string[] = []
    desk.on('connection', ({ state }) => void states.push(state))
    await desk.ready()
    const first = await world.visitor().client.createContact()
    const agent = await desk.accept(first.id)
    await agent.join()
    const texts = record(agent, 'text')
    world.link.cut(party)
    await first.sendText('still there?')
    await world.clock.advance(5_000)
    expect(states).toEqual(['connecting', 'online', 'offline', 'connecting', 'online'])
    const offers: string[] = []
    desk.on('distribution', ({ id }) => void offers.push(id))
    await world.visitor().client.createContact()
    await settled()
    expect([texts.length, offers]).toEqual([1, ['contact-2']])
  })

  it('LIFE-15 one contact that cannot be opened any more does not keep the others from going on', async () => {
    const world = new World()
    const { client: desk, party } = world.agent()
    const visitors = [
      await world.visitor().client.createContact(),
      await world.visitor().client.createContact(),
    ]
    const agents = await Promise.all(
      visitors.map(async ({ id }) => {
        const contact = await desk.accept(id)
        await contact.join()
        return contact
      }),
    )
    await settled()
    const [gone] = world.link.contacts.values()
    world.link.cut(party)
    if (gone) gone.agent = { slot: 'agent', id: 'somebody-else' }
    await world.clock.advance(10_000)
    const texts = record(agents[1] as Contact, 'text')
    await visitors[1]?.sendText('are you there?')
    await settled()
    expect(texts.length).toBe(1)
    expect(agents[0]?.mediaState).toBe('init')
    await expect(agents[0]?.sendText('x')).rejects.toMatchObject({ code: 'left' })
  })
})
