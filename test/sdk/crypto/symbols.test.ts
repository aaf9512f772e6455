import { describe, expect, it } from 'vitest'
import { VERIFICATION_SYMBOLS } from '../../../sdk/symbols/index.ts'

describe('the symbols of a code', () => {
  it('ENC-200 are 64 different code points that show as emoji by themselves, with different names', () => {
    expect(VERIFICATION_SYMBOLS.length).toBe(64)
    expect(new Set(VERIFICATION_SYMBOLS.map(({ symbol }) => symbol)).size).toBe(64)
    expect(new Set(VERIFICATION_SYMBOLS.map(({ name }) => name)).size).toBe(64)
    for (const { symbol } of VERIFICATION_SYMBOLS) {
      expect(symbol).toMatch(/^\p{Emoji_Presentation}$/u)
    }
  })
})
