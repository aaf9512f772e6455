/** Bundles of sources for Node. */
import { build } from 'esbuild'
import { inRoot } from './run.mjs'

/**
 * Bundles a source file for Node without the packages that it imports. Returns the bundle's path.
 * @param {string} file from the repository's folder
 * @param {string} name path of the bundle below `.cache`, without its extension
 * @param {import('esbuild').BuildOptions} [options]
 * @returns {Promise<string>}
 */
export async function bundleForNode(file, name, options = {}) {
  const outfile = inRoot('.cache', `${name}.mjs`)
  await build({
    entryPoints: [inRoot(file)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'warning',
    ...options,
  })
  return outfile
}
