import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDERS = ['protocol', 'machines', 'engines', 'sdk', 'service/src', 'apps']
const SIZE = 65_536
/** Generous on a busy machine: what backtracks takes seconds. */
const LIMIT_MS = 100
/** Reads pages of our own only. */
const TRUSTED = new Set(['service/src/http/page-policy.ts'])

interface Found {
  readonly file: string
  readonly literal: string
}

function* filesOf(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.isDirectory() && !['node_modules', 'dist'].includes(entry.name))
      yield* filesOf(`${folder}/${entry.name}`)
    if (entry.isFile() && entry.name.endsWith('.ts')) yield `${folder}/${entry.name}`
  }
}

function literalsOf(file: string): Found[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
  const found: Found[] = []
  const look = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push({ file, literal: node.text })
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

/**
 * Texts that make a careless expression try everything: long runs of what stands in it, with an end that does
 * not fit.
 */
function hostileTo(pattern: string): string[] {
  const letters = [
    ...new Set([
      ...Array.from(pattern.replaceAll(/\\[a-zA-Z]/g, '')),
      'a',
      '0',
      ' ',
      '.',
      '-',
      '/',
      '_',
      '%',
      '\t',
    ]),
  ].filter((letter) => !'()[]{}|^$*+?\\'.includes(letter))
  const words = [...new Set(pattern.match(/[\w<>/:.-]{2,}/g) ?? [])]
  return [...letters, ...words].flatMap((part) => {
    const run = part.repeat(Math.ceil(SIZE / part.length)).slice(0, SIZE)
    return [`${run}\u0000`, `x${run}\u0000`, `${run}!${part}`]
  })
}

/** The slowest of all texts, each at its best of three. */
function slowest({ literal }: Found): number {
  const [, pattern = '', flags = ''] = /^\/([\s\S]*)\/(\w*)$/.exec(literal) ?? []
  return Math.max(
    ...hostileTo(pattern).map((text) => {
      let best = Number.POSITIVE_INFINITY
      for (let round = 0; round < 3 && best > LIMIT_MS / 10; round += 1) {
        const start = performance.now()
        text.replace(new RegExp(pattern, flags), '')
        best = Math.min(best, performance.now() - start)
      }
      return best
    }),
  )
}

it('SRV-6 no regular expression takes long on the worst 64 KB', { timeout: 60_000 }, () => {
  const found = FOLDERS.flatMap((folder) => [...filesOf(folder)]).flatMap(literalsOf)
  expect(found.length).toBeGreaterThan(50)
  expect(found.filter((each) => !TRUSTED.has(each.file) && slowest(each) > LIMIT_MS)).toEqual([])
})
