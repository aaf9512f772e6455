import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadWords, wordsFor } from '../../apps/ui/src/index.ts'
import { hoursText } from '../../apps/visitor/src/hours-text.ts'

await Promise.all([loadWords(['de']), loadWords(['ar'])])
beforeEach(() => void vi.stubEnv('TZ', 'Europe/Rome'))
afterEach(() => void vi.unstubAllEnvs())

/** The spaces of Intl differ from one version to the next. */
const shown = (hours: string, lang: string, timeZone = ''): string =>
  hoursText(hours, timeZone, wordsFor([lang])).replaceAll(/\s/g, ' ')

describe('opening hours as a visitor reads them', () => {
  it.each([
    ['Mo 00:00-00:01', 'de', 'Mo 00:00–00:01'],
    ['Mo-Fr 09:00-18:00, Sa 10:00-13:00', 'de', 'Mo–Fr 09:00–18:00; Sa 10:00–13:00'],
    ['Mo-Fr 09:00-18:00, Sa 10:00-13:00', 'en-US', 'Mon–Fri 9:00 AM–6:00 PM; Sat 10:00 AM–1:00 PM'],
    ['Mo-We,Fr 09:00-11:00, 11:30-17:00', 'en-GB', 'Mon–Wed, Fri 09:00–11:00, 11:30–17:00'],
    ['Fr-Mo', 'en-GB', 'Fri–Mon'],
    ['Mo 23:00-03:00', 'en-GB', 'Mon 23:00–03:00'],
    ['Tu 12:00-24:00', 'en-GB', 'Tue 12:00–00:00'],
    ['Tu 09:00-17:00', 'ar-EG', 'الثلاثاء ٩:٠٠ ص–٥:٠٠ م'],
  ])('PRD-4 %s in %s are %s', (hours, lang, text) => {
    expect(shown(hours, lang)).toBe(text)
  })

  it('PRD-4 name their time zone where the visitor has another', () => {
    expect(
      ['Europe/Rome', 'Europe/Berlin', 'America/Denver'].map((zone) => shown('Mo 09:00-17:00', 'de', zone)),
    ).toEqual(['Mo 09:00–17:00', 'Mo 09:00–17:00', 'Mo 09:00–17:00 · Rocky-Mountains-Zeit'])
  })
})
