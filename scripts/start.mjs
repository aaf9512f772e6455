/**
 * `npm start`: installs what is missing, builds what has changed, and runs the contact service in this process, with
 * this command's arguments.
 */
import { isBuilt } from './fresh-build.mjs'
import { ensureInstalled, fail } from './install.mjs'
import { inRoot } from './run.mjs'

await ensureInstalled()
if (!isBuilt()) {
  const { buildForStart } = await import('./build.mjs')
  await buildForStart().catch((/** @type {Error} */ error) => fail(`unable to build; ${error.message}`))
}
process.setSourceMapsEnabled(true)
await import(inRoot('service', 'dist', 'main.js'))
