import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Program } from '../deployment/program.ts'
import { supervise } from '../deployment/supervisor.ts'
import type { OwnEnd } from '../deployment/supervisor.ts'

let folder = ''
const ends: OwnEnd[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'))
  ends.length = 0
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const spawn = (code: string): Program =>
  new Program({ command: process.execPath, args: ['-e', code], log: join(folder, 'node.log') })

/** A node with this program, and when it is started again. */
function supervised(code: string) {
  const node = { name: 'node-1', program: spawn(code) }
  const again = new Promise<void>((settle) =>
    supervise(node, { told: (end) => void ends.push(end), again: async () => settle() }),
  )
  return { node, again }
}

it('CLU-161 a node that ends by itself is told of with its code and what it said last, and is started again', async () => {
  const { again } = supervised("console.log('{}'); setTimeout(() => { throw new RangeError('too far') })")
  await again
  expect(ends).toEqual([
    { node: 'node-1', at: expect.any(Number) as number, code: 1, last: 'RangeError: too far' },
  ])
})

it('CLU-161 one that a signal ends which nobody of the run has sent is told of, too', async () => {
  const { again } = supervised("console.log('about to go'); process.kill(process.pid, 'SIGKILL')")
  await again
  expect(ends).toMatchObject([{ code: 'SIGKILL', last: 'about to go' }])
})

it('CLU-161 one that the run has ended is left to it', async () => {
  const { node } = supervised('setInterval(() => {}, 1_000)')
  await node.program.end('SIGKILL')
  const { again } = supervised('process.exit(3)')
  await again
  expect(ends).toMatchObject([{ code: 3 }])
})
