/** Services on one store whose bus a test can cut, and whose messages it decides upon. */
import type { OpenBus } from '../../service/src/bus/service-bus.ts'
import { NodeBus } from '../../service/src/bus/node-bus.ts'
import { ProcessExchange } from '../../service/src/bus/process-carrier.ts'
import { systemClock } from '../../service/src/clock/clock.ts'
import { BreakableCarrier, MessageFates } from './breakable-carrier.ts'
import { startTestService } from './service.ts'
import type { TestService } from './service.ts'

const ADMIN = 'admin-token-of-two-nodes'

export interface HintNodes {
  readonly a: TestService
  readonly b: TestService
  /** Decides upon each message to a node. */
  readonly fates: MessageFates
  readonly idOf: (node: TestService) => string
  /** Takes all nodes' connections to the bus away, or gives them back. */
  readonly cut: (on: boolean) => void
  /** A number of a node's metrics; 0 where there is none of this name and label. */
  readonly metric: (node: TestService, name: string) => Promise<number>
  /** Erases a visitor at a node. Gives the status. */
  readonly erase: (node: TestService, visitor: string) => Promise<number>
  /** Voids the tokens of a visitor at a node. Gives the status. */
  readonly revoke: (node: TestService, visitor: string) => Promise<number>
  readonly close: () => Promise<void>
}

/** Two nodes. `driver`: another bus than the one in the process, which no test can cut. */
export async function startHintNodes(databaseUrl: string, driver?: OpenBus): Promise<HintNodes> {
  const [fates, exchange, carriers] = [
    new MessageFates(),
    new ProcessExchange(systemClock()),
    [] as BreakableCarrier[],
  ]
  const openBus: OpenBus = (parts) => {
    const own = [0, 1].map(() => new BreakableCarrier(exchange.carrier(), parts.node, fates))
    carriers.push(...own)
    const [hints, frames] = own as [BreakableCarrier, BreakableCarrier]
    return NodeBus.open({ ...parts, deployment: 'test', hints, frames })
  }
  const start = () => startTestService({ databaseUrl, adminToken: ADMIN }, { openBus: driver ?? openBus })
  const [a, b] = [await start(), await start()]
  const headers = { authorization: `Bearer ${ADMIN}` }
  return {
    ...{ a, b, fates },
    idOf: ({ service }) => service.node.id,
    cut: (on) => {
      for (const carrier of carriers) carrier.cut(on)
    },
    metric: async ({ url }, name) => {
      const lines = (await (await fetch(`${url}/metrics`, { headers })).text()).split('\n')
      return Number(
        lines
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')
          .at(-1) ?? 0,
      )
    },
    erase: async ({ url }, visitor) =>
      (await fetch(`${url}/v1/admin/visitors/${visitor}`, { method: 'DELETE', headers })).status,
    revoke: async ({ url }, visitor) => {
      const body = JSON.stringify({ use: 'visitor', id: visitor })
      const typed = { ...headers, 'content-type': 'application/json' }
      return (await fetch(`${url}/v1/admin/revocations`, { method: 'POST', headers: typed, body })).status
    },
    close: async () => {
      await a.close()
      await b.close()
    },
  }
}
