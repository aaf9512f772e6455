/**
 * `npm run chaos`: a cluster on this machine, parties who talk over it, faults, and a checker that looks whether
 * the promises of docs/consistency.md hold. An hour, 3 nodes, 500 contacts; `--short` takes three minutes at most.
 * `--minutes`, `--nodes`, `--contacts`, `--every` (ms between two acts of a page), `--seed` (repeats the order of the
 * faults), `--faults "kill,fail-over"` (only these), `--keep DIR` (keeps histories and logs), `--postgres DIR`
 * (programs of another PostgreSQL, such as Debian's). Exit code 1 where something does not hold.
 * `--without NAME` takes a safeguard out and must end with 1, `--without each` does so with all of safeguards.mjs.
 */
import { rmSync } from 'node:fs'
import { bundleForNode } from './bundle.mjs'
import { ensureInstalled, fail } from './install.mjs'
import { ensureClusterPrograms, fakeTimeLibrary, installFaultPrograms } from './programs.mjs'
import { inRoot, runNode } from './run.mjs'
import { SAFEGUARDS, without } from './safeguards.mjs'

await ensureInstalled()
const args = process.argv.slice(2)
const at = args.indexOf('--without')
const [, name] = at < 0 ? [] : args.splice(at, 2)
if (name === 'each') await takeOutEach()
else await start(name)

/** @param {string | undefined} safeguard that is missing */
async function start(safeguard) {
  const missing = safeguard === undefined ? undefined : SAFEGUARDS[safeguard]
  if (safeguard !== undefined && !missing)
    fail(`there is no safeguard "${safeguard}"; there are ${Object.keys(SAFEGUARDS).join(', ')}, and each`)
  Object.assign(process.env, await ensureClusterPrograms())
  await installFaultPrograms()
  Object.assign(process.env, fakeTimeLibrary())
  const options = { sourcemap: true, plugins: without(safeguard) }
  // Nodes are started from it during the run: another run does not change it.
  const folder = `chaos/run-${process.pid}`
  const service = await bundleForNode('service/src/main.ts', `${folder}/service/dist/main`, options)
  const party = await bundleForNode('test/chaos/party.ts', `${folder}/party`, options)
  const main = await bundleForNode('test/chaos/main.ts', `${folder}/main`, { sourcemap: true })
  process.on('exit', () => rmSync(inRoot('.cache', folder), { recursive: true, force: true }))
  const shown = missing
    ? ['--short', '--faults', missing.faults, '--settle', String(missing.afterS ?? 20)]
    : []
  process.argv.splice(1, Infinity, main, service, party, ...shown, ...args)
  await import(main)
}

async function takeOutEach() {
  const [, program = ''] = process.argv
  let unseen = 0
  for (const [safeguard, { promise }] of Object.entries(SAFEGUARDS)) {
    const { code, output } = await runNode(program, ['--without', safeguard, ...args])
    const isFound = code === 1 && output.includes(`Z ${promise} after`)
    console.log(`${safeguard}: ${isFound ? `found by the promise ${promise}` : `NOT FOUND\n${output}`}`)
    unseen += isFound ? 0 : 1
  }
  process.exitCode = unseen === 0 ? 0 : 1
}
