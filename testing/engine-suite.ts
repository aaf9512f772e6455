import type { EngineLaw, EngineNeed } from './law.ts'
import { CANCEL_LAWS } from './cancel-conformance.ts'
import { DEVICE_LAWS } from './devices-conformance.ts'
import { SIGNALS_LAWS } from './signals-conformance.ts'
import { STOP_LAWS } from './stop-conformance.ts'
import { TRANSIT_LAWS } from './transit-conformance.ts'
import { makeBench } from './suite-bench.ts'
import type { EngineFactory } from './suite-bench.ts'

/** The laws of {@link describeMediaEngine}. */
export const ENGINE_LAWS: readonly EngineLaw[] = [
  ...TRANSIT_LAWS,
  ...DEVICE_LAWS,
  ...CANCEL_LAWS,
  ...STOP_LAWS,
  ...SIGNALS_LAWS,
]

/** The part of a test runner that the kit needs. */
export interface TestRunner {
  /** Groups tests. */
  readonly describe: (name: string, define: () => void) => unknown
  /** Defines a test, which fails when it rejects. */
  readonly it: (name: string, run: () => Promise<void>) => unknown
}

/** What the kit takes beside the engines. */
export interface EngineSuiteOptions extends TestRunner {
  /** The probes that the factory gives: laws that need others are left out. */
  readonly has?: readonly EngineNeed[]
}

/**
 * Defines one test for each law that a media engine must keep.
 *
 * @param name Stands before the laws in the report.
 * @param factory Makes one new engine, not attached yet, and its probes.
 * @param options The runner, and which probes there are.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 * describeMediaEngine('MyEngine', () => ({ engine: new MyEngine() }), { describe, it })
 * ```
 */
export function describeMediaEngine(
  name: string,
  factory: EngineFactory,
  { describe, it, has = [] }: EngineSuiteOptions,
): void {
  describe(`${name} is a media engine`, () => {
    for (const { id, claim, needs, run } of ENGINE_LAWS) {
      if (!needs.every((need) => has.includes(need))) continue
      it(`${id}: ${claim}`, async () => {
        const bench = await makeBench(factory)
        try {
          await run(bench)
        } finally {
          await Promise.allSettled(bench.sides.map((side) => side.engine.stop()))
        }
      })
    }
  })
}
