/** What `npm run check` runs: a table. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFolders, sourcePaths } from './folders.mjs'
import { inRoot, run, runNode, tool } from './run.mjs'

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string} [needs] name of a check that must have passed
 * @property {readonly string[]} [proves] requirements that this check proves, as a test would
 * @property {() => Promise<{ code: number, output: string }>} run
 */

const PACK = inRoot('.cache', 'pack')

/** @param {string} path @param {readonly string[]} [args] */
const npmTool = (path, args = []) => runNode(tool(path), args)

/** @param {string} name */
const script = (name) => runNode(inRoot('scripts', `${name}.mjs`))

const tarball = () => join(PACK, readdirSync(PACK)[0] ?? 'missing')

/** Largest tarball, bytes. */
const PACK_LIMIT = 600_000

/** Packs what is imported and nothing else. */
async function pack() {
  rmSync(PACK, { recursive: true, force: true })
  mkdirSync(PACK, { recursive: true })
  const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', PACK])
  if (packed.code !== 0) return packed
  const bytes = statSync(tarball()).size
  if (bytes > PACK_LIMIT)
    return { code: 1, output: `the package has ${bytes} bytes; its limit is ${PACK_LIMIT}` }
  return packed
}

/** Docs, and what the product's own sources say. */
const SPELLED = [
  '*.md',
  'docs/**/*.md',
  'test/requirements.md',
  '.changeset/*.md',
  '{protocol,machines,engines,sdk,testing,service/src,apps/*/src}/**/*.ts',
]

/** Longest first, but for what others need. @type {readonly Check[]} */
export const CHECKS = [
  { name: 'build', run: () => runNode(inRoot('scripts', 'build.mjs'), ['--package']) },
  { name: 'types', run: () => npmTool('typescript/bin/tsc') },
  { name: 'documentation', run: () => npmTool('typedoc/bin/typedoc') },
  { name: 'lint', run: () => npmTool('oxlint/bin/oxlint', ['--type-aware', ...sourcePaths]) },
  {
    name: 'layers',
    proves: ['PKG-8'],
    run: () =>
      npmTool('dependency-cruiser/bin/dependency-cruise.mjs', [
        '--config',
        '.dependency-cruiser.mjs',
        ...sourceFolders,
      ]),
  },
  { name: 'unused code', run: () => npmTool('knip/bin/knip.js', ['--no-progress']) },
  { name: 'format', run: () => npmTool('oxfmt/bin/oxfmt', ['--check', ...sourcePaths]) },
  { name: 'requirements', run: () => script('requirements') },
  { name: 'api coverage', run: () => script('api-coverage') },
  {
    name: 'spelling',
    run: () => npmTool('cspell/bin.mjs', ['--no-progress', '--quiet', '--dot', ...SPELLED]),
  },
  { name: 'change notes', run: () => script('version') },
  { name: 'lock file', run: () => script('lock-file') },
  { name: 'size', needs: 'build', proves: ['PKG-2'], run: () => npmTool('size-limit/bin.js') },
  { name: 'package', needs: 'build', run: pack },
  {
    name: 'package exports',
    needs: 'package',
    proves: ['PKG-6'],
    run: () => npmTool('publint/src/cli.js', ['run', tarball(), '--strict']),
  },
  {
    name: 'package types',
    needs: 'package',
    proves: ['PKG-6'],
    run: () => npmTool('@arethetypeswrong/cli/dist/index.js', [tarball(), '--profile', 'esm-only']),
  },
]
