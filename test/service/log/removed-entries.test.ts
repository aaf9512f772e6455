import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const channels = async (): Promise<number> =>
  Number(/^duolog_channels (\d+)/m.exec(await (await fetch(`${test.url}/metrics`)).text())?.[1])

it('SND-107 a channel of an ended contact closes, also where retention has removed its entries', async () => {
  const { visitor, agent, id } = await joinBoth(test)
  await agent.session.leave()
  await visitor.client.entry(id, 'cleared')
  await expect.poll(channels).toBe(0)
  await test.service.database.db.deleteFrom('entries').where('contact', '=', id).execute()
  await new WireSession(visitor.client, id, visitor.session.id).open()
  await expect.poll(channels).toBe(0)
})
