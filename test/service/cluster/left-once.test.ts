/** A session is `left` once, also where its page has not heard of it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Entry } from '../../../protocol/index.ts'
import { beat, startStore } from '../../support/cluster.ts'
import { startHintNodes } from '../../support/hint-nodes.ts'
import type { HintNodes } from '../../support/hint-nodes.ts'
import { joinAgent, queueVisitor, timerSet } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

/** More than the 60 s of the grace, of 2 s each. */
const GRACE_BEATS = 32
let store: Awaited<ReturnType<typeof startStore>>
let nodes: HintNodes

beforeAll(async () => {
  store = await startStore()
  nodes = await startHintNodes(store.url)
})
afterAll(async () => {
  await nodes.close()
  await store.stop()
})

const leftsOf = ({ client }: Party, contact: string): readonly (string | undefined)[] =>
  client.entries(contact).flatMap((entry: Entry) => (entry.type === 'left' ? [entry.body.reason] : []))

/** A visitor at a node without the bus has timed out for the agent at the other one. */
async function timedOut() {
  await beat([nodes.a, nodes.b], 8)
  const visitor = await queueVisitor(nodes.a)
  const agent = await joinAgent(nodes.b, visitor.id)
  await visitor.client.entry(visitor.id, 'joined')
  nodes.cut(true)
  visitor.client.close()
  await timerSet(nodes.b, visitor.id, 'absence')
  await beat([nodes.a, nodes.b], GRACE_BEATS)
  await agent.client.entry(visitor.id, 'left')
  const page = await WireClient.connect(nodes.a.url, visitor.client.token)
  return { agent, page, id: visitor.id, session: new WireSession(page, visitor.id, visitor.session.id) }
}

it('CLU-160 a page that leaves after its session has timed out ends its part, and no second `left` is written', async () => {
  const { agent, page, id, session } = await timedOut()
  await session.leave()
  nodes.cut(false)
  await agent.session.leave()
  await agent.client.entry(id, 'cleared')
  expect(leftsOf(agent, id)).toEqual(['timeout', 'user'])
  page.close()
})

it('CLU-160 a session that has timed out and announced itself anew leaves as any other', async () => {
  const { agent, page, id, session } = await timedOut()
  await session.open()
  session.counter = 1
  await session.present()
  await session.leave()
  nodes.cut(false)
  await agent.session.leave()
  await agent.client.entry(id, 'cleared')
  expect(leftsOf(agent, id)).toEqual(['timeout', 'vvcu', 'user'])
  page.close()
})
