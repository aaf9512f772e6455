import { beforeAll, describe, expect, it } from 'vitest'
import { en, visitorEn } from '../../apps/ui/src/messages/en.ts'
import { errorsEn } from '../../apps/ui/src/messages/errors-en.ts'
import { errorsIt } from '../../apps/ui/src/messages/errors-it.ts'
import { it as italian } from '../../apps/ui/src/messages/it.ts'
import { PAIRS, contrast, dark, light } from '../../apps/ui/src/palette.ts'
import { loadWords, wordsFor } from '../../apps/ui/src/words.ts'
import { ERROR_CODES } from '../../protocol/index.ts'

const holes = (template: string): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted()

beforeAll(() => loadWords(['it']))

describe('the table of words', () => {
  it('UI-4 has the same keys and the same gaps in every language', () => {
    expect(Object.keys(italian).toSorted()).toEqual(Object.keys(visitorEn).toSorted())
    for (const [key, template] of Object.entries(visitorEn))
      expect([key, holes(italian[key as keyof typeof visitorEn])]).toEqual([key, holes(template)])
  })

  it('UI-4 says something for every error code, and what to do', () => {
    for (const table of [errorsEn, errorsIt]) {
      expect(Object.keys(table).toSorted()).toEqual([...ERROR_CODES].toSorted())
      for (const words of Object.values(table)) expect(words).toMatch(/^\p{Lu}.{8,}\.$/u)
    }
  })

  it('UI-4 is chosen by the first preferred language that there is, else English', () => {
    expect(wordsFor(['de-CH', 'it-CH', 'en']).lang).toBe('it')
    expect(wordsFor(['de']).lang).toBe('en')
    expect(wordsFor([]).t('send')).toBe(en.send)
    expect(wordsFor(['', 'constructor', '__proto__', 'it-!!', 'x_y']).lang).toBe('en')
  })

  it('UI-4 can be exchanged word by word by the embedding page', () => {
    const own = wordsFor(['it'], { messages: { send: 'Via!' }, errors: { offline: 'Niente rete.' } })
    expect([own.t('send'), own.t('start'), own.error('offline')]).toEqual([
      'Via!',
      italian.start,
      'Niente rete.',
    ])
  })

  it('UI-4 counts as the language does', () => {
    expect([wordsFor(['en']).count('unread', 1), wordsFor(['en']).count('unread', 3)]).toEqual([
      '1 new message',
      '3 new messages',
    ])
  })

  it('UI-8 names in sentences cannot reorder or fill other gaps', () => {
    const words = wordsFor(['en'])
    expect(words.t('noticeJoined', { nick: '\u202Eadmin' })).toBe('‹U+202E›admin has joined')
    expect(words.t('saidBy', { nick: '{time}', time: '9:00' })).toBe('{time} at 9:00')
    expect(words.t('noticeJoined', { nick: 'דנה' })).toBe('\u2068דנה\u2069 has joined')
    expect(words.t('noticeJoined')).toBe('{nick} has joined')
  })
})

describe('colours', () => {
  it.each([
    ['light', light],
    ['dark', dark],
  ] as const)('UI-3 keep their contrast in the %s scheme', (_name, palette) => {
    const weak = PAIRS.filter(
      ([front, back, needed]) => contrast(palette[front], palette[back]) < needed,
    ).map(([front, back]) => `${front} on ${back}: ${contrast(palette[front], palette[back]).toFixed(2)}`)
    expect(weak).toEqual([])
  })

  it('UI-3 black on white is 21 to 1', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 1)
  })
})
