import { describe, expect, it } from 'vitest'
import { withDirectImports } from '../../scripts/direct-imports.mjs'
import { inRoot } from '../../scripts/run.mjs'
import { sharedNames } from '../../scripts/minify.mjs'

describe('what a bundle imports by an index', () => {
  it('PKG-2 it imports from the files behind it, on as many lines', () => {
    const code = [
      "import { algebra, otherSlot as other } from '../../protocol/index.ts'",
      'import {',
      '  ContactError,',
      "} from '../../protocol/index.ts'",
      "import type { Slot } from '../../protocol/index.ts'",
      "export { completeOffer } from '../../protocol/index.ts'",
      "import { webRtcPipes } from '../../engines/index.ts'",
    ].join('\n')
    expect(withDirectImports(code, inRoot('sdk', 'media', 'any.ts')).split('\n')).toEqual([
      "import * as algebra from '../../protocol/media-algebra.ts';import { otherSlot as other } from '../../protocol/media.ts'",
      "import { ContactError as ContactError } from '../../protocol/errors.ts'",
      '',
      '',
      "import type { Slot } from '../../protocol/index.ts'",
      "export { completeOffer as completeOffer } from '../../protocol/media-choices.ts'",
      "import { webRtcPipes as webRtcPipes } from '../../engines/webrtc/data-pipe.ts'",
    ])
  })

  it('PKG-2 a name that no file behind an index has stays at the index', () => {
    const code = "import { missing } from '../../protocol/index.ts'"
    const direct = "import { missing as missing } from '../../protocol/index.ts'"
    expect(withDirectImports(code, inRoot('sdk', 'media', 'any.ts'))).toBe(direct)
  })
})

describe('names that chunks share', () => {
  it('PKG-2 each local name is that under which others know it, where that is short, free and a name', () => {
    const code =
      'import{a as xs,b,if as y}from"./c.js";import{a as z}from"./d.js";export{Tt as c,k as createClient}'
    expect(sharedNames(code)).toEqual({ $xs: 'a', $b: 'b', $Tt: 'c' })
  })
})
