/**
 * `npm run bench`: measures what `bench/` guards, side by side in one run, and fails where a figure is
 * missed.
 * `npm run bench data-channel`: only this one.
 */
import { readdirSync } from 'node:fs'
import { bundleForNode } from './bundle.mjs'
import { fail } from './install.mjs'
import { ensureClusterPrograms, ensurePrograms } from './programs.mjs'
import { inRoot, root, runNode } from './run.mjs'

const all = readdirSync(inRoot('bench')).flatMap((file) =>
  file.endsWith('.bench.ts') ? [file.replace('.bench.ts', '')] : [],
)
const names = process.argv.slice(2)
const unknown = names.find((name) => !all.includes(name))
if (unknown) fail(`there is no bench "${unknown}"; there are ${all.join(', ')}`)
const programs = { ...(await ensurePrograms()), ...(await ensureClusterPrograms()) }
let failed = 0
for (const name of names.length > 0 ? names : all) {
  const outfile = await bundleForNode(`bench/${name}.bench.ts`, `bench/${name}`)
  const { code } = await runNode(outfile, [], { print: true, env: { DUOLOG_ROOT: root, ...programs } })
  failed += code === 0 ? 0 : 1
}
process.exitCode = failed === 0 ? 0 : 1
