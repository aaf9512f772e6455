import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../service/src/clock/clock.ts'
import { StoreClock } from '../../../service/src/clock/store-clock.ts'
import { startService } from '../../../service/src/start-service.ts'
import type { RunningService } from '../../../service/src/start-service.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { queueVisitor } from '../../support/parties.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInVisitor, testOptions } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

afterEach(() => void vi.restoreAllMocks())

describe('the clock of the service', () => {
  it('SND-126 follows the machine: after it was suspended, when no time passes for processes, and where it is set', () => {
    const clock = systemClock()
    const [wall, passed] = [Date.now(), performance.now()]
    vi.spyOn(performance, 'now').mockReturnValue(passed)
    vi.spyOn(Date, 'now').mockReturnValue(wall + 3_600_000)
    expect(clock.now()).toBe(wall + 3_600_000)
    vi.spyOn(Date, 'now').mockReturnValue(wall - 60_000)
    expect(clock.now()).toBe(wall - 60_000)
  })
})

describe('the time of the store', () => {
  const machineOf = (machine: ManualClock) => ({ machine, monotonic: () => machine.now() })

  /** A store that is ahead of the machine by so much, and takes so long to answer. */
  function store(aheadMs: number, clock: ManualClock, tookMs = 0) {
    const asked = { count: 0 }
    const query = async () => {
      asked.count++
      clock.advance(tookMs / 2)
      const now = String(clock.now() + aheadMs)
      clock.advance(tookMs / 2)
      return { rows: [{ now }] }
    }
    return { pool: { query } as never, asked }
  }

  it('SND-126 what stands in the store goes by its clock, however far this machine is off', async () => {
    const clock = new ManualClock()
    const { pool } = store(90_000, clock)
    const time = new StoreClock(machineOf(clock), pool, () => {})
    await time.start()
    expect(time.now()).toBe(clock.now() + 90_000)
    time.stop()
  })

  it('SND-126 is asked again and again, and a slow answer moves nothing that it does not prove', async () => {
    const clock = new ManualClock()
    const slow = store(300, clock, 1_000)
    const time = new StoreClock(machineOf(clock), slow.pool, () => {})
    await time.start()
    expect(Math.abs(time.now() - clock.now())).toBeLessThanOrEqual(500)
    const before = slow.asked.count
    clock.advance(10_000)
    expect(slow.asked.count).toBe(before + 1)
    time.stop()
  })

  /** A time of the store, a machine's monotonic time, and its clock, each of which a test moves. */
  function apart() {
    const clock = new ManualClock()
    const at = { store: clock.now(), monotonic: 0 }
    const pool = { query: async () => ({ rows: [{ now: String(at.store) }] }) } as never
    const time = new StoreClock({ machine: clock, monotonic: () => at.monotonic }, pool, () => {})
    const pass = (ms: number): number => {
      at.store += ms
      at.monotonic += ms
      return time.now()
    }
    return { at, time, pass, clock }
  }

  it('CLU-106 goes by monotonic time between two answers, whatever the clock of the machine is set to', async () => {
    const { at, time, pass, clock } = apart()
    await time.ask()
    clock.advance(3_600_000)
    expect(pass(1_000)).toBe(at.store)
  })

  it('CLU-106 a store that is ahead is caught up with little by little, after more than a second at once', async () => {
    const { at, time, pass } = apart()
    await time.ask()
    at.store += 400
    await time.ask()
    expect(at.store - time.now()).toBe(400)
    pass(400)
    expect(at.store - time.now()).toBe(200)
    pass(400)
    expect(at.store - time.now()).toBe(0)
    expect(pass(10_000)).toBe(at.store)
    at.store += 3_600_000
    await time.ask()
    expect(time.now()).toBe(at.store)
  })

  it('CLU-106 never goes back: a store that was set back is waited for while time passes', async () => {
    const { at, time, pass } = apart()
    await time.ask()
    at.store -= 2_000
    let before = time.now()
    await time.ask()
    for (let count = 0; count < 50; count += 1) {
      const now = pass(100)
      expect(now).toBeGreaterThan(before)
      before = now
    }
    expect(time.now()).toBe(at.store)
  })

  it('SND-126 while the store is out it goes on', async () => {
    const clock = new ManualClock()
    const faults: unknown[] = []
    const time = new StoreClock(
      machineOf(clock),
      { query: () => Promise.reject(new Error('out')) } as never,
      (fault) => faults.push(fault),
    )
    await time.start()
    clock.advance(5_000)
    expect([time.now(), faults.length]).toEqual([clock.now(), 1])
    time.stop()
  })
})

describe('a machine whose clock is behind the store', () => {
  const data = preparedData()
  let service: RunningService

  beforeAll(async () => {
    const now = Date.now.bind(Date)
    vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000)
    service = await startService(testOptions(data.folder))
  })
  afterAll(async () => {
    await service.stop()
    data.remove()
  })

  it('SND-126 writes what is due by the time of the store', async () => {
    const visitor = async () => WireClient.connect(service.url, (await signInVisitor(service.url)).token)
    const { id, client } = await queueVisitor({ visitor, agent: visitor })
    const { rows } = await service.database.pool.query<{ created: number; now: number }>(
      'select created, (extract(epoch from clock_timestamp()) * 1000)::bigint as now from contacts where id = $1',
      [id],
    )
    expect(Math.abs((rows[0]?.created ?? 0) - (rows[0]?.now ?? 0))).toBeLessThan(60_000)
    client.close()
  })
})
