/** What a contact costs that is open while nothing happens. */
import { setTimeout as delay } from 'node:timers/promises'
import { queueVisitor } from '../../test/support/parties.ts'
import { atMost } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { residentBytes } from '../machine.ts'
import { startGround } from './ground.ts'

const CONTACTS = Number(process.env['DUOLOG_IDLE'] ?? 10_000)
const AT_ONCE = 50
const SETTLE_MS = 5_000
const LIMIT_KB = 30

export async function idle(): Promise<readonly Figure[]> {
  const ground = await startGround()
  for (let warm = 0; warm < 4; warm += 1) await open(ground)
  await delay(SETTLE_MS)
  const before = residentBytes(ground.pid)
  for (let count = 0; count < CONTACTS; count += AT_ONCE) await open(ground)
  await delay(SETTLE_MS)
  const grown = residentBytes(ground.pid) - before
  await ground.stop()
  return [
    atMost(
      {
        name: `memory of the service for each of ${CONTACTS} idle contacts`,
        value: grown / CONTACTS / 1_000,
        unit: 'kB',
      },
      LIMIT_KB,
    ),
  ]
}

async function open(ground: Parameters<typeof queueVisitor>[0]): Promise<void> {
  await Promise.all(Array.from({ length: AT_ONCE }, () => queueVisitor(ground)))
}
