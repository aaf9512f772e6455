/** How long a visitor in the queue will probably wait. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const WINDOW_MS = 600_000

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** A contact is taken by an agent who takes no more. */
async function take(): Promise<void> {
  const { client } = await joinAgent(test, (await queueVisitor(test)).id)
  await client.call('agent.presence', { state: 'paused' })
}

/** What a visitor who comes now is told of the queue; they leave again. */
async function told(): Promise<unknown> {
  const { client, session } = await queueVisitor(test)
  const { position, expectedWaitMs } = await client.push('contact.queue')
  await session.leave()
  return { position, expectedWaitMs }
}

it('PRD-273 is the place, times the pace at which contacts were taken in the last ten minutes', async () => {
  expect(await told()).toEqual({ position: 1, expectedWaitMs: undefined })
  await take()
  expect(await told()).toEqual({ position: 1, expectedWaitMs: WINDOW_MS })
  test.clock.advance(WINDOW_MS / 2)
  await take()
  await take()
  expect(await told()).toEqual({ position: 1, expectedWaitMs: WINDOW_MS / 3 })
  const before = await queueVisitor(test)
  await before.client.push('contact.queue')
  test.clock.advance(1)
  expect(await told()).toEqual({ position: 2, expectedWaitMs: (2 * WINDOW_MS) / 3 })
  await before.session.leave()
  test.clock.advance(WINDOW_MS / 2)
  expect(await told()).toEqual({ position: 1, expectedWaitMs: WINDOW_MS / 2 })
  test.clock.advance(WINDOW_MS)
  expect(await told()).toEqual({ position: 1, expectedWaitMs: undefined })
})
