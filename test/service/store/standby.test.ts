import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Postgres } from '../../deployment/postgres.ts'
import { temporaryData } from '../../support/temporary-data.ts'

it(
  'CLU-128 what a client was told is committed is on the standby that takes over, and on the next one',
  { timeout: 120_000 },
  async () => {
    const data = temporaryData()
    const first = await Postgres.start(join(data.folder, '1'))
    await first.ask('create table told (n integer)')
    const second = await first.standby(join(data.folder, '2'))
    const { rows } = await first.ask('select sync_state from pg_stat_replication')
    expect(rows).toEqual([{ sync_state: 'sync' }])
    for (let n = 1; n <= 20; n += 1) await first.ask(`insert into told values (${n})`)
    await first.stop('SIGKILL')
    await second.promote()
    await expect
      .poll(async () => (await second.ask('select pg_is_in_recovery() as r')).rows)
      .toEqual([{ r: false }])
    expect((await second.ask('select n from told')).rowCount).toBe(20)
    const third = await second.standby(join(data.folder, '3'))
    await second.ask('insert into told values (21)')
    await second.stop('SIGKILL')
    await third.promote()
    expect((await third.ask('select n from told')).rowCount).toBe(21)
    await third.stop('SIGINT')
    data.remove()
  },
)
