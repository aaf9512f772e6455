/**
 * Runs before `npm pack` and `npm publish` in a folder of the service, and fails where files of the package are
 * missing. The folder of the sources never has them: `scripts/pack.mjs` puts the package together.
 */
import { existsSync } from 'node:fs'
import { fail } from './install.mjs'
import { NEEDED } from './service-package.mjs'

const missing = NEEDED.filter((path) => !existsSync(path))
if (missing.length > 0)
  fail(`unable to pack the service; it lacks ${missing.join(', ')}: run node scripts/pack.mjs of the project`)
