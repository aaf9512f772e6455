import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { joined, record, textsOf } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { hostileTo } from '../../support/lying-service.ts'

describe('an entry in the name of a page that the page did not write', () => {
  it('SEC-6 is told in a contact that is not secure, once, and the contact goes on', async () => {
    const world = new World()
    let isHostile = false
    hostileTo(world, 'visitor', {
      entries: (entries) =>
        entries.map((entry) => (isHostile && entry['type'] === 'text' ? { ...entry, id: 'made-up' } : entry)),
    })
    const { visitor, agent } = await joined({}, undefined, world)
    const [told, texts] = [record(visitor, 'error'), textsOf(agent)]
    isHostile = true
    visitor.sendText('one').catch(() => {})
    await settled()
    expect(told).toEqual([['error', expect.objectContaining({ code: 'tampered' })]])
    isHostile = false
    await visitor.sendText('two')
    await settled()
    expect([told.length, texts]).toEqual([1, ['one', 'two']])
  })
})
