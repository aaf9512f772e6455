/**
 * Opening hours as schema.org writes them (`openingHours`): `Mo-Fr 09:00-18:00, Sa 10:00-13:00`. Days are ranges and
 * lists, `Mo-We,Fr 09:00-17:00`; days without a time are whole days.
 */
const DAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']
const PART = /^(?:([a-z]{2})(?:-([a-z]{2}))?(?: |$))?(?:(\d\d?):(\d\d)-(\d\d?):(\d\d))?$/
export const DAY_MINUTES = 24 * 60

interface Times {
  /** Minutes of the day. `to` may be less than `from`: then it goes on after midnight. */
  readonly from: number
  readonly to: number
}
export interface Opening extends Times {
  /** Days of the week, 0 is Monday. */
  readonly days: readonly number[]
}

/** What stands between two commas: days, times, or both; null where it is neither. */
function part(text: string): { readonly days: readonly number[]; readonly times: Times | null } | null {
  const found = PART.exec(text)
  if (!found || text === '') return null
  const [, first, last = first, ...clock] = found
  const days = first === undefined ? [] : daysBetween(first, last)
  if (!days || clock[0] === undefined) return days && { days, times: null }
  const [h = 0, m = 0, toH = 0, toM = 0] = clock.map(Number)
  const [from, to] = [h * 60 + m, toH * 60 + toM]
  return Math.max(m, toM) < 60 && Math.max(from, to) <= DAY_MINUTES ? { days, times: { from, to } } : null
}

function daysBetween(first: string, last = first): readonly number[] | null {
  const [start, end] = [DAYS.indexOf(first), DAYS.indexOf(last)]
  if (start < 0 || end < 0) return null
  return Array.from({ length: ((end - start + 7) % 7) + 1 }, (_, at) => (start + at) % 7)
}

/** The openings, and the parts that are not understood. */
function read(hours: string): { readonly openings: readonly Opening[]; readonly wrong: readonly string[] } {
  const openings: Opening[] = []
  const wrong: string[] = []
  for (const rule of hours.split(';').filter((each) => each.trim() !== '')) {
    // Days that wait for the time behind them, and those of the time before.
    let waiting: readonly number[] = []
    let days: readonly number[] = []
    for (const text of rule.split(',')) {
      const found = part(tidy(text))
      if (found && found.days.length > 0) waiting = days = [...waiting, ...found.days]
      if (!found || days.length === 0) wrong.push(text.trim())
      else if (found.times) {
        openings.push({ days, ...found.times })
        waiting = []
      }
    }
    if (waiting.length > 0) openings.push({ days: waiting, from: 0, to: DAY_MINUTES })
  }
  return { openings, wrong }
}

/** What is understood; a whole day is from 0 to {@link DAY_MINUTES}. */
export const openingsOf = (hours: string): readonly Opening[] => read(hours).openings

/** In small letters, with one kind of dash and of space. */
const tidy = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?[-\u2010-\u2015\u2212] ?/g, '-')

/** The part of the hours that is not understood; null where all are. */
export const wrongPart = (hours: string): string | null => read(hours).wrong[0] ?? null

/** Day of the week and minute of the day at a time, where the clocks show `timeZone`. */
function dayAndMinute(at: number, timeZone: string): readonly [day: number, minute: number] {
  const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const zone = timeZone ? { timeZone } : {}
  const parts = new Intl.DateTimeFormat('en-GB', { ...options, ...zone }).formatToParts(at)
  const shown = (type: string): string => parts.find((each) => each.type === type)?.value ?? ''
  return [
    DAYS.indexOf(shown('weekday').slice(0, 2).toLowerCase()),
    Number(shown('hour')) * 60 + Number(shown('minute')),
  ]
}

/**
 * Whether it is open at `at`, milliseconds since the epoch. Hours that cannot be read, and a time zone that nobody
 * knows, close nothing.
 */
export function isOpenAt(hours: string, at: number, timeZone = ''): boolean {
  const { openings, wrong } = read(hours)
  if (openings.length === 0 || wrong.length > 0) return true
  try {
    const [day, minute] = dayAndMinute(at, timeZone)
    const before = (day + 6) % 7
    return openings.some(({ days, from, to }) =>
      from < to
        ? days.includes(day) && minute >= from && minute < to
        : (days.includes(day) && minute >= from) || (days.includes(before) && minute < to),
    )
  } catch {
    return true
  }
}
