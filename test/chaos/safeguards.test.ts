import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRoot } from '../../scripts/run.mjs'
import { SAFEGUARDS } from '../../scripts/safeguards.mjs'
import { FAULTS } from './nemesis.ts'
import { PROMISES } from './verdict.ts'

it.each(Object.entries(SAFEGUARDS))(
  'CLU-143 what is taken out by npm run chaos -- --without "%s" stands once in its file, and breaks what there is',
  (_name, { file, text, faults, promise }) => {
    expect(readFileSync(inRoot(file), 'utf8').split(text)).toHaveLength(2)
    expect(Object.keys(FAULTS)).toEqual(expect.arrayContaining(faults.split(',')))
    expect(Object.keys(PROMISES)).toContain(promise)
  },
)
