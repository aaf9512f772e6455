/** Two nodes change contacts at which different agents and visitors meet: nobody waits for the other in a circle. */
import { beforeEach, expect, it } from 'vitest'
import { carryOut } from '../../../service/src/contacts/change-group.ts'
import type { ChangeJob } from '../../../service/src/contacts/change-group.ts'
import { testStore } from '../../support/test-store.ts'

const store = testStore()
let deadlocks = 0

beforeEach(async () => {
  deadlocks = 0
  await store().pool.query(
    "delete from agents; delete from visitors; insert into agents (id, nick) values ('a', 'A'), ('b', 'B'); insert into visitors (id, origin, created) values ('v', '', 0)",
  )
})

const parts = () => ({
  ...{ db: store().db, waits: true, now: () => 0, publish: () => {} },
  metrics: { add: () => void (deadlocks += 1) },
})

/** A change of a new contact that looks at a party after the others of its group have come so far. */
const job = (
  key: string,
  run: (lock: (table: 'agents' | 'visitors') => Promise<unknown>) => Promise<void>,
): ChangeJob & { readonly ended: Promise<unknown> } => {
  let [done, failed] = [(): void => {}, (_cause: unknown): void => {}]
  const ended = new Promise<unknown>((settle, fail) => ([done, failed] = [() => settle('done'), fail]))
  return {
    ...{ contact: `c-${key}`, lockKey: key, isNew: true, done, failed, ended },
    run: async ({ batch }) => {
      await run((table) =>
        batch.trx.selectFrom(table).select('id').where('id', '=', key).forUpdate().execute(),
      )
      return []
    },
  }
}

/** Runs so many times the work in groups that look at the parties in other orders, at the same moment. */
async function crossed(keys: readonly [string, 'agents' | 'visitors'][]): Promise<void> {
  let arrived = 0
  let go = (): void => {}
  const both = new Promise<void>((settle) => (go = settle))
  const group = (order: typeof keys) => {
    let before = Promise.resolve()
    return order.map(([key, table], index) =>
      job(key, async (lock) => {
        const turn = before
        let next = (): void => {}
        before = new Promise<void>((settle) => (next = settle))
        await turn
        await lock(table)
        if (index === 0) {
          arrived += 1
          if (arrived === 2) go()
          await Promise.race([both, new Promise((settle) => setTimeout(settle, 300))])
        }
        next()
      }),
    )
  }
  const groups = [group(keys), group(keys.toReversed())]
  await Promise.all(groups.map((jobs) => carryOut(parts(), jobs)))
  for (const jobs of groups)
    expect(await Promise.all(jobs.map(({ ended }) => ended))).toEqual(['done', 'done'])
}

it('CLU-95 two groups that meet at two agents in opposite orders do not wait for each other', async () => {
  await crossed([
    ['a', 'agents'],
    ['b', 'agents'],
  ])
  expect(deadlocks).toBe(0)
})

it('CLU-95 nor where they meet at an agent and a visitor', async () => {
  await crossed([
    ['a', 'agents'],
    ['v', 'visitors'],
  ])
  expect(deadlocks).toBe(0)
})

it('CLU-95 a transaction that the store gives up for a deadlock is made again, and counted', async () => {
  let tries = 0
  const again = job('a', async () => {
    tries += 1
    if (tries === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  await carryOut(parts(), [again])
  expect([await again.ended, tries, deadlocks]).toEqual(['done', 2, 1])
})
