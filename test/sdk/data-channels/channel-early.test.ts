import { expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A file of its own: nothing else may have loaded the code of channels before. */
it('CHAN-1 PKG-3 a channel is asked for while its code is still to be loaded: whoever comes meanwhile is there', async () => {
  const world = new World()
  const visitor = await world.visitor().client.createContact()
  const agent = await world.agent().client.accept(visitor.id)
  const channel = watch(visitor.getDataChannel('pointer', 'sio'))
  await agent.join()
  await settled()
  await import('../../../sdk/data-channels/channels.ts')
  await settled()
  expect(channel.result).toMatchObject({ value: { id: 'pointer' } })
})
