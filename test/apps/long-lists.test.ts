import { describe, expect, it } from 'vitest'
import { ItemWindow } from '../../apps/ui/src/item-window.ts'
import { linkify } from '../../apps/ui/src/safe-text.ts'

describe('what others wrote, as long as it may be', () => {
  it('SND-306 the first 20 addresses of a message are links, and the rest is text', () => {
    const text = 'http://a.b '.repeat(744)
    const parts = linkify(text)
    expect(parts.filter(({ kind }) => kind === 'link').length).toBe(20)
    expect(parts.map((part) => part.text).join('')).toBe(text)
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
