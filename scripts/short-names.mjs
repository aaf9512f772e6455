/**
 * Short names of members that only the SDK's own code names: methods, callbacks and getters. Nothing of them is
 * sent, stored or read by a text. `short-names.json` is what `node scripts/find-short-names.mjs` has found.
 */
import { readFileSync } from 'node:fs'
import { inRoot } from './run.mjs'

/** Each long name to the short one. @returns {Record<string, string>} */
export const shortNames = () => JSON.parse(readFileSync(inRoot('scripts', 'short-names.json'), 'utf8'))

/**
 * For esbuild. All bundles that share a chunk have the same names.
 * @param {Record<string, string>} names
 * @returns {Pick<import('esbuild').TransformOptions, 'mangleProps' | 'mangleCache'>}
 */
export const withShortNames = (names = shortNames()) => ({
  mangleProps: new RegExp(`^(?:${Object.keys(names).join('|')})$`),
  mangleCache: names,
})
