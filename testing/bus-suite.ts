import { BusBench } from './bus-bench.ts'
import type { BusFactory } from './bus-bench.ts'
import { BUS_FAULT_LAWS } from './bus-fault-conformance.ts'
import type { BusLaw } from './bus-law.ts'
import { BUS_MESSAGE_LAWS } from './bus-message-conformance.ts'
import { BUS_RELAY_LAWS } from './bus-relay-conformance.ts'
import type { TestRunner } from './engine-suite.ts'

/** The laws of {@link describeBus}. */
export const BUS_LAWS: readonly BusLaw[] = [...BUS_MESSAGE_LAWS, ...BUS_RELAY_LAWS, ...BUS_FAULT_LAWS]

/**
 * Defines one test for each law that the bus between the nodes of a service must keep.
 *
 * @param name Stands before the laws in the report.
 * @param factory Gives nodes without a connection for each law, and power over the ways to them.
 * @param runner The test runner.
 */
export function describeBus(name: string, factory: BusFactory, { describe, it }: TestRunner): void {
  describe(`${name} is a bus`, () => {
    for (const law of BUS_LAWS) it(`${law.id}: ${law.claim}`, () => tryBusLaw(law, factory))
  })
}

/** Tries one law on new nodes. Rejects where it does not hold. */
export async function tryBusLaw({ run }: BusLaw, factory: BusFactory): Promise<void> {
  const bench = new BusBench(await factory())
  try {
    await run(bench)
  } finally {
    await bench.end()
  }
}
