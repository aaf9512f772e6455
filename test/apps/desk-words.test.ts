import { describe, expect, it } from 'vitest'
import { deskWordsFor } from '../../apps/ui/src/desk-words.ts'
import { deskEn } from '../../apps/ui/src/messages/desk-en.ts'
import { deskIt } from '../../apps/ui/src/messages/desk-it.ts'
import { loadWords, wordsFor } from '../../apps/ui/src/words.ts'

const holes = (template: string): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted()

describe('the words of the console alone', () => {
  it('PRD-184 have the same keys and gaps in English and Italian', () => {
    expect(Object.keys(deskIt).toSorted()).toEqual(Object.keys(deskEn).toSorted())
    for (const [key, template] of Object.entries(deskEn))
      expect([key, holes(deskIt[key as keyof typeof deskEn])]).toEqual([key, holes(template)])
  })

  it('PRD-184 follow the language of the other words, and count and measure in it', async () => {
    await loadWords(['it'])
    const [en, it] = [deskWordsFor(wordsFor(['en'])), deskWordsFor(wordsFor(['it']))]
    expect([en.t('notes'), it.t('notes')]).toEqual([deskEn.notes, deskIt.notes])
    expect([it.count('pastFound', 1), it.count('pastFound', 2)]).toEqual([
      '1 contatto trovato.',
      '2 contatti trovati.',
    ])
    expect([-5, 59_400, 60_000, 3_599_000, 7_500_000].map((ms) => en.span(ms))).toEqual([
      ...['0 s', '59 s', '1 min', '1 h 0 min', '2 h 5 min'],
    ])
    const elsewhere = { ...wordsFor([]), lang: 'de' }
    expect(deskWordsFor(elsewhere).t('notes')).toBe(deskEn.notes)
  })
})
