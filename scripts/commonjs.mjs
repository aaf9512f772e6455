/**
 * CommonJS packages as ES modules. esbuild has helpers for the former, and keeps them in the file that every other
 * one imports: a page would load them before it loads a package that needs them.
 */
import { readFile } from 'node:fs/promises'
import { reachedPart } from './unused-parts.mjs'

const REQUIRE = /\brequire\((['"])(?!crypto\1)([^'"]+)\1\)/g
const IS_MODULE = /^(?:import|export)\b/m
const IS_COMMON = /\b(?:module\.exports|exports\.\w+ =)/

/**
 * What a file requires is imported before it runs. `crypto` is Node's, of which browsers never ask.
 * @param {string} code
 */
export function asModule(code) {
  if (IS_MODULE.test(code) || !IS_COMMON.test(code)) return code
  /** @type {Map<string, string>} */
  const imports = new Map()
  const body = code.replaceAll(REQUIRE, (_all, _quote, name) => {
    const local = imports.get(name) ?? `required${imports.size}`
    imports.set(name, local)
    return local
  })
  const head = [...imports].map(([name, local]) => `import ${local} from '${name}';`).join('')
  return `${head}const module={exports:{}};let exports=module.exports,require;${body}\nexport default module.exports`
}

/** @type {import('esbuild').Plugin} */
export const commonJs = {
  name: 'CommonJS as modules',
  setup: (bundler) =>
    bundler.onLoad({ filter: /[\\/]node_modules[\\/].*\.c?js$/ }, async ({ path }) => ({
      contents: asModule(reachedPart(path, await readFile(path, 'utf8'))),
    })),
}
