/**
 * Safeguards of several nodes whose removal `npm run chaos -- --without NAME` must find: each with the text that is
 * taken out of a copy of the program, and the faults that show it. `npm run chaos -- --without each` takes out one
 * after the other. The rest is found by the model: docs/consistency.md has the table.
 */
import { readFileSync } from 'node:fs'
import { inRoot } from './run.mjs'

/**
 * @typedef {object} Safeguard
 * @property {string} file
 * @property {string} text stands there once
 * @property {string} by
 * @property {string} faults
 * @property {string} promise that breaks
 * @property {number} [afterS] what follows comes so long after the last fault
 */

/** Longer than the lease, the grace and what the checker allows besides. */
const LEFT_S = 115

/** @type {Readonly<Record<string, Safeguard>>} */
export const SAFEGUARDS = {
  sweep: {
    file: 'service/src/cluster/sweeper.ts',
    text: 'await this.#all(sweepSessions, due)',
    by: '',
    faults: 'kill with pages,kill with pages',
    promise: 'dead',
    afterS: LEFT_S,
  },
  lease: {
    file: 'service/src/cluster/node-rules.ts',
    text: 'if (touchSince === null) return []',
    by: 'if (touchSince !== undefined) return []',
    faults: 'kill with pages,kill with pages',
    promise: 'dead',
    afterS: LEFT_S,
  },
  'gaps of frames': {
    file: 'sdk/relay/session-relay.ts',
    text: 'if (frame.n > this.#received + 1) {',
    by: 'if (frame.n < 0) {',
    faults: 'bus kill,rolling,kill',
    promise: 'frame',
  },
}

/**
 * What esbuild is to do so that a safeguard is missing.
 * @param {string | undefined} name
 * @returns {import('esbuild').Plugin[]}
 */
export function without(name) {
  const found = name === undefined ? undefined : SAFEGUARDS[name]
  if (!found) return []
  const path = inRoot(...found.file.split('/'))
  return [
    {
      name: 'without',
      setup: (build) =>
        build.onLoad({ filter: /\.ts$/ }, (file) =>
          file.path === path
            ? { contents: readFileSync(path, 'utf8').replace(found.text, found.by), loader: 'ts' }
            : undefined,
        ),
    },
  ]
}
