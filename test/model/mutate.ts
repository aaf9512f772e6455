/** Takes a safeguard out of a copy of the production code and lets the checker look for what goes wrong. */
import { load } from './load.ts'
import type { Mutation } from './mutations.ts'
import { LONG, SHORT } from './runs.ts'
import type { Run } from './runs.ts'
import { search } from './search.ts'
import { NoStart } from './starts.ts'

export interface Hunted {
  readonly caught: boolean
  readonly text: string
  readonly drawn: string
}

/** The search that the table names, then all others of CI: a change elsewhere may move the fault. */
export async function hunt(mutation: Mutation): Promise<Hunted> {
  const production = await load(`mutation-${mutation.id}`, mutation.change)
  const named = [...SHORT, ...LONG].filter(({ name }) => name === mutation.run)
  for (const run of [...named, ...SHORT.filter((one) => !named.includes(one))]) {
    const found = tried(run, () => search(production, run))
    if (found) return found
  }
  return { caught: false, text: 'nobody notices', drawn: '' }
}

function tried(run: Run, find: () => ReturnType<typeof search>): Hunted | null {
  try {
    const { fault, path, states, drawn } = find()
    return fault
      ? { caught: true, text: `${fault} (${run.name}, ${path.length} steps, ${states} states)`, drawn }
      : null
  } catch (thrown) {
    if (!(thrown instanceof NoStart)) throw thrown
    return {
      caught: true,
      text: `on the way to the start of ${run.name}: ${thrown.message.slice(0, 120)}`,
      drawn: '',
    }
  }
}
