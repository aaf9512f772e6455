import { expect, it } from 'vitest'
import { LinePace } from '../../../service/src/connections/line-pace.ts'

const KIB = 1_024

/** Writes pages as long as the line takes them; it carries `bytesPerMs`, and every ping is answered. */
function onLine(bytesPerMs: number, latencyMs: number, pages: number) {
  let now = 0
  let arrivesAt = 0
  const pace = new LinePace(() => now)
  const answers: number[] = []
  let longestMs = 0
  for (let page = 0; page < pages; page++) {
    while (pace.isFull) {
      now = Math.max(now, answers.shift() ?? Number.POSITIVE_INFINITY)
      pace.answered()
    }
    pace.wrote(8 * KIB)
    arrivesAt = Math.max(now, arrivesAt) + (8 * KIB) / bytesPerMs
    longestMs = Math.max(longestMs, arrivesAt - now)
    if (!pace.mustAsk) continue
    pace.asked()
    answers.push(arrivesAt + latencyMs)
  }
  return { window: pace.window, longestMs, tookMs: now }
}

it('SND-303 on a line of 32 kbit/s what is on its way arrives in 5 s', () => {
  const { longestMs, window } = onLine(4, 100, 50)
  expect(longestMs).toBeLessThan(5_000)
  expect(window).toBe(8 * KIB)
})

it('SND-303 a quick line is soon limited by nothing but the kernel', () => {
  const { tookMs, window } = onLine(10_000, 50, 200)
  expect(window).toBe(128 * KIB)
  expect(tookMs).toBeLessThan(1_500)
})

it('SND-303 answers to pings of a page that was asked nothing change nothing', () => {
  const pace = new LinePace(() => 0)
  pace.answered()
  pace.asked()
  pace.answered()
  expect([pace.window, pace.isFull]).toEqual([16 * KIB, false])
})
