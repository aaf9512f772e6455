/** Who takes the bytes of an upload, among several nodes that share a store and a folder. */
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UploadLocks } from '../../../service/src/attachments/upload-locks.ts'
import { UPLOAD_TIMES, mayTakeUpload, mayWriteUpload } from '../../../service/src/cluster/work-rules.ts'
import { openDatabase } from '../../../service/src/store/database.ts'
import type { Database } from '../../../service/src/store/database.ts'
import { processBus, startStore } from '../../support/cluster.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { queueVisitor } from '../../support/parties.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import { announceNew, tus } from '../../support/tus.ts'

const FAST = { interval: 5, timeout: 15_000 }

describe('the lock of an upload', () => {
  const data = preparedData()
  let store: Database

  beforeAll(async () => {
    store = await openDatabase({ data: data.folder, databaseUrl: null })
    // The uploads here are of no contact.
    await store.pool.query('alter table attachments disable trigger all')
  })
  afterAll(async () => {
    await store.close()
    data.remove()
  })
  beforeEach(() =>
    store.pool.query(`delete from attachments; insert into attachments
      (id, contact, request, slot, principal, name, mimetype, size, created, touched)
      values ('f', 'c', 'r', 'visitor', 'v', 'f', 'a/b', 9, 0, 0)`),
  )

  /** Two nodes whose time is one; `timers`: what rings at each. */
  function nodes() {
    const time = new ManualClock()
    const asked: string[] = []
    const [one, two] = ['one', 'two'].map((name) => {
      const timers = new ManualClock()
      const locks = new UploadLocks({
        ...{ db: store.db, clock: timers, monotonic: () => time.now(), random: (size) => randomBytes(size) },
        ...{ node: () => name, isAlone: () => false },
        askRelease: (node, upload) => asked.push(`${node} ${upload}`),
        onFault: (thrown) => expect.fail(String(thrown)),
      })
      return { name, timers, locks }
    })
    if (!one || !two) throw new Error('a node is missing')
    const pass = (ms: number, ...running: readonly ManualClock[]): void => {
      time.advance(ms)
      for (const timers of running) timers.advance(ms)
    }
    return { one, two, asked, pass }
  }

  /** A request that wants the upload. */
  function want({ locks }: { readonly locks: UploadLocks }, onRelease = (): void => {}) {
    const lock = locks.newLock('f')
    const request = { state: 'waits', lock, end: new AbortController() }
    void lock.lock(request.end.signal, onRelease).then(
      () => (request.state = 'has it'),
      () => (request.state = 'refused'),
    )
    return request
  }

  it('CLU-100 is asked for, and taken when it is given', async () => {
    const { one, two, asked, pass } = nodes()
    const released = { count: 0 }
    const first = want(one, () => (released.count += 1))
    await expect.poll(() => first.state, FAST).toBe('has it')
    const second = want(two)
    await expect.poll(() => asked, FAST).toEqual(['one f'])
    one.locks.release('f')
    expect([released.count, second.state]).toEqual([1, 'waits'])
    expect([one.locks.mayWrite('f'), two.locks.mayWrite('f')]).toEqual([true, false])
    await first.lock.unlock()
    await expect.poll(() => (pass(UPLOAD_TIMES.lookMs, two.timers), second.state), FAST).toBe('has it')
    expect([one.locks.mayWrite('f'), two.locks.mayWrite('f')]).toEqual([false, true])
    await second.lock.unlock()
  })

  it('CLU-101 a holder without a beat for 5 s has lost it, and writes nothing from 4 s on', async () => {
    const { one, two, pass } = nodes()
    const first = want(one)
    await expect.poll(() => first.state, FAST).toBe('has it')
    const second = want(two)
    let silentMs = 0
    const look = (): string => {
      // The holder stands still: its timers do not ring.
      if (second.state === 'waits') pass(UPLOAD_TIMES.lookMs, two.timers)
      silentMs += UPLOAD_TIMES.lookMs
      expect(one.locks.mayWrite('f')).toBe(silentMs < UPLOAD_TIMES.leaseMs)
      return second.state
    }
    await expect.poll(look, FAST).toBe('has it')
    expect(silentMs).toBeGreaterThanOrEqual(UPLOAD_TIMES.takenMs)
    await first.lock.unlock()
    expect([one.locks.mayWrite('f'), two.locks.mayWrite('f')]).toEqual([false, true])
    await second.lock.unlock()
  })

  it('CLU-101 a holder that beats keeps it, and who waits for 30 s is refused', async () => {
    const { one, two, pass } = nodes()
    const first = want(one)
    await expect.poll(() => first.state, FAST).toBe('has it')
    const second = want(two)
    const look = async (): Promise<string> => {
      const { rows } = await store.pool.query<{ beat: number }>('select lock_beat as beat from attachments')
      pass(UPLOAD_TIMES.beatMs, one.timers)
      const beaten = async () =>
        (await store.pool.query<{ beat: number }>('select lock_beat as beat from attachments')).rows
      await expect.poll(beaten, FAST).not.toEqual(rows)
      two.timers.advance(UPLOAD_TIMES.beatMs)
      return second.state
    }
    await expect.poll(look, FAST).toBe('refused')
    expect(one.locks.mayWrite('f')).toBe(true)
    await first.lock.unlock()
  })

  it('CLU-101 a holder from whom it was taken finds that at its next beat', async () => {
    const { one, pass } = nodes()
    const first = want(one)
    await expect.poll(() => first.state, FAST).toBe('has it')
    await store.pool.query("update attachments set lock = 'other', lock_node = 'two'")
    expect(one.locks.mayWrite('f')).toBe(true)
    pass(UPLOAD_TIMES.beatMs, one.timers)
    await expect.poll(() => one.locks.mayWrite('f'), FAST).toBe(false)
    await first.lock.unlock()
    expect((await store.pool.query('select lock from attachments')).rows).toEqual([{ lock: 'other' }])
  })

  it('CLU-100 an upload that was given up is refused at once, and who goes away waits no longer', async () => {
    const { one, two } = nodes()
    const first = want(one)
    await expect.poll(() => first.state, FAST).toBe('has it')
    const second = want(two)
    second.end.abort()
    await expect.poll(() => second.state, FAST).toBe('refused')
    await store.pool.query('delete from attachments')
    const third = want(two)
    await expect.poll(() => third.state, FAST).toBe('refused')
    await first.lock.unlock()
  })

  it('CLU-101 the lease is over before another node may take it, whatever the store took to answer', () => {
    const sentAt = 0
    for (let now = 0; now < 10_000; now += 100)
      expect(mayWriteUpload(sentAt, now) && mayTakeUpload({ round: 1, since: sentAt }, now)).toBe(false)
  })
})

it('CLU-102 an upload goes on at another node while a request for it still stands at the one before', async () => {
  const store = await startStore()
  const folder = temporaryData()
  const openBus = processBus()
  const start = () =>
    startTestService(
      (standard) => ({
        ...standard,
        databaseUrl: store.url,
        files: { ...standard.files, folder: join(folder.folder, 'shared') },
      }),
      { openBus },
    )
  const [a, b] = [await start(), await start()]
  const bytes = new Uint8Array(randomBytes(2_000))
  const party = await queueVisitor(a)
  const { id, path, token } = await announceNew(party, { size: bytes.length, mimetype: 'a/b' })
  const slow = request(`${a.url}${path}`, {
    method: 'PATCH',
    agent: false,
    headers: {
      ...{ 'tus-resumable': '1.0.0', authorization: `Bearer ${token}` },
      ...{ 'content-type': 'application/offset+octet-stream' },
      ...{ 'upload-offset': '0', 'content-length': String(bytes.length) },
    },
  })
  const ended = new Promise<void>((settle) => {
    slow.once('response', (response) => response.resume() && settle())
    slow.once('error', () => settle())
  })
  slow.write(bytes.subarray(0, 500))
  const locked = async () =>
    (await a.service.database.pool.query('select lock_node from attachments where id = $1', [id])).rows
  await expect.poll(locked, FAST).toEqual([{ lock_node: a.service.node.id }])
  const clocks = setInterval(() => b.clock.advance(UPLOAD_TIMES.lookMs), 100)
  const head = await tus(b.url, { path, token })
  expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '500'])
  await ended
  const rest = await tus(b.url, { path, token }, { offset: 500, body: bytes.subarray(500) })
  clearInterval(clocks)
  expect(rest.status).toBe(204)
  const { rows } = await a.service.database.pool.query<{ sha256: string; count: number }>(
    "select sha256, (select count(*)::int from entries where type = 'attachment') as count from attachments",
  )
  expect(rows).toEqual([{ sha256: createHash('sha256').update(bytes).digest('hex'), count: 1 }])
  slow.destroy()
  for (const node of [a, b]) await node.close()
  await store.stop()
  folder.remove()
})
