import { expect, it } from 'vitest'
import { importsAgain } from '../../scripts/import-again.mjs'

it('PKG-3 only imports of own files are changed, and a file without one not at all', () => {
  expect(importsAgain('import"./a.js";import("duolog/engines")')).toBe(
    'import"./a.js";import("duolog/engines")',
  )
  const changed = importsAgain(
    'x=()=>import("./a.js"),y=()=>import("../b.js");\n//# sourceMappingURL=c.js.map\n',
  )
  expect(changed).toMatch(/^x=\(\)=>lazily\("\.\/a\.js"\),y=\(\)=>lazily\("\.\.\/b\.js"\);\nfunction lazily/)
  expect(changed).toMatch(/\n\/\/# sourceMappingURL=c\.js\.map\n$/)
})
