import { expect, it } from 'vitest'
import { World } from '../../support/world.ts'

it.each(['unauthorized', 'protocol', 'forbidden'] as const)(
  'SND-302 SND-104 an agent whom the service refuses is told by the event error, once: %s',
  async (code) => {
    const world = new World()
    const page = world.agent()
    const errors: string[] = []
    page.client.on('error', (error) => void errors.push(error.code))
    await page.client.ready()
    world.link.refuse('agent', code)
    world.link.cut('agent')
    await world.clock.advance(5_000)
    expect(errors).toEqual([code])
  },
)
