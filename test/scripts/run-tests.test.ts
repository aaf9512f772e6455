import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { inRoot, root } from '../../scripts/run.mjs'
import { runTests } from '../../scripts/run-tests.mjs'
import { readUnfinished } from '../../scripts/unfinished-reporter.mjs'

/** It blocks its process and ends by itself only where nothing stops it. */
const ENDLESS = `
import { writeFileSync } from 'node:fs'
import { it } from 'vitest'
writeFileSync(new URL('pid', import.meta.url), String(process.pid))
it('never ends', () => { const end = Date.now() + 60_000; while (Date.now() < end); })`
const PASSING = `
import { writeFileSync } from 'node:fs'
import { it } from 'vitest'
it('passes', () => writeFileSync(new URL('passed', import.meta.url), ''))`

it('SND-303 a test in an endless loop is stopped with its run, and its file is named', async () => {
  const folder = inRoot('.cache', `endless-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const limit = new AbortController()
  onTestFinished(() => {
    limit.abort()
    rmSync(folder, { recursive: true, force: true })
  })
  const write = (name: string, text: string): void => writeFileSync(`${folder}/${name}`, text)
  write('vitest.config.mjs', "export default { test: { pool: 'forks', maxWorkers: 2 } }")
  write('endless.test.ts', ENDLESS)
  write('passing.test.ts', PASSING)

  const env = { DUOLOG_UNFINISHED: `${folder}/unfinished.json` }
  const running = runTests(['--root', folder, '--config', `${folder}/vitest.config.mjs`], {
    signal: limit.signal,
    report: `${folder}/report.json`,
    env,
  })
  const endless = relative(root, `${folder}/endless.test.ts`)
  const ended = vi.fn()
  void running.then(ended)
  const isAlone = (): void => {
    expect(existsSync(`${folder}/passed`)).toBe(true)
    expect(existsSync(`${folder}/pid`)).toBe(true)
    expect(readUnfinished(env)).toEqual([endless])
  }
  await vi.waitFor(isAlone, { timeout: 40_000, interval: 50 })
  expect(ended).not.toHaveBeenCalled()

  limit.abort()
  const { code, report, unfinished } = await running
  const worker = Number(readFileSync(`${folder}/pid`, 'utf8'))
  await vi.waitFor(() => expect(() => process.kill(worker, 0)).toThrow('ESRCH'), { timeout: 10_000 })
  expect({ code: code === 0, report, unfinished }).toEqual({
    code: false,
    report: null,
    unfinished: [endless],
  })
})
