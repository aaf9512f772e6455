/** `npm run model`: the long searches, then every safeguard taken out in turn. */
import { LONG, SHORT } from './runs.ts'
import { nameOf, problemOf, search, told } from './search.ts'
import * as agreement from './agreement/runs.ts'
import { load as loadAgreement } from './agreement/load.ts'
import { RULES } from './agreement/rules.ts'
import * as cluster from './cluster/runs.ts'
import { load } from './load.ts'
import { MUTATIONS } from './mutations.ts'
import { hunt } from './mutate.ts'
import { hunt as huntSealing } from './sealing/hunt.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const [kind = 'all', only = ''] = process.argv.slice(2)
const wanted = (name: string): boolean =>
  only === '' || name === only || new RegExp(`^(?:${only})$`).test(name)
const faults: string[] = []

if (kind === 'all' || kind === 'runs') {
  const production = await load('production', [])
  let states = 0
  for (const run of [...SHORT, ...LONG].filter(({ name }) => wanted(name))) {
    say(`… ${nameOf(run)}`)
    const found = search(production, run, {
      onProgress: (seen, left) => say(`  ${seen} states, ${left} to look at`),
    })
    states += found.states
    say(`  ${told(run, found)}`)
    const problem = problemOf(run, found)
    if (problem) faults.push(problem)
  }
  say(`${states} states in all`)
}

if (kind === 'all' || kind === 'mutations') {
  for (const mutation of MUTATIONS.filter(({ id }) => wanted(id))) {
    const { caught, text } = await hunt(mutation)
    say(`${caught ? '✓' : '✗'} ${mutation.id} ${mutation.safeguard}: ${text}`)
    if (!caught) faults.push(`nobody notices that ${mutation.id} is gone: ${mutation.safeguard}`)
  }
}

if (kind === 'all' || kind === 'agreement') {
  for (const run of [...agreement.SHORT, ...agreement.LONG]) {
    say(`… ${agreement.nameOf(run)}`)
    const found = await agreement.explored(await loadAgreement(), run)
    say(`  ${agreement.told(run, found)}`)
    const problem = agreement.problemOf(run, found)
    if (problem) faults.push(problem)
  }
  for (const rule of RULES) {
    const { id, safeguard } = rule
    const found = await agreement.foundWithout(rule)
    say(`${found ? '✓' : '✗'} ${id} ${safeguard}: ${found ?? 'nobody notices'}`)
    if (!found) faults.push(`nobody notices that ${id} is gone: ${safeguard}`)
  }
}

if (kind === 'all' || kind === 'cluster') {
  for (const run of cluster.RUNS.filter((each) => wanted(cluster.nameOf(each)))) {
    say(`… ${cluster.nameOf(run)}`)
    const found = cluster.explored(run)
    say(`  ${cluster.told(found)}`)
    if (found.problem !== null) faults.push(found.problem)
  }
}

if (kind === 'all' || kind === 'sealing') faults.push(...(await huntSealing(wanted, say)))

say(faults.length === 0 ? 'nothing found' : faults.join('\n\n'))
process.exitCode = faults.length === 0 ? 0 : 1
