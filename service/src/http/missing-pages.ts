import { readdirSync } from 'node:fs'
import type { PageFolders } from './pages.ts'

/** One line that names the folders of which nothing could be served; null where all have files. */
export function missingPages({ sdk, visitor, agent }: PageFolders): string | null {
  const missing = Object.entries({ sdk, visitor, agent })
    .filter(([, folder]) => isEmpty(folder))
    .map(([name, folder]) => `${folder} (--${name}-dir)`)
  if (missing.length === 0) return null
  return `there are no files in ${missing.join(', ')}: build the project, or install the package anew`
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return true
  }
}
