import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'

it('CLU-99 files are in the folder that is given, which nodes share, or beside the database', () => {
  const folder = (...args: string[]) => readOptions(args, {})?.files.folder
  expect(folder('--data', 'here')).toBe(resolve(join('here', 'files')))
  expect(folder('--data', 'here', '--files', 'shared')).toBe(resolve('shared'))
})
