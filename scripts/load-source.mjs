/** Loads a source file of the tree in a script, by bundling it. */
import { rm } from 'node:fs/promises'
import { bundleForNode } from './bundle.mjs'
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
  const name = `sources/${valibot ? 'valibot-' : ''}${file.replaceAll('/', '-')}`
  const outfile = await bundleForNode(file, name, {
    logLevel: 'silent',
    tsconfigRaw: {},
    plugins: valibot ? [withValibot] : [],
  })
  return import(outfile)
}

/** Takes away what {@link loadSource} has written. */
export const forgetSources = () => rm(FOLDER, { recursive: true, force: true })
