import type { ServiceBench } from './service-bench.ts'

/** One law of {@link describeService}. */
export interface ServiceLaw {
  readonly id: string
  /** What holds, as one sentence. */
  readonly claim: string
  /** It can be tried only where time can be moved. */
  readonly needsTime: boolean
  /** Throws where it does not hold. */
  readonly run: (bench: ServiceBench) => Promise<void>
}
