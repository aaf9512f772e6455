/**
 * The documentation site, from `docs/`.
 *
 *   npm run docs              builds it in `dist/docs`: any web server can serve that folder
 *   npm run docs -- preview   serves what was built
 *   npm run docs -- dev       serves the pages as they are edited
 */
import { existsSync } from 'node:fs'
import { inRoot, runNode, tool } from './run.mjs'

const [command = 'build'] = process.argv.slice(2)
const steps = [
  ...(command === 'build' || !existsSync(inRoot('docs', 'reference'))
    ? [['typedoc/bin/typedoc', '--options', 'typedoc.docs.json']]
    : []),
  ['vitepress/bin/vitepress.js', command, 'docs'],
]
for (const [path = '', ...args] of steps) {
  const { code } = await runNode(tool(path), args, { print: true })
  if (code !== 0) process.exit(code)
}
