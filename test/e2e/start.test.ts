/** What `npm start` says when it cannot do what it was told. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { runBuilt, runStart } from '../support/npm-start.ts'
import type { Run } from '../support/npm-start.ts'

const folder = mkdtempSync(join(tmpdir(), 'duolog-start-'))
chmodSync(folder, 0o755)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** One clear line, and the exit code: 2 for a wrong call, 1 for what may pass. */
function saysOnce({ code, output }: Run, words: RegExp, wanted = 2): void {
  const lines = output.trim().split('\n')
  expect({ code, lines }).toEqual({ code: wanted, lines: [expect.stringMatching(words)] })
}

describe('npm start', () => {
  it('OPS-2 ends with one line and exit code 2 for an option that it does not know', async () => {
    saysOnce(await runStart(['--colour', 'red']), /--colour/)
  })

  it('OPS-2 ends with one line and exit code 2 for a port that is no number', async () => {
    saysOnce(await runBuilt(['--port', 'seven']), /port/)
  })

  it('OPS-2 ends with one line and exit code 1 for an occupied port', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const run = await runBuilt(['--port', String(port), '--data', join(folder, 'occupied')])
    await new Promise((resolve) => server.close(resolve))
    saysOnce(run, new RegExp(String(port)), 1)
  })

  it('OPS-2 ends with one line and exit code 2 for a data folder that cannot be written', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    saysOnce(await runBuilt(['--port', String(await freePort()), '--data', join(file, 'data')]), /a-file/)
    saysOnce(await runBuilt(['--port', String(await freePort()), '--data', '/proc/duolog']), /proc/)
  })
})
