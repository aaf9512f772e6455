import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { StartError } from '../../../service/src/start-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'duolog-'))
const file = join(folder, 'replies.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (content: unknown) => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readOptions(['--replies', file], {})?.replies
}
const reply = { shortcut: 'hello', text: 'Hello {visitor}' }

describe('--replies', () => {
  it('PRD-173 is a JSON list; without it there are none', () => {
    expect(readOptions([], {})?.replies).toEqual([])
    expect(read([reply, { shortcut: 'grüße_2-x', text: 'Grüße' }])).toEqual([
      reply,
      { shortcut: 'grüße_2-x', text: 'Grüße' },
    ])
  })

  it('PRD-173 the service does not start with a file that is not there, malformed or too large', () => {
    expect(() => readOptions(['--replies', join(folder, 'none.json')], {})).toThrow(StartError)
    const wrong: readonly unknown[] = [
      '{',
      {},
      [{ shortcut: 'a b', text: 'x' }],
      [{ shortcut: 'x'.repeat(33), text: 'x' }],
      [{ ...reply, text: '' }],
      [{ ...reply, text: 'x'.repeat(2_049) }],
      [{ ...reply, lang: 'en' }],
      [reply, { ...reply, shortcut: 'HELLO' }],
      Array.from({ length: 201 }, (_, n) => ({ shortcut: `r${n}`, text: 'x' })),
      Array.from({ length: 40 }, (_, n) => ({ shortcut: `r${n}`, text: 'x'.repeat(2_000) })),
    ]
    for (const content of wrong) expect(() => read(content)).toThrow(/^unable to read --replies; /)
  })
})
