/**
 * `npm run model`: explores the production machines and fold further than the tests do, then takes every
 * safeguard out of a copy in turn.
 * `npm run model runs`, `npm run model mutations F3`: only these; the second argument is a name or a pattern.
 * `npm run model agreement`: only the agreement on keys.
 * `npm run model cluster`: only the rules of several nodes, with more faults than the tests try.
 * `npm run model sealing`: only the rules of the encryption, each taken out in turn under its tests.
 */
import { bundleForNode } from './bundle.mjs'
import { root, runNode } from './run.mjs'

const outfile = await bundleForNode('test/model/main.ts', 'model/main')
const { code } = await runNode(outfile, process.argv.slice(2), {
  print: true,
  env: { DUOLOG_ROOT: root, NODE_OPTIONS: '--max-old-space-size=6000' },
})
process.exitCode = code
