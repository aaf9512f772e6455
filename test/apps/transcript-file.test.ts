import { afterEach, expect, it, vi } from 'vitest'
import { transcriptFile } from '../../apps/ui/src/transcript-file.ts'
import type { Item } from '../../apps/ui/src/transcript.ts'
import { loadWords, wordsFor } from '../../apps/ui/src/words.ts'

await loadWords(['it'])
const words = wordsFor(['en-GB'])
const DAY = 86_400_000
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})
/** Noon, wherever the test runs. */
const noon = new Date(2020, 4, 4, 12, 0).getTime()

it('PRD-11 a day is today, yesterday, or its date, and of another year with the year', () => {
  expect([0, -1, -2].map((days) => words.day(noon + days * DAY, noon))).toEqual([
    'Today',
    'Yesterday',
    'Saturday 2 May',
  ])
  expect(words.day(noon - 366 * DAY, noon)).toMatch(/^Saturday,? 4 May 2019$/)
  expect(wordsFor(['it']).day(noon - DAY, noon)).toBe('Ieri')
  const midnight = new Date(noon).setHours(0, 0, 0, 0)
  expect([words.day(midnight, noon), words.day(midnight - 1, noon)]).toEqual(['Today', 'Yesterday'])
})

it('PRD-11 the saved chat has all that was said, by day and time, and hides nothing', () => {
  const items: Item[] = [
    { kind: 'notice', key: 'm1', at: noon, notice: 'noticeJoined', nick: 'Ada' },
    { kind: 'remote', key: 'm2', at: noon, nick: 'Ada', body: { type: 'text', text: 'Good \u202Eday' } },
    {
      kind: 'own',
      key: 'm3',
      at: noon + DAY,
      body: { type: 'text', text: 'Hello' },
      delivery: 'sent',
      echoed: true,
    },
    {
      kind: 'remote',
      key: 'm4',
      at: noon + DAY,
      body: { type: 'file', name: 'lamp.png', size: 1, mimetype: 'image/png' },
    },
    {
      ...{ kind: 'remote', key: 'm5', at: noon + DAY, isService: true },
      body: { type: 'text', text: 'Your parcel is here' },
    },
  ]
  const [zone, ...lines] = transcriptFile(items, 'Agent', words).replaceAll(',', '').split('\n')
  expect(zone).toContain(`(${new Intl.DateTimeFormat().resolvedOptions().timeZone})`)
  expect(lines).toEqual([
    '',
    'Monday 4 May 2020',
    '12:00  Ada has joined',
    '12:00  Ada: Good ‹U+202E›day',
    '',
    'Tuesday 5 May 2020',
    '12:00  You: Hello',
    '12:00  Agent: lamp.png',
    '12:00  Automatic message: Your parcel is here',
    '',
  ])
})

it('PRD-11 the saved chat has no message of this page that was not sent, nor a day for it', () => {
  const own = { kind: 'own', echoed: false } as const
  const items: Item[] = [
    {
      ...{ ...own, key: 'm1', at: noon - DAY, delivery: 'failed', failure: 'too_large' },
      body: { type: 'file', name: 'film.mp4', size: 9e9, mimetype: 'video/mp4' },
    },
    {
      ...own,
      key: 'm2',
      at: noon,
      delivery: 'delivered',
      echoed: true,
      body: { type: 'text', text: 'Hello' },
    },
    { kind: 'remote', key: 'm3', at: noon, nick: 'Ada', body: { type: 'text', text: 'Hi' } },
    { ...own, key: 'm4', at: noon, delivery: 'sent', body: { type: 'text', text: 'Thanks' } },
    { ...own, key: 'm5', at: noon + DAY, delivery: 'sending', body: { type: 'text', text: 'Anybody?' } },
  ]
  const [, ...lines] = transcriptFile(items, 'Agent', words).replaceAll(',', '').split('\n')
  expect(lines).toEqual([
    '',
    'Monday 4 May 2020',
    '12:00  You: Hello',
    '12:00  Ada: Hi',
    '12:00  You: Thanks',
    '',
  ])
})

it('PRD-11 the saved chat has the date of today and the name of the time zone, since it is read later', () => {
  vi.stubEnv('TZ', 'Europe/Rome')
  const now = Date.parse('2020-05-04T10:00:00Z')
  vi.useFakeTimers({ now })
  const items: Item[] = [{ kind: 'notice', key: 'm1', at: now, notice: 'noticeJoined', nick: 'Ada' }]
  const head = (lang: string): string =>
    transcriptFile(items, 'Agent', wordsFor([lang]))
      .replaceAll(',', '')
      .split('\n')
      .slice(0, 3)
      .join('|')
  expect([head('en-GB'), head('it')]).toEqual([
    'Central European Time (Europe/Rome)||Monday 4 May 2020',
    'Ora dell’Europa centrale (Europe/Rome)||Lunedì 4 maggio 2020',
  ])
})
