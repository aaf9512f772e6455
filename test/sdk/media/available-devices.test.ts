import { expect, it } from 'vitest'
import type { MediaCapabilities } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { leaveBoth } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

it('CAP-1 a device that comes or goes changes MediaAvailability at both sides, but not what the application has set', async () => {
  const world = new World()
  let changed: (availability: Readonly<Record<string, boolean>>) => void = () => {}
  let watching = 0
  const environment = {
    ...testEnvironment(world.clock),
    store: memoryStore(),
    capabilities: () =>
      Promise.resolve({ Media: {}, Mobile: false, MediaAvailability: { Voice: false, Video: false } }),
    onDevices: (tell: typeof changed) => {
      changed = tell
      watching++
      return () => void watching--
    },
  }
  const client = new VisitorClient(
    { service: 'http://localhost', transport: world.link.transport({ slot: 'visitor', id: 'visitor-1' }) },
    environment,
  )
  const visitor = await client.createContact()
  const agent = await world.agent().client.accept(visitor.id)
  await agent.join()
  const remote = async (): Promise<MediaCapabilities['MediaAvailability']> => {
    await settled()
    return (await agent.getRemoteCapabilities()).MediaAvailability
  }
  changed({ Voice: true, Video: false })
  expect(await remote()).toEqual({ Voice: true, Video: false })
  await visitor.setLocalCapability('MediaAvailability.Voice', false)
  changed({ Voice: true, Video: true })
  expect(await remote()).toEqual({ Voice: false, Video: true })
  await leaveBoth({ visitor, agent })
  expect(watching).toBe(0)
})
