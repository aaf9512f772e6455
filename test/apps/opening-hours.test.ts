import { describe, expect, it } from 'vitest'
import { isOpenAt } from '../../apps/visitor/src/opening-hours.ts'

/** A Monday, 12:00 in Rome. */
const NOON = Date.parse('2026-11-23T11:00:00Z')
const HOUR = 3_600_000
const isOpen = (hours: string, hoursLater = 0): boolean =>
  isOpenAt(hours, NOON + hoursLater * HOUR, 'Europe/Rome')

describe('opening hours', () => {
  it('PRD-4 hold for their days and minutes, in their time zone', () => {
    const hours = 'Mo-Fr 09:00-18:00, Sa 10:00-13:00'
    expect([-4, -3, 0, 5, 6].map((later) => isOpen(hours, later))).toEqual([false, true, true, true, false])
    expect([24 * 4, 24 * 5, 24 * 5 + 1, 24 * 6].map((later) => isOpen(hours, later))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(isOpenAt('Mo 09:00-11:30', NOON, 'UTC')).toBe(true)
    expect(isOpen('Mo 09:00-11:30')).toBe(false)
  })

  it('PRD-4 go on after midnight and over the end of the week', () => {
    expect([10, 11, 14, 15].map((later) => isOpen('Mo 23:00-03:00', later))).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(isOpen('Fr-Mo 10:00-14:00')).toBe(true)
    expect(isOpen('Fr-Mo 10:00-14:00', 24)).toBe(false)
  })

  it('PRD-4 that nobody can read close nothing', () => {
    for (const hours of ['always', 'Mo-Xx 09:00-18:00', '', 'Mo 9-18']) expect(isOpen(hours, 12)).toBe(true)
    expect(isOpenAt('Mo 00:00-00:01', NOON, 'Nowhere/City')).toBe(true)
  })
})
