/**
 * Sets the git hooks after the packages were installed by `npm start` or `npm test`: not in CI, not outside a
 * clone, and never a reason for the installation to fail.
 */
import { existsSync } from 'node:fs'
import { inRoot, runNode, tool } from './run.mjs'

const hooks = tool('simple-git-hooks/cli.js')
if (!process.env['CI'] && existsSync(inRoot('.git')) && existsSync(hooks)) {
  const { code, output } = await runNode(hooks)
  if (code !== 0) console.warn(`The git hooks were not installed; ${output.trim()}`)
}
