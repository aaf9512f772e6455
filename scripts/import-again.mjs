/**
 * Imports that can be tried again. A browser keeps that a module could not be loaded, and never asks for that
 * address again as long as the page is there (HTML Standard, module map): after a failure the address gets a
 * number, `?1`, then `?11`. Modules that the failed one imports in turn keep theirs.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** As long as `import`: source maps stay right. */
const NAME = 'lazily'
const FUNCTION = `function ${NAME}(path){return import(path+(${NAME}[path]??"")).catch(error=>{${NAME}[path]=(${NAME}[path]??"?")+1;throw error})}`

/** What esbuild wrote, with each of its imports in a way that can be tried again. @param {string} code */
export function importsAgain(code) {
  const changed = code.replaceAll(/\bimport(?=\("\.{1,2}\/)/g, NAME)
  if (changed === code) return code
  return changed.replace(/\n?(?=\/\/# sourceMappingURL=|$)/, `\n${FUNCTION}\n`)
}

/** Changes the scripts below a folder. @param {string} folder */
export async function importAgain(folder) {
  const files = await readdir(folder, { recursive: true })
  for (const file of files) {
    if (!file.endsWith('.js')) continue
    const path = join(folder, file)
    const code = await readFile(path, 'utf8')
    const changed = importsAgain(code)
    if (changed !== code) await writeFile(path, changed)
  }
}
