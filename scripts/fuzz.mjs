/**
 * `npm run fuzz`: 100,000 made-up ciphertexts and as many made-up entries of secure contacts; CI makes a share of
 * them. `npm run fuzz 1000`: so many. Errors of Duolog may come of them, and nothing else.
 */
import { runNode, tool } from './run.mjs'

const [count = '100000'] = process.argv.slice(2)
const { code } = await runNode(
  tool('vitest/vitest.mjs'),
  ['run', '--project', 'unit', 'test/sdk/crypto/fuzz.test.ts', '-t', 'ENC-270|ENC-275'],
  { print: true, env: { DUOLOG_FUZZ: count } },
)
process.exitCode = code
