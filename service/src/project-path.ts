import { fileURLToPath } from 'node:url'

/** A path of the project. The same from this source file and from the bundle in `service/dist`. */
export const projectPath = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
