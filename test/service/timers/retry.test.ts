import { expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { AT_ONCE, HELD_LIMIT, Retry } from '../../../service/src/retry.ts'

/** A store that is out until it is said to be back, and work that notes when it is tried and done. */
function outage() {
  const faults: unknown[] = []
  const due: { readonly run: () => void; readonly delayMs: number }[] = []
  const retry = new Retry(
    (thrown) => void faults.push(thrown),
    (run, delayMs) => void due.push({ run, delayMs }),
  )
  const store = { isOut: true, isHung: false }
  const tried: string[] = []
  const done: string[] = []
  const open: (() => void)[] = []
  const work = (name: string) => async (): Promise<void> => {
    tried.push(name)
    if (store.isHung) await new Promise<void>((settle) => open.push(settle))
    if (store.isOut) throw new ContactError('offline', 'the store is out')
    done.push(name)
  }
  const turn = (): Promise<void> => new Promise((settle) => setImmediate(settle))
  /** What waits for its next try is tried. Gives how long that was put off. */
  const ring = async (): Promise<number[]> => {
    const now = due.splice(0)
    for (const { run } of now) run()
    await turn()
    return now.map(({ delayMs }) => delayMs)
  }
  return {
    retry,
    store,
    work,
    tried,
    done,
    faults,
    due,
    ring,
    turn,
    answer: () => open.splice(0).forEach((settle) => settle()),
  }
}

it('SRV-14 what the store does not take is tried again, later and later, until it has been done', async () => {
  const { retry, store, work, tried, done, faults, ring, turn } = outage()
  retry.run('a', work('a'))
  await turn()
  const pauses = []
  for (let count = 0; count < 7; count += 1) pauses.push(...(await ring()))
  expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000])
  expect([tried.length, faults.length, done]).toEqual([8, 8, []])
  store.isOut = false
  await ring()
  expect([done, await ring()]).toEqual([['a'], []])
})

it('SND-306 the same, asked for again and again while the store is out, is kept once, as it was asked for last', async () => {
  const { retry, store, work, tried, done, due, ring, turn } = outage()
  for (let count = 0; count < 1_000; count += 1) {
    retry.run('agent ada', work(`${count}`))
    await turn()
  }
  expect([tried, due.length]).toEqual([['0'], 1])
  store.isOut = false
  await ring()
  expect(done).toEqual(['999'])
})

it('SND-306 what is asked for while the same is being done is done afterwards', async () => {
  const { retry, store, work, tried, done, turn, answer } = outage()
  Object.assign(store, { isOut: false, isHung: true })
  for (const name of ['first', 'second', 'third']) retry.run('session s', work(name))
  await turn()
  expect(tried).toEqual(['first'])
  answer()
  await turn()
  answer()
  await turn()
  expect(done).toEqual(['first', 'third'])
})

it('SND-306 a bounded number is kept, and of those a bounded number is tried at once; what is beyond that is refused and told', async () => {
  const { retry, store, work, tried, done, faults, ring, turn, answer } = outage()
  store.isHung = true
  for (let count = 0; count < HELD_LIMIT; count += 1) retry.run(`${count}`, work(`${count}`))
  await turn()
  expect([tried.length, faults]).toEqual([AT_ONCE, []])
  retry.run('beyond', work('beyond'))
  expect(faults).toMatchObject([{ code: 'offline' }])
  Object.assign(store, { isOut: false, isHung: false })
  answer()
  while (done.length < HELD_LIMIT) await turn()
  expect(tried).not.toContain('beyond')
  retry.run('later', work('later'))
  await turn()
  expect([done.at(-1), await ring(), faults.length]).toEqual(['later', [], 1])
})

it('SND-306 what is about nothing any more, and what is left at a stop, is not tried again', async () => {
  const { retry, work, tried, due, ring, turn } = outage()
  retry.run('gone', () => Promise.reject(new ContactError('not_found', 'it was erased')))
  await turn()
  expect(due).toEqual([])
  retry.run('a', work('a'))
  await turn()
  retry.stop()
  await ring()
  retry.run('b', work('b'))
  await turn()
  expect([tried, due]).toEqual([['a'], []])
})
