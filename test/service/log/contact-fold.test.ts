import { expect, it } from 'vitest'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry } from '../../../protocol/index.ts'
import { ContactFold } from '../../../service/src/connections/contact-fold.ts'
import { entry } from '../../support/entries.ts'

const text = (seq: number): Entry => entry(seq, 'visitor', 's', 'text', { text: 'hello' })
const texts = (...seqs: number[]): Entry[] => seqs.map(text)
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A fold, its log, who has read it, and the timers that run. */
function openFold() {
  const log: Entry[] = []
  const [taken, reads, healed, faults] = [[] as number[], [] as number[], [] as string[], [] as unknown[]]
  const timers: { readonly run: () => void; readonly delayMs: number }[] = []
  const away = { is: false }
  const fold = new ContactFold(initialContactState('visitor'), {
    read: ({ after, limit }) => {
      reads.push(after)
      if (away.is) return Promise.reject(new Error('the store is away'))
      return Promise.resolve(log.filter(({ seq }) => seq > after).slice(0, limit))
    },
    take: (fresh) => taken.push(...fresh.map(({ seq }) => seq)),
    onHealed: (by) => healed.push(by),
    later: (run, delayMs) => timers.push({ run, delayMs }),
    onFault: (thrown) => faults.push(thrown),
  })
  const ring = async (): Promise<void> => {
    for (const { run } of timers.splice(0)) run()
    await settled()
  }
  return { fold, log, taken, reads, healed, faults, timers, away, ring }
}

it('CLU-63 entries of two nodes that arrive in another order are taken in that of the log', async () => {
  const { fold, taken, reads, healed, timers, ring } = openFold()
  fold.take(texts(2, 3))
  fold.take(texts(5))
  expect(taken).toEqual([])
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([20])
  fold.take(texts(1))
  fold.take(texts(4))
  await ring()
  expect(taken).toEqual([1, 2, 3, 4, 5])
  expect({ reads, healed }).toEqual({ reads: [], healed: [] })
})

it('CLU-63 what is still missing after 20 ms is read from the log, and counted', async () => {
  const { fold, log, taken, healed, ring } = openFold()
  log.push(...texts(1, 2, 3))
  fold.take(texts(3))
  fold.take(texts(1))
  await ring()
  expect(taken).toEqual([1, 2, 3])
  expect(healed).toEqual(['gap'])
})

it('CLU-63 an entry that comes twice, or was read meanwhile, is taken once', async () => {
  const { fold, log, taken, ring } = openFold()
  log.push(...texts(1, 2, 3, 4))
  fold.take(texts(1, 2))
  fold.take(texts(2))
  fold.take(texts(4))
  await ring()
  fold.take(texts(4, 3))
  fold.take(texts(5))
  expect(taken).toEqual([1, 2, 3, 4, 5])
})

it('CLU-63 of entries far ahead only so many are kept; the log has the others', async () => {
  const { fold, log, taken, reads, ring } = openFold()
  log.push(...Array.from({ length: 3_000 }, (_, index) => text(index + 1)))
  fold.take(log.slice(1))
  await ring()
  await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(3_000)
  expect(reads.length).toBeGreaterThan(1)
  expect(taken).toEqual(log.map(({ seq }) => seq))
})

it('CLU-63 the poll finds what no hint has said', async () => {
  const { fold, log, taken, healed, ring } = openFold()
  log.push(...texts(1, 2))
  fold.reach(2, 'poll')
  await ring()
  expect(taken).toEqual([1, 2])
  expect(healed).toEqual(['poll'])
  fold.reach(2, 'poll')
  await ring()
  expect(healed).toEqual(['poll'])
})

it('CLU-63 what cannot be read is read when more is heard', async () => {
  const { fold, log, taken, faults, away, ring } = openFold()
  log.push(...texts(1, 2))
  away.is = true
  fold.take(texts(2))
  await ring()
  expect(faults).toHaveLength(1)
  away.is = false
  fold.reach(2, 'poll')
  await ring()
  expect(taken).toEqual([1, 2])
})

it('CLU-64 what waits for an entry goes on with it, in order, whatever comes in between', async () => {
  const { fold, ring, log } = openFold()
  const done: string[] = []
  const wait = (name: string, after: number): void =>
    fold.at(after, (isReached) => done.push(`${name} ${isReached}`))
  wait('none', 0)
  wait('second', 2)
  wait('behind', 0)
  wait('first', 1)
  fold.take(texts(1))
  expect(done).toEqual(['none true'])
  fold.take(texts(2))
  expect(done).toEqual(['none true', 'second true', 'behind true', 'first true'])
  wait('never', 9)
  log.push(...texts(1, 2))
  await ring()
  expect(done.at(-1)).toBe('never false')
  wait('closed', 9)
  fold.close()
  expect(done.at(-1)).toBe('closed false')
})
