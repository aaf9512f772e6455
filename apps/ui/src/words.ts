import type { ErrorCode } from './sdk.ts'
import { en } from './messages/en.ts'
import type { MessageKey, Messages } from './messages/en.ts'
import { errorsEn } from './messages/errors-en.ts'
import type { ErrorWords } from './messages/errors-en.ts'
import { errorsIt } from './messages/errors-it.ts'
import { it } from './messages/it.ts'
import { symbolsIt } from './messages/symbols-it.ts'
import { showHidden } from './safe-text.ts'

/** What fills the gaps of a text. */
export type Params = Readonly<Record<string, string | number>>
type CountKey = 'unread' | 'queueWait'

/** Everything that the pages say, in one language. */
export interface Words {
  readonly lang: string
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
}

/** A table of an embedding site: only what it wants to say otherwise. */
export interface OwnWords {
  readonly messages?: Partial<Messages>
  readonly errors?: Partial<ErrorWords>
}

interface Table {
  readonly messages: Messages
  readonly errors: ErrorWords
  readonly symbols?: readonly string[]
}

const TABLES: ReadonlyMap<string, Table> = new Map<string, Table>([
  ['en', { messages: en, errors: errorsEn }],
  ['it', { messages: it, errors: errorsIt, symbols: symbolsIt }],
])

/** Words in the first of the preferred languages (BCP 47) that there is a table for, else English. */
export function wordsFor(preferred: readonly string[], own: OwnWords = {}): Words {
  const locale = preferred.find((wanted) => TABLES.has(base(wanted)) && isLocale(wanted)) ?? 'en'
  const table = TABLES.get(base(locale))
  const messages: Messages = { ...en, ...table?.messages, ...own.messages }
  const errors: ErrorWords = { ...errorsEn, ...table?.errors, ...own.errors }
  const plural = new Intl.PluralRules(locale)
  const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
  const t = (key: MessageKey, params?: Params): string => fill(messages[key], params)
  return {
    lang: base(locale),
    t,
    count: (key, n) => t(plural.select(n) === 'one' ? `${key}_one` : `${key}_other`, { n }),
    error: (code) => errors[code],
    symbol: (place, english) => table?.symbols?.[place] ?? english,
    size: (bytes) => sizeText(bytes, locale),
    time: (at) => clock.format(at),
    day: (at, now = Date.now()) => dayText(at, now, locale),
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
      : new Intl.DateTimeFormat(locale, {
          weekday: 'long',
          day: 'numeric',
          month: 'long',
          ...(new Date(at).getFullYear() !== new Date(now).getFullYear() && { year: 'numeric' }),
        }).format(at)
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
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

const base = (lang: string): string => lang.toLowerCase().split('-')[0] ?? ''

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
