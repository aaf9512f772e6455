/** Opening hours in the visitor's language, such as `Mon–Fri 9:00 AM–6:00 PM; Sat 10:00 AM–1:00 PM`. */
import { zoneName } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import { DAY_MINUTES, openingsOf } from './opening-hours.ts'
import type { Opening } from './opening-hours.ts'

/** A Monday at midnight, UTC. */
const MONDAY = Date.UTC(2024, 0, 1)
const MINUTE_MS = 60_000

/** Hours that are understood; the time zone is named where it is not the visitor's. */
export function hoursText(hours: string, timeZone: string, { locale, dir }: Words): string {
  const list = new Intl.ListFormat(locale, { type: 'unit', style: 'short' })
  const text = (minute: number, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(MONDAY + minute * MINUTE_MS)
  const day = (at: number): string => text(at * DAY_MINUTES, { weekday: 'short' })
  const time = (at: number): string => text(at, { timeStyle: 'short' })
  const shown = withSameDays(openingsOf(hours)).map(({ days, openings }) => {
    const times = openings.filter(({ from, to }) => to - from < DAY_MINUTES)
    return [
      list.format(runsOf(days).map(([first, last]) => range(day(first), day(last)))),
      list.format(times.map(({ from, to }) => `${time(from)}–${time(to)}`)),
    ]
      .filter(Boolean)
      .join(' ')
  })
  const zone = otherZone(timeZone, locale)
  return shown.join(dir === 'rtl' ? '؛ ' : '; ') + (zone && ` · ${zone}`)
}

const range = (first: string, last: string): string => (first === last ? first : `${first}–${last}`)

/** The name of the time zone of the hours; none where the visitor's clocks show the same. */
function otherZone(timeZone: string, locale: string): string {
  if (timeZone === '') return ''
  const name = zoneName(locale, timeZone)
  return name === zoneName(locale) ? '' : name
}

interface OfDays {
  readonly days: Opening['days']
  readonly openings: readonly Opening[]
}

/** Neighbours that are of the same days: a break at noon. */
const withSameDays = (all: readonly Opening[]): readonly OfDays[] =>
  all.reduce<readonly OfDays[]>((before, opening) => {
    const last = before.at(-1)
    return last && String(last.days) === String(opening.days)
      ? [...before.slice(0, -1), { ...last, openings: [...last.openings, opening] }]
      : [...before, { days: opening.days, openings: [opening] }]
  }, [])

/** First and last days of what follows each other, also over the end of the week. */
const runsOf = (days: Opening['days']): readonly (readonly [first: number, last: number])[] =>
  days.reduce<readonly (readonly [number, number])[]>((before, day) => {
    const [first, last] = before.at(-1) ?? [day, day]
    return before.length > 0 && day === (last + 1) % 7
      ? [...before.slice(0, -1), [first, day]]
      : [...before, [day, day]]
  }, [])
