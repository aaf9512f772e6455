import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { inRoot, root } from './run.mjs'

/**
 * Where the reporter of a run with this environment writes the test files that have begun and have not ended,
 * as a JSON array of paths.
 * @param {Readonly<Record<string, string | undefined>>} [env]
 */
export const unfinishedPath = (env = {}) => env['DUOLOG_UNFINISHED'] ?? inRoot('.cache', 'unfinished.json')

/**
 * What it wrote last; nothing where it wrote nothing.
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {string[]}
 */
export function readUnfinished(env) {
  try {
    return JSON.parse(readFileSync(unfinishedPath(env), 'utf8'))
  } catch {
    return []
  }
}

/**
 * A vitest reporter that keeps a list of the test files under way in a file. vitest's own report is written at
 * the end of a run, which a test that never ends prevents.
 */
export default class UnfinishedReporter {
  /** @type {Set<string>} */
  #files = new Set()

  onTestRunStart() {
    this.#files.clear()
    this.#write()
  }

  /** A worker has begun with the file. @param {{ moduleId: string }} module */
  onTestModuleQueued({ moduleId }) {
    this.#files.add(relative(root, moduleId))
    this.#write()
  }

  /** @param {{ moduleId: string }} module */
  onTestModuleEnd({ moduleId }) {
    this.#files.delete(relative(root, moduleId))
    this.#write()
  }

  #write() {
    const path = unfinishedPath(process.env)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify([...this.#files]))
  }
}
