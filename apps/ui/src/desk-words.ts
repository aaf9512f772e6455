import { CONSOLE_LANGUAGES } from './messages/console-languages.ts'
import type { ConsoleTable, DeskCount } from './messages/console-table.ts'
import type { DeskKey } from './messages/desk-en.ts'
import { deskEn } from './messages/desk-en.ts'
import { base, fill, loadWords, wordsFor } from './words.ts'
import type { Params, Words } from './words.ts'

/** Everything that the agent's console says, in one language. */
export interface DeskWords {
  /** What visitors read too, with the words of the console among them. */
  readonly words: Words
  readonly t: (key: DeskKey, params?: Params) => string
  readonly count: (key: DeskCount, n: number) => string
  /** How long something took, such as `3 min`. */
  readonly span: (ms: number) => string
  /** Day and time of `at`, milliseconds since the epoch. */
  readonly moment: (at: number) => string
}

/** Those that are loaded; English is always there. */
const tables = new Map<string, ConsoleTable>()

/**
 * Loads what agents read in the first of the preferred languages that there is, and what visitors read in it. Settles
 * when both are there, or cannot be got: then the next language is shown. Undefined where nothing is to be loaded.
 */
export function loadDeskWords(preferred: readonly string[]): Promise<unknown> | undefined {
  const lang = preferred.map(base).find((each) => each === 'en' || CONSOLE_LANGUAGES.has(each)) ?? 'en'
  const load = CONSOLE_LANGUAGES.get(lang)
  if (!load || tables.has(lang)) return undefined
  const loaded = load().then(
    (table) => void tables.set(lang, table),
    () => {},
  )
  return Promise.all([loaded, loadWords([lang])])
}

/** Words in the first of the preferred languages (BCP 47) that is loaded for agents and visitors, else English. */
export function deskWordsFor(preferred: readonly string[]): DeskWords {
  const { lang, locale } = wordsFor(preferred.filter((each) => base(each) === 'en' || tables.has(base(each))))
  const table = tables.get(lang)
  const words = wordsFor([locale], { messages: table?.messages ?? {} })
  const messages = table?.desk ?? deskEn
  const plural = new Intl.PluralRules(lang)
  const number = new Intl.NumberFormat(lang)
  const moment = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' })
  const t = (key: DeskKey, params?: Params): string => fill(messages[key], params)
  return {
    words,
    t,
    count: (key, n) => {
      const form = plural.select(n)
      const params = { n: number.format(n) }
      const other = table?.plurals?.[key][form]
      return other === undefined
        ? t(form === 'one' ? `${key}_one` : `${key}_other`, params)
        : fill(other, params)
    },
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
