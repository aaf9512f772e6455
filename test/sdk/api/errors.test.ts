import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ContactError, ERROR_CODES, toContactError } from '../../../protocol/index.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDERS = ['protocol', 'machines', 'engines', 'sdk', 'testing', 'service/src']
const files = FOLDERS.flatMap((folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
).filter((file) => file.endsWith('.ts'))

/**
 * The text of a message as it stands in the sources, `…` for what is filled in; null where it comes from
 * elsewhere.
 */
function textOf(node: ts.Expression | undefined): string | null {
  if (!node) return ''
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => `…${literal.text}`)].join('')
  return ts.isBinaryExpression(node) ? textOf(node.right) : null
}

/** Messages of errors in a source file that do not say `unable to <operation>; <reason>`. */
function illWorded(file: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'ContactError') {
      const text = textOf(node.arguments?.[1])
      if (text !== null && !/^(unable to [^;]+|…); ./.test(text)) found.push(`${file}: ${text}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(`${root}/${file}`, 'utf8'), ts.ScriptTarget.ESNext, true))
  return found
}

describe('errors', () => {
  it('ERR-2 each message says what could not be done, and why or what to do', () => {
    expect(files.length).toBeGreaterThan(150)
    expect(files.flatMap(illWorded)).toEqual([])
  })

  it('ERR-2 the page says of each code what happened, what to do, and whether the same call may succeed later', () => {
    const page = readFileSync(`${root}/docs/errors.md`, 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \| (yes|no) \| (.+?) \|$/gm)].map(
      ([, code = '', happened = '', todo = '', retryable = '']) => ({
        code,
        happened,
        todo,
        retryable,
      }),
    )
    expect(
      rows.filter(({ code }) => (ERROR_CODES as readonly string[]).includes(code)).map(({ code }) => code),
    ).toEqual([...ERROR_CODES])
    for (const { code, happened, todo, retryable } of rows) {
      expect([
        code,
        new ContactError(code as 'left', 'unable to test; it is a test').retryable ? 'yes' : 'no',
      ]).toEqual([code, retryable])
      expect([code, happened.length > 10, todo.length > 5]).toEqual([code, true, true])
    }
  })

  it('ERR-2 has the cause where there is one, and only there; an error that is one already stays as it is', () => {
    const cause = new DOMException('no', 'NotAllowedError')
    const error = new ContactError('media_denied', 'unable to start the camera; it was denied', { cause })
    expect([
      error.cause,
      error.name,
      error instanceof Error,
      'cause' in new ContactError('left', 'unable to test; it is over'),
    ]).toEqual([cause, 'ContactError', true, false])
    expect(toContactError(error, 'internal', 'unable to test; unexpected')).toBe(error)
    expect(toContactError(cause, 'internal', 'unable to test; unexpected')).toMatchObject({
      code: 'internal',
      retryable: false,
      cause,
    })
  })
})
