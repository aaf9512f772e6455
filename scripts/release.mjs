/**
 * Publishes the two packages as they were packed and checked.
 *
 *   npm run release                what would be published: a dry run
 *   npm run release -- --publish   publishes with provenance (https://docs.npmjs.com/generating-provenance-statements):
 *                                  in a job of GitHub or GitLab that may ask for an OpenID Connect token
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from './install.mjs'
import { inRoot, isMain, run } from './run.mjs'

const FOLDER = inRoot('.cache', 'release')
/** What `scripts/pack.mjs` has made. */
const TARBALLS = {
  duolog: inRoot('.cache', 'pack', 'package.tgz'),
  'duolog-service': inRoot('.cache', 'pack', 'service', 'service.tgz'),
}

/** @typedef {Readonly<Record<string, string | undefined>>} Environment */

/**
 * Address of the repository that the job builds: a registry compares it with that in the token of the job.
 * @param {Environment} env
 */
const repositoryOf = ({ GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL }) =>
  GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL

/** Whether the job can get a token that says which build this is. @param {Environment} env */
const hasIdentity = (env) => Boolean(env['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? env['SIGSTORE_ID_TOKEN'])

/**
 * What is published of a package, and how; a text says why it cannot be.
 * @param {{ readonly name: string, readonly version: string }} manifest
 * @param {{ readonly isPublished: boolean, readonly env: Environment }} how `isPublished`: not a dry run
 */
export function releaseOf(manifest, { isPublished, env }) {
  const repository = repositoryOf(env)
  if (isPublished && manifest.version === '0.0.0')
    return `${manifest.name} has no version; run npm run release:version before`
  if (isPublished && (!repository || !hasIdentity(env)))
    return 'provenance needs a job of GitHub or GitLab that may ask for an OpenID Connect token'
  return {
    manifest: repository
      ? { ...manifest, repository: { type: 'git', url: `git+${repository}.git` } }
      : manifest,
    args: ['publish', '--access', 'public', '--ignore-scripts', isPublished ? '--provenance' : '--dry-run'],
  }
}

/**
 * Unpacks a tarball, and publishes it.
 * @param {string} name
 * @param {string} tarball
 * @param {boolean} isPublished
 */
async function release(name, tarball, isPublished) {
  const folder = join(FOLDER, name)
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '-C', folder, '--strip-components=1'])
  const path = join(folder, 'package.json')
  const found = releaseOf(JSON.parse(readFileSync(path, 'utf8')), { isPublished, env: process.env })
  if (typeof found === 'string') return fail(found)
  writeFileSync(path, `${JSON.stringify(found.manifest, null, 2)}\n`)
  const { code } = await run('npm', [...found.args, folder], { print: true })
  if (code !== 0) fail(`unable to publish ${name}`)
}

async function main() {
  const isPublished = process.argv.includes('--publish')
  const { code } = await run('npm', ['run', '--silent', 'check'], { print: true })
  if (code !== 0) fail('the checks do not pass')
  rmSync(FOLDER, { recursive: true, force: true })
  for (const [name, tarball] of Object.entries(TARBALLS)) await release(name, tarball, isPublished)
}

if (isMain(import.meta.url)) await main()
