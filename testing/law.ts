import type { Bench } from './suite-bench.ts'

/** What a law needs of the probes. */
export type EngineNeed = 'devices' | 'connections' | 'muting' | 'exchange'

/** One law of the conformance kit. */
export interface EngineLaw {
  readonly id: string
  /** What holds, as one sentence. */
  readonly claim: string
  readonly needs: readonly EngineNeed[]
  /** Throws where it does not hold. The two engines are attached, and were not used before. */
  readonly run: (bench: Bench) => Promise<void>
}

/** Makes a law. */
export const law = (
  id: string,
  claim: string,
  needs: readonly EngineNeed[],
  run: (bench: Bench) => Promise<void>,
): EngineLaw => ({ id, claim, needs, run })
