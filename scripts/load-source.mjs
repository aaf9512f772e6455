/** Loads a source file of the tree in a script, by bundling it. */
import { rm } from 'node:fs/promises'
import { build } from 'esbuild'
import { inRoot } from './run.mjs'

const FOLDER = inRoot('.cache', 'sources')

/** @param {string} file @returns {Promise<Record<string, unknown>>} */
export async function loadSource(file) {
  const outfile = `${FOLDER}/${file.replaceAll('/', '-')}.mjs`
  await build({
    entryPoints: [inRoot(file)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    tsconfigRaw: {},
  })
  return import(outfile)
}

/** Takes away what {@link loadSource} has written. */
export const forgetSources = () => rm(FOLDER, { recursive: true, force: true })
