import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { temporaryData } from '../../support/temporary-data.ts'

const files = temporaryData()
const secretFile = join(files.folder, 'secrets')
writeFileSync(secretFile, randomBytes(32).toString('base64'))
afterAll(() => files.remove())

it.each([
  [
    ['--webhook', 'http://hooks.example.org/', '--webhook-secret-file', secretFile],
    '--webhook must be an https URL',
  ],
  [
    ['--webhook', 'https://user:word@hooks.example.org/', '--webhook-secret-file', secretFile],
    '--webhook must be an https URL',
  ],
  [['--webhook', 'https://hooks.example.org/'], '--webhook-secret-file must be given with --webhook'],
  [['--webhook-secret-file', secretFile], '--webhook must be given with --webhook-secret-file'],
  [['--webhook', 'https://hooks.example.org/', '--webhook-secret-file', '/none'], 'no such file'],
])('PRD-117 the start refuses %j', (args, why) => {
  expect(() => readOptions(args, {})).toThrow(why)
})

it.each(['', 'short', '!'.repeat(40)])('PRD-117 the start refuses a file with the secret %j', (secret) => {
  const file = join(files.folder, 'other')
  writeFileSync(file, secret)
  const args = ['--webhook', 'https://hooks.example.org/', '--webhook-secret-file', file]
  expect(() => readOptions(args, {})).toThrow('unable to read --webhook-secret-file')
})
