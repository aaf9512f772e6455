/**
 * Turns the notes of `.changeset/` into versions and changelogs. The command of changesets does not see a
 * package that is the root of its workspace, as the SDK is here; the parts it is made of do.
 *
 *   node scripts/version.mjs           what the notes would release
 *   node scripts/version.mjs --apply   writes versions and changelogs, and removes the notes
 */
import { readFileSync } from 'node:fs'
import applyReleasePlan from '@changesets/apply-release-plan'
import assembleReleasePlan from '@changesets/assemble-release-plan'
import { read as readConfig } from '@changesets/config'
import readChangesets from '@changesets/read'
import { fail } from './install.mjs'
import { inRoot, root } from './run.mjs'

/** @param {string} folder */
const packageAt = (folder) => ({
  dir: inRoot(folder),
  packageJson: JSON.parse(readFileSync(inRoot(folder, 'package.json'), 'utf8')),
})

const sdk = packageAt('.')
const packages = { tool: /** @type {const} */ ('yarn'), root: sdk, packages: [sdk, packageAt('service')] }

try {
  const config = await readConfig(root, packages)
  const plan = assembleReleasePlan(await readChangesets(root), packages, config, undefined)
  if (process.argv.includes('--apply')) await applyReleasePlan(plan, packages, config)
  for (const { name, oldVersion, newVersion } of plan.releases)
    console.log(`${name} ${oldVersion} → ${newVersion}`)
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
