/** `npm run firefox`: chat, files and calls between Debian's Firefox and Chromium, over the real service. */
import { ensureInstalled } from './install.mjs'
import { ensureFirefox, ensurePrograms } from './programs.mjs'
import { inRoot, runNode, tool } from './run.mjs'

await ensureInstalled()
const env = { ...(await ensurePrograms()), ...(await ensureFirefox()) }
const { code } = await runNode(
  tool('vitest/vitest.mjs'),
  ['run', '--config', inRoot('test', 'firefox', 'vitest.config.ts'), ...process.argv.slice(2)],
  { print: true, env },
)
process.exitCode = code
