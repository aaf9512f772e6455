import { readFile } from 'node:fs/promises'
import type { CDPSession } from 'playwright-core'

/** What the browser holds in memory, MiB: its processes' shares of what they share added up. */
export async function residentMb(cdp: CDPSession): Promise<number> {
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
  const shares = await Promise.all(
    processInfo.map(async ({ id }) =>
      Number(
        /^Pss:\s+(\d+) kB/m.exec(await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => ''))?.[1] ??
          0,
      ),
    ),
  )
  return shares.reduce((sum, share) => sum + share, 0) / 1024
}

/** Watches what the browser holds until `stop`, which gives the most. */
export function watchMemory(cdp: CDPSession): { readonly stop: () => Promise<number> } {
  const over = new AbortController()
  const watching = (async () => {
    let most = 0
    while (!over.signal.aborted) {
      most = Math.max(most, await residentMb(cdp))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return most
  })()
  watching.catch(() => {})
  return {
    stop: () => {
      over.abort()
      return watching
    },
  }
}
