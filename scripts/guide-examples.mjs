/**
 * The code of `docs/guides/` stands in `examples/`, where the checks compile and run it: a block that begins with
 * ```` ```ts examples/guides/files.ts ```` has that file in it.
 *
 *   npm run guides   writes the blocks anew; a test compares them with the files
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { inRoot, isMain } from './run.mjs'

const BLOCK = /^```(\w+) (examples\/\S+)\n[\s\S]*?^```$/gm

/** The pages, by their paths. @returns {Map<string, string>} */
export function guidePages() {
  const names = readdirSync(inRoot('docs', 'guides')).filter((name) => name.endsWith('.md'))
  return new Map(names.map((name) => [name, readFileSync(inRoot('docs', 'guides', name), 'utf8')]))
}

/** A page with the files of its blocks as they are now. @param {string} page */
export const withExamples = (page) =>
  page.replaceAll(
    BLOCK,
    (_block, language, path) =>
      `\`\`\`${language} ${path}\n${readFileSync(inRoot(path), 'utf8').trimEnd()}\n\`\`\``,
  )

/** The files that a page shows. @param {string} page */
export const examplesOf = (page) => [...page.matchAll(BLOCK)].map(([, , path = '']) => path)

if (isMain(import.meta.url))
  for (const [name, page] of guidePages()) writeFileSync(inRoot('docs', 'guides', name), withExamples(page))
