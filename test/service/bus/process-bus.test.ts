/** The driver in the process: the bus of a single node, and of nodes that a test puts into one process. */
import { describe, it } from 'vitest'
import { NodeBus } from '../../../service/src/bus/node-bus.ts'
import { ProcessExchange } from '../../../service/src/bus/process-carrier.ts'
import { systemClock } from '../../../service/src/clock/clock.ts'
import type { BusesUnderTest } from '../../../testing/bus-bench.ts'
import { describeBus } from '../../../testing/bus-suite.ts'
import { BreakableCarrier, MessageFates } from '../../support/breakable-carrier.ts'

function processBuses(): BusesUnderTest {
  const [exchange, fates] = [new ProcessExchange(systemClock()), new MessageFates()]
  const carriers = new Map<string, BreakableCarrier[]>()
  const cut = (node: string, on: boolean): void => carriers.get(node)?.forEach((each) => each.cut(on))
  return {
    open: (node, handlers, { key, now }) => {
      const pair = [0, 1].map(() => new BreakableCarrier(exchange.carrier(), node, fates))
      carriers.set(node, pair)
      const [hints, frames] = pair as [BreakableCarrier, BreakableCarrier]
      return NodeBus.open({
        ...{ node, key, now, handlers, hints, frames },
        deployment: 'test',
        onFault: () => {},
      })
    },
    decide: (rule) => void (fates.decide = rule),
    release: () => fates.release(),
    cut: (node) => cut(node, true),
    mend: (node) => cut(node, false),
    connections: () => [...carriers.values()].flat().filter((each) => each.isUp).length,
    stop: () => {},
  }
}

describeBus('CLU-1 the driver in the process', processBuses, { describe, it })
