import { expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record } from '../../support/contacts.ts'

it('RES-3 the event connection says online once everything missed has been replayed, also where the contact could not be opened at first', async () => {
  const { visitor, agent, link, clock } = await joined()
  const told = record(visitor, 'connection', 'text')
  let faults = true
  link.faults = {
    onMessage: ({ slot }, name) => {
      if (slot === 'visitor' && name === 'contact.open' && faults)
        throw new ContactError('internal', 'a fault')
      return 'pass'
    },
  }
  link.cut('visitor')
  await agent.sendText('missed')
  await clock.advance(10_000)
  faults = false
  await clock.advance(10_000)
  await settled()
  const shown = told.map(([name, event]) => ('state' in event ? event.state : name))
  expect(shown).toEqual(['offline', 'connecting', 'text', 'online'])
})
