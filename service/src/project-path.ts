import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The folder of pages that the service serves: of the package beside its program, else of the project. The
 * project's is the same from this source file and from the bundle in `service/dist`.
 */
export function servedFolder(name: string, inProject: string): string {
  const packed = beside(`./pages/${name}`)
  return existsSync(packed) ? packed : beside(`../../${inProject}`)
}
