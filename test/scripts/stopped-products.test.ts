import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { inRoot, root } from '../../scripts/run.mjs'
import { buildOnce } from '../support/build-once.ts'

// Building takes the time of the machine: the hook below finds everything built.
beforeAll(buildOnce, 300_000)

/** The hook has less time than a product needs until it says where it is. */
const FILE = `
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import { beforeAll, it } from 'vitest'
import { buildOnce } from '${root}/test/support/build-once.ts'
import { startProduct } from '${root}/test/support/npm-start.ts'
subscribe('child_process', ({ process: child }) =>
  setImmediate(() => {
    if (child.spawnargs.some((argument) => argument.endsWith('service/dist/main.js')))
      writeFileSync(process.env.PRODUCT_PID, String(child.pid))
  }))
beforeAll(buildOnce, 40_000)
beforeAll(async () => { await startProduct() }, 100)
it('is not run', () => {})`

it('a product whose hook has failed is stopped with its test file', async () => {
  const folder = inRoot('.cache', `stopped-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(`${folder}/vitest.config.mjs`, "export default { test: { pool: 'forks' } }")
  writeFileSync(`${folder}/failing.test.ts`, FILE)
  const arguments_ = ['--root', folder, '--config', `${folder}/vitest.config.mjs`]
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const env = {
    ...Object.fromEntries(own),
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
})
