import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AuditLine } from '../../../service/src/audit.ts'
import { removeContacts, removeEntries } from '../../../service/src/store/removal.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { sendFile } from '../../support/tus.ts'

const adminToken = 'an administration token'
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
const lines: AuditLine[] = []
let test: TestService

beforeAll(async () => {
  test = await startTestService({ adminToken }, { audit: (line) => void lines.push(line) })
})
afterAll(() => test.close())
beforeEach(() => {
  lines.length = 0
})

const admin = (method: string, path: string, token = adminToken) =>
  fetch(`${test.url}/v1/admin/${path}`, { method, headers: { authorization: `Bearer ${token}` } })
const hold = async (method: 'PUT' | 'DELETE', contact: string): Promise<number> =>
  (await admin(method, `contacts/${contact}/hold`)).status
const rowsOf = async (table: string, contact: string): Promise<number> =>
  (
    await test.service.database.pool.query(
      `select 1 from ${table} where ${table === 'contacts' ? 'id' : 'contact'} = $1`,
      [contact],
    )
  ).rowCount ?? 0
const kept = (contact: string) =>
  Promise.all(['contacts', 'entries', 'attachments'].map(async (table) => (await rowsOf(table, contact)) > 0))
const visitorOf = async ({
  client,
  id,
}: Pick<Awaited<ReturnType<typeof queueVisitor>>, 'client' | 'id'>): Promise<string> =>
  (await client.call('contact.read', { contact: id })).record.visitor.id

describe('a contact under a legal hold', () => {
  it('SND-127 is not erased with its visitor, of whom nothing goes, until the hold is released; each is in the audit log', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.text('evidence')
    const who = await visitorOf(visitor)
    lines.length = 0
    expect([await hold('PUT', id), await hold('PUT', id)]).toEqual([204, 204])
    const refused = await admin('DELETE', `visitors/${who}`)
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: { code: 'invalid_state', message: expect.stringContaining('legal hold') as string } },
    ])
    await visitor.session.text('and more')
    expect([
      visitor.client.socket.connected,
      agent.client.socket.connected,
      (await kept(id)).slice(0, 2),
    ]).toEqual([true, true, [true, true]])
    expect(await (await admin('GET', `visitors/${who}`)).text()).toContain(`"legal_hold":${test.clock.now()}`)
    expect(await hold('DELETE', id)).toBe(204)
    expect(await (await admin('DELETE', `visitors/${who}`)).json()).toEqual({ contacts: 1 })
    expect(await kept(id)).toEqual([false, false, false])
    const action = '/v1/admin/contacts/:contact/hold'
    await expect
      .poll(() => lines.filter((line) => line.who === 'admin'))
      .toMatchObject([
        { action: `PUT ${action}`, contact: id, result: 'ok' },
        { action: `PUT ${action}`, contact: id, result: 'ok' },
        { action: 'DELETE /v1/admin/visitors/:visitor', result: '409' },
        { action: 'GET /v1/admin/visitors/:visitor', result: 'ok' },
        { action: `DELETE ${action}`, contact: id, result: 'ok' },
        { action: 'DELETE /v1/admin/visitors/:visitor', result: 'ok' },
      ])
  })

  it(
    'SND-127 stays with messages and files however old it is, and goes after the release',
    { timeout: 120_000 },
    async () => {
      const [held, other] = [await queueVisitor(test), await queueVisitor(test)]
      const files: string[] = []
      for (const each of [held, other]) {
        await each.session.text('said')
        files.push(await sendFile(test.url, each, Buffer.from('bytes')))
        await each.session.leave()
      }
      await hold('PUT', held.id)
      const gone = async (contact: string): Promise<void> => {
        while ((await rowsOf('contacts', contact)) > 0) test.clock.advance(HOUR_MS)
      }
      test.clock.advance(91 * DAY_MS)
      await gone(other.id)
      expect([await kept(other.id), await kept(held.id)]).toEqual([
        [false, false, false],
        [true, true, true],
      ])
      expect(files.map((file) => existsSync(join(test.options.files.folder, file)))).toEqual([true, false])
      // What comes after it has its turn too.
      await test.service.database.pool.query(
        "insert into visitors (id, origin, created) values ('v-old', '', 1)",
      )
      while (
        (await test.service.database.pool.query("select 1 from visitors where id = 'v-old'")).rowCount === 1
      )
        test.clock.advance(HOUR_MS)
      await hold('DELETE', held.id)
      await gone(held.id)
      expect(await kept(held.id)).toEqual([false, false, false])
    },
  )

  it('SND-127 is held under every id: what it was before a transfer, and what it goes on as', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const heldNow = async (...ids: string[]): Promise<boolean[]> =>
      (
        await test.service.database.pool.query<{ held: boolean }>(
          'select legal_hold is not null as held from unnest($1::text[]) with ordinality n(id, place) join contacts using (id) order by place',
          [ids],
        )
      ).rows.map(({ held }) => held)
    await hold('PUT', id)
    const { contact: next } = await agent.client.call('agent.transfer', { contact: id, toTags: ['other'] })
    expect(await heldNow(id, next)).toEqual([true, true])
    expect([await hold('DELETE', next), await heldNow(id, next)]).toEqual([204, [false, false]])
    expect([await hold('PUT', next), await heldNow(id, next)]).toEqual([204, [true, true]])
    expect([await hold('DELETE', id), await heldNow(id, next)]).toEqual([204, [false, false]])
    visitor.client.close()
  })

  it('SND-127 is spared by a removal that has begun, from the moment when the hold is set', async () => {
    const [one, two] = [await queueVisitor(test), await queueVisitor(test)]
    const { db, pool } = test.service.database
    const setting = await pool.connect()
    await setting.query('begin')
    await setting.query('update contacts set legal_hold = 1 where id = $1', [one.id])
    const removing = removeContacts(db, [one.id, two.id], async () => {})
    while ((await pool.query('select 1 from pg_locks where not granted')).rowCount === 0)
      await new Promise((settle) => setImmediate(settle))
    await setting.query('commit')
    setting.release()
    await removing
    expect([(await kept(one.id)).slice(0, 2), (await kept(two.id)).slice(0, 2)]).toEqual([
      [true, true],
      [false, false],
    ])
    expect(await removeEntries(db, [one.id])).toBe(0)
    await hold('DELETE', one.id)
  })

  it('SND-127 is one that there is, and only who runs the service sets or releases it', async () => {
    expect([
      await hold('PUT', 'c-nobody'),
      await hold('DELETE', 'c-nobody'),
      await hold('PUT', 'a%20b'),
    ]).toEqual([404, 404, 404])
    expect((await admin('PUT', 'contacts/c-nobody/hold', 'wrong')).status).toBe(401)
  })
})
