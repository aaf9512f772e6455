import { expect, it } from 'vitest'
import { passedOn } from '../../scripts/minify.mjs'

it('PKG-2 a bundle that only passes names on says so in one statement', () => {
  expect(passedOn('import{a,b}from"./chunks/c.js";export{b as one,a as two};\n')).toBe(
    'export{b as one,a as two}from"./chunks/c.js";\n',
  )
  expect(passedOn('import{a}from"./c.js";export{a};')).toBe('export{a}from"./c.js";\n')
})

it('PKG-2 a bundle that does more keeps its statements', () => {
  expect(passedOn('import{a}from"./c.js";export{a as one};a();')).toBeNull()
  expect(passedOn('import{a}from"./c.js";import{b}from"./d.js";export{a as one,b as two};')).toBeNull()
  expect(passedOn('import a from"./c.js";export{a as one};')).toBeNull()
  expect(passedOn('import{a as b}from"./c.js";export{b as one};')).toBeNull()
})
