import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
let test: TestService

beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

const admin = (method: string, path: string, body?: unknown) =>
  fetch(`${test.url}/v1/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const erase = async (visitor: string): Promise<number> =>
  (await admin('DELETE', `visitors/${visitor}`, {})).status
const refresh = async (token: string): Promise<number> =>
  (
    await fetch(`${test.url}/v1/visitors/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh: token }),
    })
  ).status
const count = async (text: string, ...values: unknown[]): Promise<number> =>
  (await test.service.database.pool.query(text, values)).rowCount ?? 0

/** Locks a contact. Gives what releases it. */
async function lock(contact: string): Promise<() => Promise<void>> {
  const locker = await test.service.database.pool.connect()
  await locker.query('begin')
  await locker.query('select 1 from contacts where id = $1 for update', [contact])
  return async () => {
    await locker.query('commit')
    locker.release()
  }
}

describe('erasing a visitor', () => {
  it('OPS-6 ends the sign-in first: who refreshes meanwhile gets nothing', async () => {
    const signed = await signInVisitor(test.url)
    const client = await WireClient.connect(test.url, signed.token)
    const { contact } = await client.call('contact.create', { request: randomUUID(), contact: {} })
    const release = await lock(contact)
    const erased = erase(signed.visitor)
    while ((await count('select 1 from pg_locks where not granted')) === 0)
      await new Promise((settle) => setImmediate(settle))
    test.clock.advance(10)
    expect(await refresh(signed.refresh)).toBe(401)
    await release()
    expect(await erased).toBe(200)
    expect(await count('select 1 from visitors where id = $1', signed.visitor)).toBe(0)
  })

  it('OPS-6 SND-305 an agent who does not read for a while is told of it', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const line = (agent.client.socket.io.engine.transport as unknown as { ws: { _socket: Socket } }).ws
      ._socket
    line.pause()
    for (let count = 0; count < 40; count += 1) await visitor.session.text('x'.repeat(8_000))
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect(await erase(record.visitor.id)).toBe(200)
    line.resume()
    await agent.client.entry(id, 'cleared')
    agent.client.close()
  })

  it('OPS-6 leaves nobody who could make a contact in their name', async () => {
    const signed = await signInVisitor(test.url)
    const client = await WireClient.connect(test.url, signed.token)
    await test.service.database.pool.query('delete from visitors where id = $1', [signed.visitor])
    await expect(client.call('contact.create', { request: randomUUID(), contact: {} })).rejects.toMatchObject(
      { code: 'unauthorized' },
    )
    client.close()
  })

  it('OPS-6 that meets a lock leaves the contact whole; once it goes through, the agent is told that it is over', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const who = (await agent.client.call('contact.read', { contact: id })).record.visitor.id
    const { head } = await agent.client.call('log.read', { contact: id, after: 0, limit: 1 })
    const release = await lock(id)
    expect(await erase(who)).toBe(503)
    await release()
    expect(await count('select 1 from entries where contact = $1', id)).toBe(head)
    await agent.session.text('still here')
    expect(await erase(who)).toBe(200)
    await agent.client.entry(id, 'cleared')
    expect(await count('select 1 from contacts where id = $1', id)).toBe(0)
    expect(visitor.client.socket.connected).toBe(false)
  })

  it('OPS-6 that ends half-way leaves a contact that is over: nothing of it fails', async () => {
    const { agent, id } = await joinBoth(test)
    const who = (await agent.client.call('contact.read', { contact: id })).record.visitor.id
    const { pool } = test.service.database
    await pool.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    )
    await pool.query('create trigger refuse before delete on contacts for each row execute function refuse()')
    expect(await erase(who)).toBe(500)
    await pool.query('drop function refuse() cascade')
    await agent.client.entry(id, 'cleared')
    await expect(agent.session.leave()).resolves.toBeDefined()
    expect(await erase(who)).toBe(200)
    expect(await count('select 1 from contacts where id = $1', id)).toBe(0)
  })
})

describe('revoking a visitor', () => {
  it('SND-110 voids what they refresh with, too; another visitor goes on', async () => {
    const [one, other] = [await signInVisitor(test.url), await signInVisitor(test.url)]
    expect(await refresh(one.refresh)).toBe(200)
    test.clock.advance(10)
    expect((await admin('POST', 'revocations', { use: 'visitor', id: one.visitor })).status).toBe(204)
    test.clock.advance(10)
    expect([await refresh(one.refresh), await refresh(other.refresh)]).toEqual([401, 200])
    expect(await count('select 1 from refresh_tokens where visitor = $1 and not revoked', one.visitor)).toBe(
      0,
    )
  })
})
