import { describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { settled } from '../../../testing/index.ts'
import type { Party } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { VOICE, answering, fakeOf, record, watch } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

/** Storage whose keys a test sees. */
function observedStore(): KeyValueStore & { readonly keys: () => string[] } {
  const values = new Map<string, string>()
  return {
    keys: () => [...values.keys()],
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

/** A console whose storage and listeners a test sees, and a visitor's contact that it has accepted. */
async function accepted() {
  const world = new World()
  const visitor = await world.visitor().client.createContact()
  const [store, tab] = [observedStore(), observedStore()]
  const party: Party = { slot: 'agent', id: 'agent-1', nick: 'Ada' }
  let watching = 0
  const environment = {
    ...testEnvironment(world.clock, fakes),
    store,
    tab,
    onDevices: () => {
      watching++
      return () => void watching--
    },
  }
  const agent = new AgentImpl(
    { service: 'http://localhost', token: 'memory', transport: world.link.transport(party) },
    environment,
  )
  const contact = await agent.accept(visitor.id)
  return {
    ...{ world, visitor, agent, contact, party },
    /** What the console holds of contacts. */
    held: () => ({ watching, store: store.keys(), tab: tab.keys() }),
  }
}

const NOTHING = { watching: 0, store: [], tab: [] }

describe('a contact that is with the agent no more', () => {
  it.each([
    ['declined', (agent: AgentImpl, id: string) => agent.decline(id)],
    ['handed on', (agent: AgentImpl, id: string) => agent.transfer(id, { toTags: ['bills'] })],
  ] as const)('SND-304 one that is %s before it is joined is given back here', async (_name, end) => {
    const { agent, contact, visitor, held } = await accepted()
    const told = record(contact, 'localleft')
    expect(held().watching).toBe(1)
    await end(agent, visitor.id)
    await new Promise((resolve) => setTimeout(resolve))
    expect(held()).toEqual(NOTHING)
    expect(told).toEqual([['localleft', { reason: 'user' }]])
    expect(watch(contact.join())).not.toHaveProperty('value')
    const again = await agent.accept(visitor.id)
    await again.join()
    expect(again.data().state).toBe('joined')
  })

  it('SND-304 so is one that the service took back in the meantime, once it is to be joined', async () => {
    const { world, contact, held } = await accepted()
    await world.clock.advance(61_000)
    await expect(contact.join()).rejects.toMatchObject({
      code: expect.stringMatching(/^(left|not_assigned)$/),
    })
    expect(held()).toEqual(NOTHING)
    await expect(contact.join()).rejects.toMatchObject({ code: 'left' })
  })

  it('SND-304 or once the agent’s contacts are listed', async () => {
    const { world, agent, held } = await accepted()
    await world.clock.advance(61_000)
    expect(await agent.contacts()).toEqual([])
    await settled()
    expect(held()).toEqual(NOTHING)
  })

  it('SND-304 a joined one that is listed goes on', async () => {
    const { agent, contact } = await accepted()
    await contact.join()
    expect(await agent.contacts()).toEqual([contact])
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-304 of one that was given to others while the agent was away nothing is kept, and the application is told', async () => {
    const { world, visitor, contact, party, held } = await accepted()
    await contact.join()
    await settled()
    answering(visitor)
    await contact.offerMedia(VOICE)
    await settled()
    fakeOf(contact).muteLocalAudio()
    expect(held().store).not.toEqual([])
    const told = record(contact, 'error', 'localleft')
    world.link.faults = { onConnect: (who) => (who === party ? 'drop' : 'pass') }
    world.link.cut(party)
    await world.clock.advance(90_000)
    world.link.faults = {}
    await world.clock.advance(30_000)
    expect(told).toMatchObject([
      ['error', { code: 'left' }],
      ['localleft', {}],
    ])
    expect(held()).toEqual(NOTHING)
  })
})
