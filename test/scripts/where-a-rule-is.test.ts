/** The questions of docs/architecture.md, each with the one file that answers it. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['protocol', 'machines', 'engines', 'sdk', 'service/src']
const PAGE = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')
const ROWS = [...PAGE.matchAll(/^\| (.+\?) \| \[(.+?)\]\(\.\.\/(.+?)\) \| `(\w+)` \|$/gm)].map(
  ([, question = '', text = '', file = '', symbol = '']) => ({ question, text, file, symbol }),
)

/** Names that a file declares at its top level. */
function declaredIn(path: string): readonly string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true).statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText())
    return (ts.isFunctionDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isClassDeclaration(statement)) &&
      statement.name
      ? [statement.name.text]
      : []
  })
}

const files = SOURCES.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`),
)

describe('the questions of docs/architecture.md', () => {
  it('PKG-8 are nine', () => {
    expect(ROWS.map(({ question }) => question)).toEqual([
      'What decides glare?',
      'When is `localtext` emitted?',
      'How does a call come back after a page load?',
      'Where is the path of a capability checked?',
      'Does a visitor who leaves `abandon` or `cancel`?',
      'How does an upload resume?',
      'How is an engine added?',
      'How is a log entry added?',
      'How is an event added?',
    ])
  })

  it.each(ROWS)(
    'PKG-8 $question $file declares $symbol, and no other file does',
    ({ text, file, symbol }) => {
      expect(text).toBe(file)
      const mentions = files.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes(symbol))
      expect(mentions.filter((path) => declaredIn(path).includes(symbol))).toEqual([file])
    },
  )
})
