/** A page that is loaded anew over a log that was tampered with, or is tampered with while the page enters. */
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { attackable } from '../../support/attacks.ts'
import { record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { stateOf } from '../../support/hostile-scene.ts'
import { hostileTransport } from '../../support/hostile-service.ts'
import type { Attack } from '../../support/hostile-service.ts'

/** A world whose service is hostile from when `attack` is set. */
function hostileWorld(): { readonly world: World; readonly attack: (attack: Attack) => void } {
  const world = new World()
  const hands = attackable()
  const sound = world.link.transport
  Object.assign(world.link, {
    transport: (party: Parameters<typeof sound>[0]) =>
      hostileTransport(sound(party), party.slot, hands.service),
  })
  return { world, attack: (attack) => void (hands.attack = attack) }
}

const ATTACKS: Readonly<Record<string, (length: number) => Attack>> = {
  'the log has another entry from its start': () => ({
    entries: (entries, to) => (to === 'visitor' ? entries.map((entry) => ({ ...entry, time: 1 })) : entries),
  }),
  'one entry of it is another one': (length) => ({
    entries: (entries, to) =>
      to === 'visitor'
        ? entries.map((entry) => (entry.seq === length - 1 ? { ...entry, time: 1 } : entry))
        : entries,
  }),
  'it ends before what was read': (length) => ({
    entries: (entries, to) => (to === 'visitor' ? entries.filter(({ seq }) => seq < length - 1) : entries),
    answer: (_name, result: { readonly head?: number }, to) =>
      to === 'visitor' && result.head !== undefined
        ? { ...result, head: Math.min(result.head, length - 2) }
        : result,
  }),
}

describe('a page load that finds the log tampered with', () => {
  it.each(Object.keys(ATTACKS))('ENC-572 gives a contact that is broken, to be left: %s', async (name) => {
    const { world, attack } = hostileWorld()
    const tab = memoryStore()
    const page = world.visitor({ tab })
    const visitor = await page.client.createContact({ secure: true })
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    for (const text of ['one', 'two']) await agent.sendText(text)
    await settled()
    await page.client.close()
    attack(ATTACKS[name]?.(world.contact.entries.length) ?? {})
    const { client } = world.visitor({ tab })
    const { contact, resumed } = await client.resumeContact()
    if (!contact) throw new Error('there is no contact')
    const told = record(contact, 'error')
    await settled()
    expect([resumed, stateOf(contact), told.map(([, error]) => (error as { code: string }).code)]).toEqual([
      true,
      'broken',
      expect.arrayContaining(['tampered']),
    ])
    await expect(contact.sendText('x')).rejects.toMatchObject({ name: 'ContactError' })
    expect((await client.resumeContact()).contact).toBe(contact)
    await contact.leave()
    await settled()
    expect(await client.resumeContact()).toEqual({ contact: null, resumed: false })
    expect(await world.visitor({ tab }).client.resumeContact()).toEqual({ contact: null, resumed: false })
  })

  it('ENC-595 an agent who joins over such a log gets no_crypto at once, and leaves', async () => {
    const { world, attack } = hostileWorld()
    const visitor = await world.visitor().client.createContact({ secure: true })
    const tab = memoryStore()
    const first = world.agent({}, tab)
    await (await first.client.accept(visitor.id)).join()
    await settled()
    await first.client.close()
    attack({
      entries: (entries, to) => (to === 'agent' ? entries.map((entry) => ({ ...entry, time: 1 })) : entries),
    })
    const [agent] = await world.agent({}, tab).client.contacts()
    const joining = agent && watch(agent.join())
    await settled()
    expect([joining?.result, agent && stateOf(agent)]).toEqual([{ code: 'no_crypto' }, 'broken'])
    await agent?.leave()
  })
})
