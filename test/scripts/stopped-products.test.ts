import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { inRoot, root } from '../../scripts/run.mjs'

/** A product that never says where it is, and ends by itself after a minute. */
const NPM = `#!/bin/sh
echo $$ > "$PRODUCT_PID"
exec sleep 60`
const FILE = `
import { beforeAll, it } from 'vitest'
import { startProduct } from '${root}/test/support/npm-start.ts'
beforeAll(async () => { await startProduct() }, 1_000)
it('is not run', () => {})`

it('a product whose hook has failed is stopped with its test file', async () => {
  const folder = inRoot('.cache', `stopped-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(`${folder}/npm`, NPM)
  chmodSync(`${folder}/npm`, 0o755)
  writeFileSync(`${folder}/vitest.config.mjs`, "export default { test: { pool: 'forks' } }")
  writeFileSync(`${folder}/failing.test.ts`, FILE)
  const arguments_ = ['--root', folder, '--config', `${folder}/vitest.config.mjs`]
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const env = {
    ...Object.fromEntries(own),
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    PRODUCT_PID: `${folder}/pid`,
  }
  const run = promisify(execFile)(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...arguments_],
    {
      ...{ cwd: root, env, timeout: 50_000 },
    },
  )
  await expect(run).rejects.toMatchObject({ code: 1 })
  expect(existsSync(`${folder}/pid`)).toBe(true)
  const product = Number(readFileSync(`${folder}/pid`, 'utf8'))
  expect(() => process.kill(product, 0)).toThrow('ESRCH')
}, 60_000)
