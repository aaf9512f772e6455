/**
 * `npm run cluster -- --nodes 3`: PostgreSQL, NATS, three nodes of the service and a load balancer on this machine,
 * until Ctrl-C. `--port` is the balancer's, `--data` a folder that is kept.
 */
import { ensureInstalled, fail } from './install.mjs'
import { inRoot } from './run.mjs'

await ensureInstalled()
const { ensureClusterPrograms } = await import('./programs.mjs')
Object.assign(process.env, await ensureClusterPrograms())
const { buildForStart } = await import('./build.mjs')
await buildForStart().catch((/** @type {Error} */ error) => fail(`unable to build; ${error.message}`))
const { bundleForNode } = await import('./bundle.mjs')
const main = await bundleForNode('test/deployment/main.ts', 'deployment/main')
process.argv.splice(1, 1, main, inRoot('service', 'dist', 'main.js'))
await import(main)
