/**
 * `npm run chaos`: a cluster on this machine, parties who talk over it, faults, and a checker that looks whether
 * the promises of docs/consistency.md hold. An hour, 3 nodes, 500 contacts; `--minutes 3 --contacts 60` is short.
 * `--seed` repeats the order of the faults, `--faults "kill,fail-over"` makes only these, `--nodes 1` has one node,
 * `--keep DIR` keeps histories and logs. Exit code 1 where something does not hold.
 */
import { bundleForNode } from './bundle.mjs'
import { ensureInstalled } from './install.mjs'
import { ensureClusterPrograms, fakeTimeLibrary } from './programs.mjs'

await ensureInstalled()
Object.assign(process.env, await ensureClusterPrograms(), fakeTimeLibrary())
const service = await bundleForNode('service/src/main.ts', 'chaos/service/dist/main', { sourcemap: true })
const party = await bundleForNode('test/chaos/party.ts', 'chaos/party', { sourcemap: true })
const main = await bundleForNode('test/chaos/main.ts', 'chaos/main', { sourcemap: true })
process.argv.splice(1, 1, main, service, party)
await import(main)
