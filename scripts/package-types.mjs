/** Removes the types of the package that no entry of it leads to: an application cannot import them. */
import { existsSync } from 'node:fs'
import { readFile, readdir, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { inRoot } from './run.mjs'

const IMPORTED = /(?:from|import\()\s*['"](\.[^'"]+)['"]/g

/**
 * Files of types that are named by an entry of `exports`, directly or beside its module.
 * @param {unknown} exported
 * @returns {string[]}
 */
export function typesOf(exported) {
  if (typeof exported !== 'string') return Object.values(Object(exported)).flatMap((each) => typesOf(each))
  const path = exported.replace(/(?:\.d\.ts|\.js)$/, '.d.ts')
  return path.endsWith('.d.ts') && existsSync(inRoot(path)) ? [inRoot(path)] : []
}

/** @param {string} path @param {Set<string>} found */
async function reach(path, found) {
  if (found.has(path)) return
  found.add(path)
  for (const [, next = ''] of (await readFile(path, 'utf8')).matchAll(IMPORTED))
    await reach(resolve(dirname(path), next.replace(/\.[jt]s$/, '.d.ts')), found)
}

/** @param {readonly string[]} folders of `dist` */
export async function removeUnreachedTypes(folders) {
  const { exports } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'))
  /** @type {Set<string>} */
  const found = new Set()
  for (const path of typesOf(exports)) await reach(path, found)
  for (const folder of folders)
    for (const file of await readdir(inRoot('dist', folder), { recursive: true })) {
      const path = inRoot('dist', folder, file)
      if (file.endsWith('.d.ts') && !found.has(path)) await rm(path)
    }
}
