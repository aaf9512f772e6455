import { describe, expect, it } from 'vitest'
import { markedParts } from '../../apps/ui/src/marked-text.ts'

const shown = (text: string): string =>
  markedParts(text)
    .map(({ mark, text: part }) => (mark ? `<${mark}>${part}</${mark}>` : part))
    .join('')

describe('marks in messages', () => {
  it('PRD-9 strong, emphasis, struck and code are shown', () => {
    expect(shown('It is **very** *late*, ~~not~~ at `9:00`.')).toBe(
      'It is <strong>very</strong> <em>late</em>, <s>not</s> at <code>9:00</code>.',
    )
    expect(shown('*a* and *b c*!')).toBe('<em>a</em> and <em>b c</em>!')
  })

  it('PRD-9 what is not closed, in a word, around spaces or over lines stays as it is written', () => {
    for (const text of [
      '2*3*4',
      '5 * 6 * 7',
      '**',
      '***a***',
      '*a',
      'a*',
      '*a\nb*',
      '~a~',
      'snake*case*name',
      '* a *',
      '`',
    ])
      expect(shown(text)).toBe(text)
  })

  it('PRD-9 text of others is text: it is split, never changed, and soon', () => {
    const hostile = [
      '<b>*x*</b>',
      '*'.repeat(8192),
      '*a '.repeat(2700),
      '`a'.repeat(4000),
      '**a* b** '.repeat(900),
    ]
    const start = performance.now()
    for (const text of hostile) {
      const whole = markedParts(text)
      expect(whole.map((part) => part.text.length).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(
        text.length,
      )
      expect(whole.filter(({ mark }) => mark !== null).length).toBeLessThanOrEqual(200)
    }
    expect(shown('<b>*x*</b>')).toBe('<b><em>x</em></b>')
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})
