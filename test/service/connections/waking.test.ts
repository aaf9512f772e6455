import { afterAll, beforeAll, expect, it } from 'vitest'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { pageEnvironment } from '../../../sdk/client/environment.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { breakableProxy } from '../../support/breakable-proxy.ts'
import type { BreakableProxy } from '../../support/breakable-proxy.ts'
import { joinAgent } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
let proxy: BreakableProxy

beforeAll(async () => {
  test = await startTestService()
  proxy = await breakableProxy(test.url)
})
afterAll(async () => {
  await proxy.close()
  await test.close()
})

it('RES-3 a page that wakes up with a dead connection has what it missed before it says that it is online', async () => {
  let wake = (): void => {}
  const onWake = (run: () => void): (() => void) => {
    wake = run
    return () => {}
  }
  const client = new VisitorClient(
    { service: proxy.url },
    { ...pageEnvironment({ storage: memoryStore() }), onWake },
  )
  const contact = await client.createContact({ nick: 'Vera' })
  const seen: string[] = []
  contact.on('text', ({ text }) => seen.push(text))
  contact.on('connection', ({ state }) => seen.push(state))
  const agent = await joinAgent(test, contact.id)
  await agent.session.text('before')
  while (!seen.includes('before')) await new Promise((settle) => setImmediate(settle))
  wake()
  await contact.sendText('awake')
  expect(seen).toEqual(['before'])
  proxy.stall()
  await agent.session.text('missed')
  wake()
  const start = performance.now()
  while (!seen.includes('online')) await new Promise((settle) => setImmediate(settle))
  expect(performance.now() - start).toBeLessThan(6_000)
  while (!seen.includes('missed')) await new Promise((settle) => setImmediate(settle))
  expect(seen.filter((each) => each !== 'connecting')).toEqual(['before', 'offline', 'missed', 'online'])
  await contact.leave()
  await client.close()
})
