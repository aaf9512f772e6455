/** `npm run format`: formats the sources; `npm run format -- sdk` only these; with `--check` it only looks. */
import { sourcePaths } from './folders.mjs'
import { runNode, tool } from './run.mjs'

const args = process.argv.slice(2)
const paths = args.filter((arg) => !arg.startsWith('--'))
const { code } = await runNode(tool('oxfmt/bin/oxfmt'), paths.length > 0 ? args : [...args, ...sourcePaths], {
  print: true,
})
process.exitCode = code
