import { expect, it } from 'vitest'
import type { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { settled } from '../../../testing/index.ts'
import { World } from '../../support/world.ts'

/** What an agent's page is told of offers, and when it is online. */
function told(desk: AgentImpl): string[] {
  const all: string[] = []
  desk.on('distribution', ({ id }) => void all.push(`offered ${id}`))
  desk.on('withdrawn', ({ id, reason }) => void all.push(`${reason} ${id}`))
  desk.on('connection', ({ state }) => void (state === 'online' && all.push('online')))
  return all
}

const waiting = (world: World): Promise<{ readonly id: string; leave(): Promise<unknown> }> =>
  world.visitor().client.createContact()

async function backAfter(world: World, meanwhile: () => Promise<unknown>): Promise<void> {
  world.link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
  world.link.cut('agent')
  await settled()
  await meanwhile()
  await settled()
  world.link.faults = {}
  await world.clock.advance(5_000)
  await settled()
}

it('SND-310 an offer that went while there was no connection is withdrawn before the agent is online', async () => {
  const world = new World()
  const [gone, stays] = [await waiting(world), await waiting(world)]
  const desk = world.agent().client
  const all = told(desk)
  await desk.ready()
  await settled()
  all.length = 0
  await backAfter(world, () => gone.leave())
  expect(all).toEqual([`offered ${stays.id}`, `expired ${gone.id}`, 'online'])
  all.length = 0
  await backAfter(world, () => stays.leave())
  expect(all).toEqual([`expired ${stays.id}`, 'online'])
  await desk.close()
})

it('SND-310 an offer that the agent has answered is not withdrawn later', async () => {
  const world = new World()
  const [taken, refused] = [await waiting(world), await waiting(world)]
  const desk = world.agent().client
  await desk.ready()
  await settled()
  await desk.accept(taken.id)
  await desk.decline(refused.id)
  await desk.pause()
  const all = told(desk)
  await backAfter(world, () => Promise.resolve())
  expect(all).toEqual(['online'])
  await desk.close()
})
