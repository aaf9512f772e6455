/** Opening hours as schema.org writes them: `Mo-Fr 09:00-18:00, Sa 10:00-13:00`. */
const DAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']
const PART = /^([a-z]{2})(?:-([a-z]{2}))? (\d\d):(\d\d)-(\d\d):(\d\d)$/

interface Opening {
  /** Days of the week, 0 is Monday. */
  readonly days: readonly number[]
  /** Minutes of the day. `to` may be less than `from`: then it goes on after midnight. */
  readonly from: number
  readonly to: number
}

function opening(text: string): Opening | null {
  const found = PART.exec(text.trim().toLowerCase())
  if (!found) return null
  const [, first = '', last = first, ...clock] = found
  const [start, end] = [DAYS.indexOf(first), DAYS.indexOf(last)]
  if (start < 0 || end < 0) return null
  const [h = 0, m = 0, toH = 0, toM = 0] = clock.map(Number)
  const days = Array.from({ length: ((end - start + 7) % 7) + 1 }, (_, at) => (start + at) % 7)
  return { days, from: h * 60 + m, to: toH * 60 + toM }
}

/** Whether the browser knows a time zone; the empty text is its own. */
export function isTimeZone(name: string): boolean {
  try {
    if (name !== '') dayAndMinute(0, name)
    return true
  } catch {
    return false
  }
}

/** Day of the week and minute of the day at a time, where the clocks show `timeZone`. */
function dayAndMinute(at: number, timeZone: string): readonly [day: number, minute: number] {
  const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const zone = timeZone ? { timeZone } : {}
  const parts = new Intl.DateTimeFormat('en-GB', { ...options, ...zone }).formatToParts(at)
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? ''
  return [
    DAYS.indexOf(part('weekday').slice(0, 2).toLowerCase()),
    Number(part('hour')) * 60 + Number(part('minute')),
  ]
}

/**
 * Whether it is open at `at`, milliseconds since the epoch. Hours that cannot be read, and a time zone that nobody
 * knows, close nothing.
 */
export function isOpenAt(hours: string, at: number, timeZone = ''): boolean {
  const openings = hours.split(',').map(opening)
  const readable = openings.filter((each) => each !== null)
  if (readable.length === 0 || readable.length < openings.length) return true
  try {
    const [day, minute] = dayAndMinute(at, timeZone)
    const before = (day + 6) % 7
    return readable.some(({ days, from, to }) =>
      from < to
        ? days.includes(day) && minute >= from && minute < to
        : (days.includes(day) && minute >= from) || (days.includes(before) && minute < to),
    )
  } catch {
    return true
  }
}
