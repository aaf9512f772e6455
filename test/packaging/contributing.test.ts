/** The diffs of CONTRIBUTING.md, applied to a copy of the tree. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What the added files import, and what compiles them. */
const COPIED = ['protocol', 'machines', 'engines', 'sdk', 'package.json', 'tsconfig.json']
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
const DIFFS = [...PAGE.matchAll(/^```diff\n([\s\S]*?)^```$/gm)].map(([, diff = '']) => diff)
const ADDED = [...DIFFS.join('').matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path = '']) => path)
const TESTS = ADDED.filter((path) => path.endsWith('.test.ts'))

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'duolog-contributing-'))
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const tool = (path: string, ...args: readonly string[]): Promise<unknown> =>
  run(process.execPath, [join('node_modules', path), ...args], { cwd: copy }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${stdout}\n${stderr}`)
    },
  )

describe('adding a log entry and an event as CONTRIBUTING.md shows it', () => {
  it('PKG-8 touches one file under protocol/entries/ and its list, a handler, a test, and the list of events', () => {
    expect(ADDED).toEqual([
      'protocol/entries/list.ts',
      'protocol/entries/wave.ts',
      'sdk/log/wave.ts',
      'test/sdk/log/wave.test.ts',
      'protocol/contact-events.ts',
    ])
  })

  it('PKG-8 applies to the tree, compiles, and its test passes', async () => {
    writeFileSync(join(copy, 'contributing.diff'), DIFFS.join(''))
    await run('git', ['apply', 'contributing.diff'], { cwd: copy })
    const options = { incremental: false, paths: {} }
    const config = { extends: './tsconfig.json', compilerOptions: options, include: [], files: ADDED }
    writeFileSync(join(copy, 'tsconfig.added.json'), JSON.stringify(config))
    await tool('typescript/bin/tsc', '-p', 'tsconfig.added.json')
    await tool('vitest/vitest.mjs', 'run', ...TESTS)
  }, 180_000)
})
