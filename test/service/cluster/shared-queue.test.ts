/** One queue at two nodes: whoever matches, all visitors hear their places and all agents their offers. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodes, startStore } from '../../support/cluster.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import type { TestService } from '../../support/service.ts'

const PATIENCE = { timeout: 15_000 }
let store: Awaited<ReturnType<typeof startStore>>
let nodes: TestService[]

beforeAll(async () => {
  store = await startStore()
  nodes = await startNodes(store.url, 2)
})
afterAll(async () => {
  for (const node of nodes) await node.close()
  await store.stop()
})

it('CLU-94 visitors at each node hear their place in the queue', async () => {
  const waiting: WaitingVisitor[] = []
  for (const node of nodes) waiting.push(await queueVisitor(node))
  const places = () =>
    waiting.map(({ client, id }) =>
      client.pushes
        .flatMap((push) =>
          push.name === 'contact.queue' && push.body.contact === id ? [push.body.position] : [],
        )
        .at(-1),
    )
  // The clocks of the nodes stand at different times here: who is first is not the point.
  const later = () => {
    for (const { clock } of nodes) clock.advance(1_000)
    return places().toSorted((one, other) => (one ?? 0) - (other ?? 0))
  }
  await expect.poll(later, PATIENCE).toEqual([1, 2])
  for (const { session } of waiting) await session.leave()
})

it('CLU-94 agents at each node are offered the contacts of the other', async () => {
  for (const [here, there] of [nodes, nodes.toReversed()]) {
    if (!here || !there) throw new Error('a node is missing')
    const visitor = await queueVisitor(here)
    const agent = await joinAgent(there, visitor.id)
    await visitor.session.leave()
    await agent.client.call('agent.presence', { state: 'paused' })
  }
})
