import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS, agentMessages, connectedSessions } from '../../../protocol/index.ts'
import { ServiceBench, WireSession } from '../../../testing/service-bench.ts'
import { socketTransport } from '../../../sdk/link/socket-transport.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

it('SND-309 SND-310 pages are told which sessions are connected: in the reply, when one comes, and when one goes', async () => {
  const transport = async (token: string) =>
    socketTransport({ service: test.url, token, messages: agentMessages })
  const { token } = await signInVisitor(test.url)
  const bench = new ServiceBench({
    visitor: () => transport(token),
    agent: async (nick) => transport((await signInAgent(test.url, nick)).token),
  })
  const { visitor, agent, contact } = await bench.joined()
  const counts = (body: { readonly connected: { readonly visitor: readonly string[] } }): number =>
    body.connected.visitor.length
  const second = new WireSession(await bench.visitor(), contact)
  const { connected } = await second.open()
  expect(connected).toEqual({ visitor: [visitor.session.id, second.id], agent: [agent.session.id] })
  await agent.party.push('contact.connected', (body) => counts(body) === 2)
  await second.present(second.id)
  expect((await second.party.call('contact.read', { contact })).record.channels).toEqual({
    total: 3,
    vvcu: 2,
    user: 1,
  })
  visitor.party.close()
  expect(
    (await second.party.push('contact.connected', (body) => counts(body) === 1)).connected.visitor,
  ).toEqual([second.id])
  second.party.close()
  await agent.party.push('contact.connected', (body) => counts(body) === 0)
  await bench.stop()
})

it('SND-309 of many sessions as many are told as the limit allows, the holder always among them', () => {
  const open = Array.from({ length: 100 }, (_, index) => ({ slot: 'visitor' as const, session: `s${index}` }))
  const { visitor } = connectedSessions(open, { session: { visitor: 's99', agent: null } })
  expect([visitor.length, visitor[0]]).toEqual([LIMITS.connectedSessions, 's99'])
})
