import { describe, expect, it } from 'vitest'
import { isOpenAt, wrongPart } from '../../apps/visitor/src/opening-hours.ts'

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

  /** Days of the week, from Monday, on which it is open at 12:00. */
  const openDays = (hours: string): readonly number[] =>
    [0, 1, 2, 3, 4, 5, 6].filter((day) => isOpen(hours, 24 * day))

  it.each([
    ['Tu,Th 11:00-20:00', [1, 3]],
    ['Mo-We,Fr 09:00-17:00', [0, 1, 2, 4]],
    ['Mo, Fr 09:00-17:00, Sa 10:00-13:00', [0, 4, 5]],
    ['Mo-Fr 09:00-11:00, 11:30-17:00', [0, 1, 2, 3, 4]],
    ['Mo 9:00-17:00', [0]],
    ['Mo\u2013Tu 09:00 \u2013 17:00', [0, 1]],
    ['Mo-Fr  09:00-17:00; Su 10:00-13:00', [0, 1, 2, 3, 4, 6]],
    ['Fr; Sa 14:00-18:00', [4]],
    ['Fr', [4]],
    ['Mo 13:00-14:00, We,Fr', [2, 4]],
    ['mo-su', [0, 1, 2, 3, 4, 5, 6]],
  ])('PRD-4 %s are read', (hours, days) => {
    expect([openDays(hours), wrongPart(hours)]).toEqual([days, null])
  })

  it('PRD-4 of a day alone are its 24 hours', () => {
    expect([-13, -12, 11, 12].map((later) => isOpen('Mo', later))).toEqual([false, true, true, false])
  })

  it.each([
    ['always', 'always'],
    ['Mo-Xx 09:00-18:00', 'Mo-Xx 09:00-18:00'],
    ['Mo 13:00-14:00, Tu 9-18', 'Tu 9-18'],
    ['13:00-14:00', '13:00-14:00'],
    ['Tu 13:00-25:00', 'Tu 13:00-25:00'],
    ['Tu 13:60-14:00', 'Tu 13:60-14:00'],
    ['Tu13:00-14:00', 'Tu13:00-14:00'],
    ['Tu 13:00-14:00,', ''],
  ])('PRD-4 %s are not understood, and close nothing', (hours, wrong) => {
    expect([openDays(hours), wrongPart(hours)]).toEqual([[0, 1, 2, 3, 4, 5, 6], wrong])
  })

  it('PRD-4 that nobody can read close nothing', () => {
    for (const hours of ['always', 'Mo-Xx 09:00-18:00', '', 'Mo 9-18']) expect(isOpen(hours, 12)).toBe(true)
    expect(isOpenAt('Mo 00:00-00:01', NOON, 'Nowhere/City')).toBe(true)
  })
})
