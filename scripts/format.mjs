/** `npm run format`: formats the sources; `npm run format -- sdk` only these. */
import { sourcePaths } from './folders.mjs'
import { runNode, tool } from './run.mjs'

const paths = process.argv.slice(2)
const { code } = await runNode(tool('oxfmt/bin/oxfmt'), paths.length > 0 ? paths : sourcePaths, {
  print: true,
})
process.exitCode = code
