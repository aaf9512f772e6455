import { describe, expect, it } from 'vitest'
import { ItemWindow } from '../../apps/ui/src/item-window.ts'
import { linkify, showHidden } from '../../apps/ui/src/safe-text.ts'

describe('what others wrote, as long as it may be', () => {
  it('SND-306 the first 20 addresses of a message are links, and the rest is text', () => {
    const text = 'http://a.b '.repeat(744)
    const parts = linkify(text)
    expect(parts.filter(({ kind }) => kind === 'link').length).toBe(20)
    expect(parts.map((part) => part.text).join('')).toBe(text)
  })

  it.each([
    ['of control characters', '\u0001'.repeat(8_192)],
    ['of two of them in turn', '\u0001\u0002'.repeat(4_096)],
    ['of letters and control characters', 'x\u0001'.repeat(4_096)],
    ['of addresses and control characters', `http://a.b ${'x\u0001'.repeat(180)} `.repeat(22)],
    ['of directions', '\u202e'.repeat(2_730)],
  ])('SND-306 a text %s is not much longer where it is shown', (_what, text) => {
    const shown = linkify(text).map((part) => part.text)
    expect(shown.join('').length).toBeLessThan(2 * text.length)
    expect(shown.some((part) => /\p{Cc}|\u202e/u.test(part))).toBe(false)
  })

  it('SND-306 the first 20 hidden characters of a text are shown as code points, and one that is repeated as one', () => {
    expect(showHidden('a\u202e\u202e\u202eb')).toBe('a‹U+202E ×3›b')
    const [marks, rest] = ['\u0001x'.repeat(20), '\u0001x\u202e']
    expect(showHidden(marks + rest)).toBe(`${'‹U+0001›x'.repeat(20)}\uFFFDx\uFFFD`)
  })

  it('SND-306 the end of a list is rendered, and more where somebody reads back', () => {
    const window = new ItemWindow()
    expect(window.start(2_000, true)).toBe(1_900)
    expect(window.extend()).toBe(true)
    expect(window.start(2_000, false)).toBe(1_800)
    expect(window.start(2_001, false)).toBe(1_800)
    expect(window.start(2_001, true)).toBe(1_901)
  })

  it('SND-312 a list that is rendered whole is not extended', () => {
    const window = new ItemWindow()
    expect(window.start(30, true)).toBe(0)
    expect(window.extend()).toBe(false)
    window.reset()
    expect(window.start(250, true)).toBe(150)
  })
})
