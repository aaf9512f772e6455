/** What a node that stands still, or is cut off from the store, costs the pages that it has. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { breakableProxy } from '../../support/breakable-proxy.ts'
import type { BreakableProxy } from '../../support/breakable-proxy.ts'
import { beat, processBus, startNodes, startStore } from '../../support/cluster.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const POSTGRES_PORT = 5432
let store: Awaited<ReturnType<typeof startStore>>
let nodes: readonly TestService[] = []
let way: BreakableProxy | null = null

beforeAll(async () => {
  store = await startStore()
})
afterEach(async () => {
  way?.refuse(false)
  for (const node of nodes) await node.close()
  await way?.close()
  nodes = []
  way = null
})
afterAll(() => store.stop())

/** A node whose way to the store can be cut, and another one. */
async function startCuttable() {
  const folder = new URL(store.url).searchParams.get('host')
  way = await breakableProxy(`${folder}/.s.PGSQL.${POSTGRES_PORT}`)
  const url = new URL(store.url)
  url.searchParams.delete('host')
  url.port = new URL(way.url).port
  url.hostname = '127.0.0.1'
  const world = { openBus: processBus() }
  const a = await startTestService({ databaseUrl: url.href }, world)
  const b = await startTestService({ databaseUrl: store.url }, world)
  nodes = [a, b]
  return { a, b, way }
}

it('CLU-54 who was at a node that died has left after its lease and their grace, and not before', async () => {
  const [a, b] = (nodes = await startNodes(store.url, 2)) as [TestService, TestService]
  const visitor = await queueVisitor(a)
  const agent = await joinAgent(b, visitor.id)
  await beat([a, b], 8)
  const begun = b.clock.now()
  const hasLeft = () => agent.client.entries(visitor.id).some(({ type }) => type === 'left')
  for (let sinceMs = 0; sinceMs < 74_000; sinceMs += 2_000) {
    await beat([b], 1)
    expect([hasLeft(), b.clock.now() - begun]).toEqual([false, sinceMs + 2_000])
  }
  await beat([b], 6)
  await agent.client.entry(visitor.id, 'left')
  expect(b.clock.now() - begun).toBeLessThanOrEqual(86_000)
})

it('CLU-53 a node that is cut off from the store, while another one beats, gives its pages up after 20 s and comes back under another identity', async () => {
  const { a, b, way: line } = await startCuttable()
  const { client } = await queueVisitor(a)
  await beat([a, b], 8)
  const [former, beaten] = [a.service.node.id, a.clock.now()]
  let endedAt = Number.POSITIVE_INFINITY
  client.socket.once('disconnect', () => (endedAt = a.clock.now()))
  line.refuse(true)
  await expect
    .poll(
      async () => {
        await beat([b], 1)
        a.clock.advance(1_000)
        return endedAt
      },
      { interval: 5, timeout: 20_000 },
    )
    .toBeLessThan(Number.POSITIVE_INFINITY)
  expect(endedAt - beaten).toBeGreaterThanOrEqual(20_000)
  await expect.poll(() => a.service.node.isPresent).toBe(false)
  await expect(WireClient.connect(a.url, client.token)).rejects.toMatchObject({ code: 'offline' })
  line.refuse(false)
  await expect
    .poll(
      () => {
        a.clock.advance(1_000)
        return a.service.node.isPresent
      },
      { interval: 20, timeout: 10_000 },
    )
    .toBe(true)
  expect(a.service.node.id).not.toBe(former)
  const again = await WireClient.connect(a.url, client.token)
  again.close()
})
