import type { DeskKey, DeskMessages } from './messages/desk-en.ts'
import { deskEn } from './messages/desk-en.ts'
import { deskIt } from './messages/desk-it.ts'
import { fill } from './words.ts'
import type { Params, Words } from './words.ts'

type DeskCount = 'repliesFound' | 'pastFound' | 'pastMessages'

/** What only the agent's console says, in the language of the other words; in English where there is no table. */
export interface DeskWords {
  readonly words: Words
  readonly t: (key: DeskKey, params?: Params) => string
  readonly count: (key: DeskCount, n: number) => string
  /** How long something took, such as `3 min`. */
  readonly span: (ms: number) => string
  /** Day and time of `at`, milliseconds since the epoch. */
  readonly moment: (at: number) => string
}

const TABLES: Readonly<Record<string, DeskMessages>> = { en: deskEn, it: deskIt }

export function deskWordsFor(words: Words): DeskWords {
  const table = Object.hasOwn(TABLES, words.lang) ? TABLES[words.lang] : undefined
  const messages = table ?? deskEn
  const locale = table ? words.lang : 'en'
  const plural = new Intl.PluralRules(locale)
  const number = new Intl.NumberFormat(locale)
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const t = (key: DeskKey, params?: Params): string => fill(messages[key], params)
  return {
    words,
    t,
    count: (key, n) => t(plural.select(n) === 'one' ? `${key}_one` : `${key}_other`, { n: number.format(n) }),
    span: (ms) => spanText(ms, t),
    moment: (at) => moment.format(at),
  }
}

function spanText(ms: number, t: DeskWords['t']): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return t('seconds', { n: seconds })
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return t('minutes', { n: minutes })
  return t('hours', { n: Math.floor(minutes / 60), m: minutes % 60 })
}
