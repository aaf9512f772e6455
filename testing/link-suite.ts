import type { TestRunner } from './engine-suite.ts'
import { LinkBench } from './link-bench.ts'
import type { LinkFactory, LinkNeed } from './link-bench.ts'
import { LINK_LAWS } from './link-conformance.ts'

/** What the kit takes beside the link. */
export interface LinkSuiteOptions extends TestRunner {
  /** What the factory gives beside the transport: laws that need more are left out. */
  readonly has?: readonly LinkNeed[]
}

/**
 * Defines one test for each law that a way to the service must keep.
 *
 * @param name Stands before the laws in the report.
 * @param factory Makes, for each law, a service that is there, and a visitor's way to it.
 * @param options The runner, and what there is beside the transport.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 * describeLink('my transport', () => ({ transport: myTransport('https://contact.example.org') }), { describe, it })
 * ```
 */
export function describeLink(
  name: string,
  factory: LinkFactory,
  { describe, it, has = [] }: LinkSuiteOptions,
): void {
  describe(`${name} is a link`, () => {
    for (const { id, claim, needs, run } of LINK_LAWS) {
      if (!needs.every((need) => has.includes(need))) continue
      it(`${id}: ${claim}`, async () => {
        const bench = new LinkBench(await factory())
        try {
          await run(bench)
        } finally {
          await bench.end()
        }
      })
    }
  })
}
