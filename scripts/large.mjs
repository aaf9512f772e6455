/** `npm run test:large`: the service over a large store. Not among the ordinary tests: it takes minutes. */
import { bundleForNode } from './bundle.mjs'
import { runNode } from './run.mjs'

/** @param {string} name */
const programOf = (name) => bundleForNode(`test/large/${name}.ts`, `large/${name}`)

const [main, service] = [await programOf('main'), await programOf('service')]
process.exitCode = (await runNode(main, [service], { print: true })).code
