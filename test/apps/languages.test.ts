import { describe, expect, it } from 'vitest'
import { consoleEn } from '../../apps/ui/src/messages/console-en.ts'
import { CONSOLE_LANGUAGES } from '../../apps/ui/src/messages/console-languages.ts'
import { visitorEn } from '../../apps/ui/src/messages/en.ts'
import { launcherWords } from '../../apps/ui/src/messages/launcher.ts'
import { LANGUAGES } from '../../apps/ui/src/messages/languages.ts'
import { loadWords, wordsFor } from '../../apps/ui/src/words.ts'
import { ERROR_CODES } from '../../protocol/index.ts'

const holes = (template: string): string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted()
const LANGS = [...LANGUAGES.keys()]

describe('the languages of visitors', () => {
  it.each(LANGS)(
    'PRD-200 %s has every word that visitors read, with the same gaps, and all errors',
    async (lang) => {
      const table = await LANGUAGES.get(lang)?.()
      const words: Readonly<Record<string, string | undefined>> = table?.messages ?? {}
      expect(Object.keys(visitorEn).filter((key) => !words[key]?.trim())).toEqual([])
      for (const [key, template] of Object.entries(visitorEn)) {
        const [found, wanted] = [holes(words[key] ?? ''), holes(template)]
        // Of one, the word may say the number.
        if (key.endsWith('_one')) expect(wanted).toEqual(expect.arrayContaining(found))
        else expect([key, found]).toEqual([key, wanted])
      }
      expect(Object.keys(table?.errors ?? {}).toSorted()).toEqual([...ERROR_CODES].toSorted())
      for (const text of Object.values(table?.errors ?? {})) expect(text).toMatch(/.{8,}\.$/u)
      expect(new Set(table?.symbols).size).toBe(64)
    },
  )

  it('PRD-200 are on the launcher too, which is there before anything is loaded', async () => {
    expect(Object.keys(launcherWords).toSorted()).toEqual(['en', ...LANGS].toSorted())
    for (const [lang, { openChat }] of Object.entries(launcherWords)) {
      await loadWords([lang])
      expect(wordsFor([lang]).t('openChat')).toBe(openChat)
    }
  })

  it('PRD-201 are loaded when they are the first that is wanted, once', async () => {
    expect(loadWords(['en-GB', 'de'])).toBeUndefined()
    expect(loadWords(['xx', 'constructor'])).toBeUndefined()
    await loadWords(['xx', 'de-AT', 'it'])
    expect([wordsFor(['de-AT']).lang, loadWords(['de'])]).toEqual(['de', undefined])
  })

  it('PRD-201 count as they do: Arabic has a dual and a plural of few; it runs from right to left', async () => {
    await loadWords(['ar'])
    const arabic = wordsFor(['ar'])
    const counted = [1, 2, 5, 50].map((n) => arabic.count('unread', n).replace(/[\d٠-٩]+/, '#'))
    expect(counted).toEqual(['رسالة جديدة واحدة', 'رسالتان جديدتان', '# رسائل جديدة', '# رسالة جديدة'])
    expect([arabic.dir, wordsFor(['en']).dir]).toEqual(['rtl', 'ltr'])
    expect(arabic.t('dayAndTime', { day: 'a', time: 'b' })).toBe('a، b')
  })
  it('PRD-184 are those of the console too, and visitors load none of its words', async () => {
    expect([...CONSOLE_LANGUAGES.keys()].toSorted()).toEqual(LANGS.toSorted())
    for (const load of LANGUAGES.values()) {
      const { messages } = await load()
      expect(Object.keys(messages).filter((key) => Object.hasOwn(consoleEn, key))).toEqual([])
    }
  })
})
