/** `npm run test:large`: the service over a large store. Not among the ordinary tests: it takes minutes. */
import { build } from 'esbuild'
import { inRoot, runNode } from './run.mjs'

/** @param {string} name */
const programOf = async (name) => {
  const outfile = inRoot('.cache', 'large', `${name}.mjs`)
  await build({
    entryPoints: [inRoot('test', 'large', `${name}.ts`)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'warning',
  })
  return outfile
}

const [main, service] = [await programOf('main'), await programOf('service')]
process.exitCode = (await runNode(main, [service], { print: true })).code
