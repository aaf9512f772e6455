import { readFileSync } from 'node:fs'
import type { Figures } from './figures.ts'

/** How often the loop is looked at. */
export const WATCH_MS = 5

/**
 * Watches for how long the event loop gives nobody else a turn. On a machine with other work a process also
 * stands still for want of a processor, so what counts is the part of such a time in which it worked itself.
 */
export function watchLoop(): {
  readonly read: () => Pick<Figures, 'longestMs' | 'longestBusyMs' | 'turns'>
  readonly stop: () => void
} {
  const figures = { longestMs: 0, longestBusyMs: 0, turns: 0 }
  let [at, used] = [performance.now(), busyMs()]
  const timer = setInterval(() => {
    const [now, busy] = [performance.now(), busyMs()]
    const passed = now - at - WATCH_MS
    figures.turns++
    figures.longestMs = Math.max(figures.longestMs, passed)
    figures.longestBusyMs = Math.max(figures.longestBusyMs, Math.min(passed, busy - used))
    ;[at, used] = [now, busy]
  }, WATCH_MS)
  const rounded = (ms: number): number => Math.round(ms)
  return {
    read: () => ({
      ...figures,
      longestMs: rounded(figures.longestMs),
      longestBusyMs: rounded(figures.longestBusyMs),
    }),
    stop: () => clearInterval(timer),
  }
}

/**
 * Time that the main thread has worked; where the system does not tell it of threads, that of all of them.
 */
function busyMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}
