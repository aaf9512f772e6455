import { expect, it } from 'vitest'
import type { Principal } from '../../../service/src/auth/principal.ts'
import { Caller } from '../../../service/src/connections/caller.ts'
import { Lease } from '../../../service/src/connections/lease.ts'
import type { PacketSink } from '../../../service/src/connections/packet-sink.ts'

const LIFE_MS = 900_000

/** A clock that says which timers stand. */
function countingClock() {
  const standing = new Set<unknown>()
  const clock = {
    now: () => 0,
    setTimeout: (run: () => void) => {
      standing.add(run)
      return run
    },
    clearTimeout: (handle: unknown) => void standing.delete(handle),
  }
  return { clock, standing }
}

it('SND-306 a renewal that is checked while its connection ends leaves no timer behind', async () => {
  const { clock, standing } = countingClock()
  const lease = new Lease({ clock, warn: () => {}, end: () => {} }, LIFE_MS)
  const principal = { use: 'visitor', id: 'v', expires: 2 * LIFE_MS } as Principal
  let isOpen = true
  const sink = { isOpen: () => isOpen } as PacketSink
  const check = () => Promise.resolve(principal)
  const caller = new Caller(principal, { id: 'l-1', sink, ready: Promise.resolve(), lease, check })
  await caller.renew('fresh')
  expect(standing.size).toBe(2)
  const renewal = caller.renew('fresh')
  isOpen = false
  lease.stop()
  await expect(renewal).rejects.toMatchObject({ code: 'offline' })
  expect(standing.size).toBe(0)
  lease.extend(LIFE_MS)
  expect(standing.size).toBe(0)
})
