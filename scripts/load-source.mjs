/** Loads a source file of the tree in a script, by bundling it. */
import { rm } from 'node:fs/promises'
import { build } from 'esbuild'
import { inRoot } from './run.mjs'

const FOLDER = inRoot('.cache', 'sources')

/**
 * Has valibot itself in the place of the checks that are written as valibot's are.
 * @type {import('esbuild').Plugin}
 */
const withValibot = {
  name: 'valibot',
  setup: (bundler) =>
    bundler.onResolve({ filter: /\/checks\.ts$/ }, () => ({ path: 'valibot', external: true })),
}

/**
 * @param {string} file
 * @param {{ valibot?: boolean }} [how] `valibot`: its schemas are valibot's own
 * @returns {Promise<Record<string, unknown>>}
 */
export async function loadSource(file, { valibot = false } = {}) {
  const outfile = `${FOLDER}/${valibot ? 'valibot-' : ''}${file.replaceAll('/', '-')}.mjs`
  await build({
    entryPoints: [inRoot(file)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    tsconfigRaw: {},
    plugins: valibot ? [withValibot] : [],
  })
  return import(outfile)
}

/** Takes away what {@link loadSource} has written. */
export const forgetSources = () => rm(FOLDER, { recursive: true, force: true })
