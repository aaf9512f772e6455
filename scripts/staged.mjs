/** The pre-commit hook: the quick part of the checks on the staged files. `npm run check` does the rest. */
import { sourceFolders } from './folders.mjs'
import { fail } from './install.mjs'
import { run, runNode, tool } from './run.mjs'

const { output } = await run('git', ['diff', '--cached', '--name-only', '--diff-filter=ACMR', '-z'])
const files = output
  .split('\0')
  .filter((file) => /\.(ts|mjs)$/.test(file) && sourceFolders.some((folder) => file.startsWith(`${folder}/`)))

if (files.length > 0) {
  const format = await runNode(tool('oxfmt/bin/oxfmt'), ['--list-different', ...files])
  if (format.code !== 0)
    fail(`Commit refused: these files are not formatted (npm run format):\n${format.output.trim()}`)
  const lint = await runNode(tool('oxlint/bin/oxlint'), ['--quiet', ...files])
  if (lint.code !== 0) fail(`Commit refused: oxlint has found errors:\n${lint.output.trim()}`)
}
