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

/** Makes a law that can be tried on every service. */
export const law = (id: string, claim: string, run: ServiceLaw['run']): ServiceLaw => ({
  id,
  claim,
  needsTime: false,
  run,
})

/** Makes a law that can be tried only where time can be moved. */
export const timed = (id: string, claim: string, run: ServiceLaw['run']): ServiceLaw => ({
  id,
  claim,
  needsTime: true,
  run,
})
