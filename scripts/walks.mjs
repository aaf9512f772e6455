/**
 * `npm run walks`: what a new user does, from empty folders with the packed tarballs and the registry.
 * `npm run walks deployment`: only this one.
 */
import { ensureInstalled, fail } from './install.mjs'
import { ensurePrograms, ensureWalkPrograms } from './programs.mjs'
import { inRoot, run, runNode, tool } from './run.mjs'

await ensureInstalled()
const env = { ...(await ensurePrograms()), ...(await ensureWalkPrograms()) }
const built = await run('npm', ['run', '--silent', 'build:package'], { print: true })
const packed = built.code === 0 ? await runNode(inRoot('scripts', 'pack.mjs'), [], { print: true }) : built
if (packed.code !== 0) fail('unable to pack what the walks install')
const { code } = await runNode(
  tool('vitest/vitest.mjs'),
  ['run', '--config', inRoot('test', 'walks', 'vitest.config.ts'), ...process.argv.slice(2)],
  { print: true, env },
)
process.exitCode = code
