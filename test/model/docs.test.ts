import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const TEXT = readFileSync(at('../../docs/negotiation.md'), 'utf8')
/** Rows of the tables that say where something is checked: the parts of the code that a row names. */
const PLACES = TEXT.split('\n').flatMap((line) => {
  const place = /^\|.*\| ([^|]*`[\w.-]+\.ts`[^|]*) \|$/.exec(line)?.[1]
  return place === undefined ? [] : [[...place.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)]
})

describe('docs/negotiation.md', () => {
  it('SND-203 says of the checker what the checker has: files and functions by their names', () => {
    expect(PLACES.length).toBeGreaterThan(15)
    for (const names of PLACES) {
      const files = names.filter((name) => name.endsWith('.ts'))
      expect(files.filter((file) => !existsSync(at(file)))).toEqual([])
      const code = files.map((file) => readFileSync(at(file), 'utf8')).join('\n')
      expect(
        names.filter(
          (name) => !name.endsWith('.ts') && !new RegExp(`\\b(function|const) ${name}\\b`).test(code),
        ),
      ).toEqual([])
    }
  })

  it('SND-203 says of `tampered` what is built: a transmission without consent (MED-23), not SEC-6 and SEC-7', () => {
    expect(TEXT.split('`tampered`').length - 1).toBe(1)
    expect(TEXT).not.toMatch(/hash over the log|the own session that this page did not write/)
  })
})
