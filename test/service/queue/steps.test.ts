import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService, testOptions } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import type { WireClient } from '../../support/wire-client.ts'

const ARGS = [
  '--strategy',
  'skills',
  '--offer-delay',
  '10',
  '--step',
  '20:2',
  '--step',
  '40:any-tags',
  '--step',
  '40:all',
  '--offer-time',
  '300',
]
let test: TestService

beforeAll(async () => {
  test = await startTestService(({ data }) => testOptions(data, {}, ARGS))
})
afterAll(() => test.close())

async function readyAgent(...tags: string[]): Promise<WireClient> {
  const agent = await test.agent()
  await agent.call('agent.presence', { state: 'ready', capacity: 100, tags })
  return agent
}

describe('a strategy with a delay and steps', () => {
  it('SRV-10 asks nobody before the delay, then one who fits, then two, then everybody', async () => {
    const fitting = [await readyAgent('sales'), await readyAgent('sales'), await readyAgent('sales')]
    const everybody = [...fitting, await readyAgent('tax')]
    const { id, client, session } = await queueVisitor(test, { tags: ['sales'] })
    await client.push('contact.queue')
    const asked = () =>
      everybody.filter((agent) =>
        agent.pushes.some((push) => push.name === 'agent.distribution' && push.body.id === id),
      )
    const became = async (count: number): Promise<void> => {
      while (asked().length < count) await new Promise((settle) => setImmediate(settle))
    }
    test.clock.advance(9_999)
    await client.call('contact.read', { contact: id })
    expect(asked()).toEqual([])
    test.clock.advance(1)
    await became(1)
    test.clock.advance(9_999)
    await client.call('contact.read', { contact: id })
    expect(asked()).toHaveLength(1)
    test.clock.advance(1)
    await became(2)
    expect(asked().every((agent) => fitting.includes(agent))).toBe(true)
    test.clock.advance(20_000)
    await became(4)
    expect(await everybody[3]?.push('agent.distribution', (offer) => offer.id === id)).toMatchObject({
      expiresInMs: 300_000,
    })
    await session.leave()
  })
})
