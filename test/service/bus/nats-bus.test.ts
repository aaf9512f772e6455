/** The driver over a real NATS server, each node behind a proxy that a test can break. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openNatsBus } from '../../../service/src/bus/open-bus.ts'
import type { BusesUnderTest } from '../../../testing/bus-bench.ts'
import { describeBus } from '../../../testing/bus-suite.ts'
import { MessageFates } from '../../support/breakable-carrier.ts'
import { breakableProxy } from '../../support/breakable-proxy.ts'
import type { BreakableProxy } from '../../support/breakable-proxy.ts'
import { natsFilter } from '../../support/nats-filter.ts'
import { NatsServer } from '../../support/nats-server.ts'

let server: NatsServer
let deployments = 0

beforeAll(async () => {
  server = await NatsServer.start()
})

afterAll(() => server.stop())

function natsBuses(): BusesUnderTest {
  const [fates, proxies] = [new MessageFates(), new Map<string, BreakableProxy>()]
  const deployment = `test${(deployments += 1)}`
  return {
    open: async (node, handlers, { key, now }) => {
      const proxy = await breakableProxy(`nats://127.0.0.1:${server.port}`, () => natsFilter(node, fates))
      proxies.set(node, proxy)
      const where = { servers: [new URL(proxy.url).host], tls: false, user: null, password: null }
      return openNatsBus({ node, key, now, handlers, onFault: () => {} }, { ...where, deployment })
    },
    decide: (rule) => void (fates.decide = rule),
    release: () => fates.release(),
    cut: (node) => proxies.get(node)?.refuse(true),
    mend: (node) => proxies.get(node)?.refuse(false),
    connections: () => [...proxies.values()].reduce((sum, proxy) => sum + proxy.connections(), 0),
    stop: async () => {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
    },
  }
}

describeBus('CLU-1 the driver over NATS', natsBuses, { describe, it })
