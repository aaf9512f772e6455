import { describe, expect, it, vi } from 'vitest'
import { deskWordsFor, loadDeskWords } from '../../apps/ui/src/desk-words.ts'
import { consoleEn } from '../../apps/ui/src/messages/console-en.ts'
import { CONSOLE_LANGUAGES } from '../../apps/ui/src/messages/console-languages.ts'
import { deskEn } from '../../apps/ui/src/messages/desk-en.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'

const holes = (template: string): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted()

function expectSame(
  words: Readonly<Record<string, string>>,
  english: Readonly<Record<string, string>>,
): void {
  expect(Object.keys(words).toSorted()).toEqual(Object.keys(english).toSorted())
  for (const [key, template] of Object.entries(english)) {
    const [text = '', wanted] = [words[key], holes(template)]
    expect([key, text.trim()]).not.toEqual([key, ''])
    // Of one, the word may say the number.
    if (key.endsWith('_one')) expect(wanted).toEqual(expect.arrayContaining(holes(text)))
    else expect([key, holes(text)]).toEqual([key, wanted])
  }
}

describe('the words of the console alone', () => {
  it('PRD-184 are English where nothing else is wanted, or there is nothing else', () => {
    expect(loadDeskWords(['en-GB', 'de'])).toBeUndefined()
    expect(loadDeskWords(['xx', 'constructor'])).toBeUndefined()
    const unknown = deskWordsFor(['xx', 'constructor', 'it-!!'])
    expect([unknown.words.lang, unknown.t('notes')]).toEqual(['en', deskEn.notes])
  })

  it('PRD-184 are all English where those of agents cannot be loaded', async () => {
    vi.spyOn(CONSOLE_LANGUAGES, 'get').mockReturnValueOnce(() => Promise.reject(new Error('offline')))
    await loadDeskWords(['fr'])
    expect(wordsFor(['fr']).lang).toBe('fr')
    const { words, t } = deskWordsFor(['fr'])
    expect([words.lang, words.t('signIn'), t('notes')]).toEqual(['en', consoleEn.signIn, deskEn.notes])
  })

  it.each([...CONSOLE_LANGUAGES.keys()])(
    'PRD-184 have the same keys and gaps in %s as in English, and are shown when they are loaded',
    async (lang) => {
      const table = await CONSOLE_LANGUAGES.get(lang)?.()
      expectSame(table?.messages ?? {}, consoleEn)
      expectSame(table?.desk ?? {}, deskEn)
      expect(deskWordsFor([lang]).words.lang).toBe('en')
      await loadDeskWords(['xx', `${lang}-XX`, 'en'])
      const desk = deskWordsFor(['xx', `${lang}-XX`, 'en'])
      expect([desk.words.lang, desk.words.dir]).toEqual([lang, lang === 'ar' ? 'rtl' : 'ltr'])
      expect([desk.words.t('signIn'), desk.t('notes')]).toEqual([table?.messages.signIn, table?.desk.notes])
      expect(desk.words.t('send')).toBe(wordsFor([lang]).t('send'))
      expect(desk.words.t('send')).not.toBe(wordsFor([]).t('send'))
    },
  )

  it('PRD-184 count and measure in their language; Arabic has a dual, and plurals of few and many', async () => {
    await Promise.all([loadDeskWords(['it']), loadDeskWords(['ar'])])
    const [en, it, ar] = [deskWordsFor(['en']), deskWordsFor(['it']), deskWordsFor(['ar'])]
    expect([it.count('pastFound', 1), it.count('pastFound', 2)]).toEqual([
      '1 contatto trovato.',
      '2 contatti trovati.',
    ])
    const counted = [1, 2, 5, 50, 100].map((n) =>
      ar
        .count('repliesFound', n)
        .replace(/[\d٠-٩\u2068\u2069]+/, '#')
        .replace(/\..*/, ''),
    )
    expect(counted).toEqual(['رد جاهز واحد', 'ردّان جاهزان', '# ردود جاهزة', '# ردًا جاهزًا', '# رد جاهز'])
    expect([-5, 59_400, 60_000, 3_599_000, 7_500_000].map((ms) => en.span(ms))).toEqual([
      ...['0 s', '59 s', '1 min', '1 h 0 min', '2 h 5 min'],
    ])
  })
})
