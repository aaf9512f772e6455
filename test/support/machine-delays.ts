import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const EACH_MS = 20
const PAGE = Buffer.alloc(8_192, 1)

/**
 * How long the machine itself holds up whoever waits for it meanwhile: the longest that a process, a timer and
 * a write to the disk of `folder` took beyond what they take on an idle machine, milliseconds.
 */
export async function machineDelays<T>(folder: string, work: () => Promise<T>): Promise<[T, number]> {
  const path = join(folder, `duolog-delays-${process.pid}`)
  const file = await open(path, 'w')
  const end = new AbortController()
  let longest = 0
  const probe = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const before = performance.now()
      await delay(EACH_MS)
      await file.write(PAGE, 0, PAGE.length, 0)
      await file.sync()
      longest = Math.max(longest, performance.now() - before - EACH_MS)
    }
  }
  const probing = probe()
  try {
    return [await work(), longest]
  } finally {
    end.abort()
    await probing
    await file.close()
    await rm(path)
  }
}
