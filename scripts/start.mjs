/**
 * `npm start`: installs what is missing, builds, and runs the contact service in this process, with this
 * command's arguments.
 */
import { ensureInstalled, fail } from './install.mjs'
import { inRoot } from './run.mjs'

await ensureInstalled()
const { buildForStart } = await import('./build.mjs')
await buildForStart().catch((/** @type {Error} */ error) => fail(`unable to build; ${error.message}`))
process.setSourceMapsEnabled(true)
await import(inRoot('service', 'dist', 'main.js'))
