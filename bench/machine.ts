/** What the machine does at the moment, by Linux's `/proc`. */
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './figures.ts'

const SYNCS = 50
const BLOCK = Buffer.alloc(8_192, 1)

/** Median time to bring 8 KiB to the disk, as PostgreSQL does at every commit. */
export async function fsyncMs(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'duolog-fsync-'))
  const file = openSync(join(folder, 'block'), 'w')
  const times: number[] = []
  while (times.length < SYNCS) {
    const start = performance.now()
    writeSync(file, BLOCK, 0, BLOCK.length, 0)
    fdatasyncSync(file)
    times.push(performance.now() - start)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(times)
}

const TICKS_A_SECOND = 100

/** Processor time that a process has used, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** The same of all its children, such as the backends of PostgreSQL. */
export function cpuSecondsOfChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.reduce((sum, child) => sum + cpuSeconds(child), 0)
}

/** Memory that a process holds. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}

/** Nice value: about thirty times the share of a program without one. */
const FIRST = -15

/**
 * The process gets the processors before others, as on a machine of its own. It must be first of its session:
 * Linux shares the processors among sessions. Returns whether that is allowed.
 */
export function goesFirst(pid: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), FIRST)
    writeFileSync(`/proc/${pid}/autogroup`, String(FIRST))
    return true
  } catch {
    return false
  }
}
