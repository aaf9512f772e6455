import type { ErrorCode } from './sdk.ts'
import { en } from './messages/en.ts'
import type { MessageKey, Messages } from './messages/en.ts'
import { errorsEn } from './messages/errors-en.ts'
import type { ErrorWords } from './messages/errors-en.ts'
import { LANGUAGES, RIGHT_TO_LEFT as MIRRORED } from './messages/languages.ts'
import type { CountKey, Table } from './messages/table.ts'
import { showHidden } from './safe-text.ts'

/** What fills the gaps of a text. */
export type Params = Readonly<Record<string, string | number>>

/** Everything that the pages say, in one language. */
export interface Words {
  readonly lang: string
  /** The language with its region, such as `en-GB`. */
  readonly locale: string
  /** `rtl`: it is written from right to left. */
  readonly dir: 'ltr' | 'rtl'
  t(key: MessageKey, params?: Params): string
  count(key: CountKey, n: number): string
  error(code: ErrorCode): string
  /**
   * The name of the symbol at a place (0 to 63) of the list that people compare; `english` is its name there.
   */
  symbol(place: number, english: string): string
  /** A number of bytes, such as `1.2 MB`. */
  size(bytes: number): string
  /** Time of the day of `at`, milliseconds since the epoch. */
  time(at: number): string
  /** The day of `at`: `Today`, `Yesterday`, or its date. */
  day(at: number, now?: number): string
  /** The date of `at`, with its year. */
  date(at: number): string
  /** The day of `at` with its time. */
  dayAndTime(at: number): string
}

/** A table of an embedding site: only what it wants to say otherwise. */
export interface OwnWords {
  readonly messages?: Partial<Messages>
  readonly errors?: Partial<ErrorWords>
}

/** Those that are loaded. */
const tables = new Map<string, Table>([['en', { messages: en, errors: errorsEn }]])
const loading = new Map<string, Promise<void>>()

/**
 * Loads the words of the first of the preferred languages that there is. Settles when they are there, or cannot be
 * got: then the next language is shown. Undefined where nothing is to be loaded.
 */
export function loadWords(preferred: readonly string[]): Promise<void> | undefined {
  const lang = preferred.map(base).find((each) => LANGUAGES.has(each) || tables.has(each)) ?? 'en'
  const load = LANGUAGES.get(lang)
  if (!load || tables.has(lang)) return undefined
  const loaded =
    loading.get(lang) ??
    load().then(
      (table) => void tables.set(lang, table),
      () => {},
    )
  loading.set(lang, loaded)
  return loaded
}

/** Words in the first of the preferred languages (BCP 47) that is loaded, else English. */
export function wordsFor(preferred: readonly string[], own: OwnWords = {}): Words {
  const locale = preferred.find((wanted) => tables.has(base(wanted)) && isLocale(wanted)) ?? 'en'
  const table = tables.get(base(locale))
  const messages: Messages = { ...en, ...table?.messages, ...own.messages }
  const errors: ErrorWords = { ...errorsEn, ...table?.errors, ...own.errors }
  const plural = new Intl.PluralRules(locale)
  const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
  const t = (key: MessageKey, params?: Params): string => fill(messages[key], params)
  const day = (at: number, now = Date.now()): string => dayText(at, now, locale)
  return {
    lang: base(locale),
    locale,
    dir: MIRRORED.has(base(locale)) ? 'rtl' : 'ltr',
    t,
    count: (key, n) => {
      const form = plural.select(n)
      const other = table?.plurals?.[key][form]
      return other === undefined
        ? t(form === 'one' ? `${key}_one` : `${key}_other`, { n })
        : fill(other, { n })
    },
    error: (code) => errors[code],
    symbol: (place, english) => table?.symbols?.[place] ?? english,
    size: (bytes) => sizeText(bytes, locale),
    time: (at) => clock.format(at),
    day,
    date: (at) => beginning(dateText(at, locale, { year: 'numeric' }), locale),
    dayAndTime: (at) => t('dayAndTime', { day: day(at), time: clock.format(at) }),
  }
}

const DAY_MS = 86_400_000

/** Days begin at midnight of the reader; a difference in summer time is less than half a day. */
function dayText(at: number, now: number, locale: string): string {
  const [day, today] = [new Date(at).setHours(0, 0, 0, 0), new Date(now).setHours(0, 0, 0, 0)]
  const days = Math.round((day - today) / DAY_MS)
  const text =
    days === 0 || days === -1
      ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
      : dateText(
          at,
          locale,
          new Date(at).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' },
        )
  return beginning(text, locale)
}

function dateText(at: number, locale: string, year: Pick<Intl.DateTimeFormatOptions, 'year'>): string {
  const options = { weekday: 'long', day: 'numeric', month: 'long', ...year } as const
  return new Intl.DateTimeFormat(locale, options).format(at)
}

const beginning = (text: string, locale: string): string =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)

/**
 * The name of a time zone the whole year round, by default of the reader's, such as `Central European Time`. Throws
 * where the browser does not know the zone.
 */
export function zoneName(locale: string, timeZone?: string): string {
  const options = { timeZoneName: 'longGeneric', ...(timeZone && { timeZone }) } as const
  const parts = new Intl.DateTimeFormat(locale, options).formatToParts()
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

function sizeText(bytes: number, locale: string): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: bytes < 10 * 1024 ** power ? 1 : 0,
  })
  return format.format(bytes / 1024 ** power)
}

/** A language without its region: `pt` for `pt-BR`. */
export const base = (lang: string): string => lang.toLowerCase().split('-')[0] ?? ''

function isLocale(lang: string): boolean {
  try {
    return Intl.getCanonicalLocales(lang).length === 1
  } catch {
    return false
  }
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/
/** A name or number inside a sentence: what reorders it is shown, and its own direction stays inside. */
const isolated = (value: string): string =>
  RIGHT_TO_LEFT.test(value) ? `\u2068${showHidden(value)}\u2069` : showHidden(value)

/** A text with its gaps filled in. */
export const fill = (template: string, params: Params = {}): string =>
  template.replace(/\{(\w{1,16})\}/g, (hole: string, name: string) =>
    Object.hasOwn(params, name) ? isolated(String(params[name])) : hole,
  )
