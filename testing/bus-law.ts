import type { BusBench } from './bus-bench.ts'

/** One law of `describeBus`. */
export interface BusLaw {
  readonly id: string
  /** What holds, as one sentence. */
  readonly claim: string
  /** Throws where it does not hold. */
  readonly run: (bench: BusBench) => Promise<void>
}

/** Makes a law. */
export const law = (id: string, claim: string, run: BusLaw['run']): BusLaw => ({ id, claim, run })

/** The code of a failed request, `answered` where it did not fail. */
export async function codeOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked
    return 'answered'
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
  }
}

/** The whole numbers from 1. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
