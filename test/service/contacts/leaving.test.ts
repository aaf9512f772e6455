import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, timerSet } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const lifeOf = async (contact: string): Promise<{ life: string; machine: string } | undefined> =>
  (
    await test.service.database.pool.query<{ life: string; machine: string }>(
      'select life, machine from contacts where id = $1',
      [contact],
    )
  ).rows[0]

describe('a session that never announced itself', () => {
  it.each(['visitor', 'agent'] as const)(
    'LIFE-12 of the %s leaves alone: the one that did has only lost its connection for a moment',
    async (slot) => {
      const { id, ...parties } = await joinBoth(test)
      const party = parties[slot]
      const other = await WireClient.connect(test.url, party.client.token)
      const idle = new WireSession(other, id)
      await idle.open()
      party.client.close()
      await timerSet(test, id, 'absence')
      await idle.leave()
      expect(await lifeOf(id)).toMatchObject({
        life: 'joined',
        machine: expect.stringContaining('"visitor":"here"') as string,
      })
      const back = new WireSession(other, id, party.session.id)
      await back.open()
      back.counter = party.session.counter
      await back.text('as if nothing had been')
      other.close()
    },
  )
})

it('LIFE-12 what a contact went on as is ended by a leave that is repeated after the store was out', async () => {
  const { visitor, agent, id } = await joinBoth(test)
  const { contact: next } = await agent.client.call('agent.transfer', { contact: id, toTags: ['x'] })
  const { pool } = test.service.database
  const locker = await pool.connect()
  await locker.query('begin')
  await locker.query('select 1 from contacts where id = $1 for update', [next])
  await expect(visitor.session.leave()).rejects.toMatchObject({ code: 'offline' })
  await locker.query('commit')
  locker.release()
  await visitor.session.leave()
  expect(await lifeOf(next)).toMatchObject({ life: 'cleared' })
  await expect(visitor.session.open()).rejects.toMatchObject({ code: 'left' })
})
