import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** A number of `/metrics`; those with labels are added up. */
async function metric(name: string): Promise<number> {
  const lines = (await (await fetch(`${test.url}/metrics`)).text()).split('\n')
  return lines
    .filter((line) => line.startsWith(name) && /[ {,]/.test(line[name.length] ?? ''))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const metrics = (...names: readonly string[]): Promise<number[]> => Promise.all(names.map(metric))

/** Statements that hold something until they are let go. */
let holder: PoolClient | null = null
async function hold(statement: string, values: readonly unknown[]): Promise<void> {
  holder = await test.service.database.pool.connect()
  await holder.query('begin')
  await holder.query(statement, [...values])
}
async function letGo(): Promise<void> {
  await holder?.query('rollback')
  holder?.release()
  holder = null
}
afterEach(letGo)

/** A connection that is gone from the service. */
async function goes(client: WireClient, before: number): Promise<void> {
  client.close()
  await expect.poll(() => metric('duolog_connections'), { timeout: 10_000 }).toBe(before)
}

describe('a connection that closes early', () => {
  it('SND-105 leaves no channel where opening a contact waited for something', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const { record } = await agent.client.call('contact.read', { contact: id })
    const { token } = await signInAgent(test.url, record.agent?.nick ?? '')
    const [connections, channels, opened] = await metrics(
      'duolog_connections',
      'duolog_channels',
      'duolog_calls_total{call="contact.open"',
    )
    await hold('select 1 from agents where id = $1 for update', [record.agent?.user])
    const client = await WireClient.connect(test.url, token)
    const session = `s-${randomUUID()}`
    client.socket.emit('contact.open', { contact: id, session, cursor: 0 }, () => {})
    await expect.poll(() => metric('duolog_connections')).toBe((connections ?? 0) + 1)
    await goes(client, connections ?? 0)
    await letGo()
    await expect
      .poll(() => metric('duolog_calls_total{call="contact.open"'), { timeout: 10_000 })
      .toBe((opened ?? 0) + 1)
    expect(await metric('duolog_channels')).toBe(channels)
    expect(
      await test.service.database.db
        .selectFrom('sessions')
        .select('connected')
        .where('session', '=', session)
        .execute(),
    ).toEqual([])
    await visitor.session.leave()
  })

  it('SND-105 leaves no channel where the contact was busy', async () => {
    const { client, id } = await queueVisitor(test)
    const other = await test.visitorAgain(client)
    const [connections, channels, opened] = await metrics(
      'duolog_connections',
      'duolog_channels',
      'duolog_calls_total{call="contact.open"',
    )
    await hold('select 1 from contacts where id = $1 for update', [id])
    const session = `s-${randomUUID()}`
    other.socket.emit('contact.open', { contact: id, session, cursor: 0 }, () => {})
    await goes(other, (connections ?? 1) - 1)
    await letGo()
    await expect
      .poll(() => metric('duolog_calls_total{call="contact.open"'), { timeout: 10_000 })
      .toBe((opened ?? 0) + 1)
    expect(await metric('duolog_channels')).toBe(channels)
    const connected = () =>
      test.service.database.db
        .selectFrom('sessions')
        .select('connected')
        .where('session', '=', session)
        .where('connected', '=', true)
        .execute()
    await expect.poll(connected, { timeout: 10_000 }).toEqual([])
  })

  it('SND-105 leaves no agent who counts as connected', async () => {
    const { token, agent } = await signInAgent(test.url, `New ${randomUUID()}`)
    const connections = await metric('duolog_connections')
    await hold('insert into agents (id, nick) values ($1, $2)', [agent.id, agent.nick])
    const client = await WireClient.connect(test.url, token)
    await goes(client, connections)
    await new Promise((settle) => setTimeout(settle, 200))
    await letGo()
    const stored = async () =>
      (
        await test.service.database.db
          .selectFrom('agents')
          .select('connected')
          .where('id', '=', agent.id)
          .executeTakeFirst()
      )?.connected
    await expect.poll(stored, { timeout: 10_000 }).toBe(false)
    expect(
      await test.service.database.db
        .selectFrom('timers')
        .select('kind')
        .where('subject', '=', agent.id)
        .execute(),
    ).toEqual([{ kind: 'agent' }])
  })
})

describe('channels of a connection', () => {
  it('SND-107 end with their contacts: one connection may have any number of contacts one after another', async () => {
    const client = await test.visitor()
    const other = await test.visitorAgain(client)
    const before = await metrics('duolog_channels', 'duolog_open_contacts')
    for (let count = 0; count < 205; count += 1) {
      const { contact } = await client.call('contact.create', { request: `r${count}`, contact: {} })
      const session = new WireSession(client, contact)
      await session.open()
      await other.call('contact.leave', { contact, session: session.id })
      await client.entry(contact, 'cleared')
    }
    expect(await metrics('duolog_channels', 'duolog_open_contacts')).toEqual(before)
  })

  it('SND-107 are at most 200 at a time, and one that is refused is not there', async () => {
    const { client, id: contact } = await queueVisitor(test)
    const channels = (await metric('duolog_channels')) - 1
    const open = (index: number) => new WireSession(client, contact, `s-${index}`).open()
    for (let index = 0; index < 199; index += 1) await open(index)
    await expect(new WireSession(client, contact, 's-refused').open()).rejects.toMatchObject({
      code: 'rate_limited',
    })
    expect(await metric('duolog_channels')).toBe(channels + 200)
    await client.call('contact.leave', { contact, session: 's-0' })
    expect(await open(200)).toMatchObject({ counter: 0 })
    expect(await metric('duolog_channels')).toBe(channels + 200)
    expect(
      await test.service.database.db
        .selectFrom('sessions')
        .select('session')
        .where('session', '=', 's-refused')
        .execute(),
    ).toEqual([])
    client.close()
  })
})

it('SND-119 the sessions of one party of a contact take nothing from the other', async () => {
  const { client, id } = await queueVisitor(test)
  const { record } = await client.call('contact.read', { contact: id })
  const rows = Array.from({ length: 500 }, (_, index) => ({
    ...{
      contact: id,
      session: `s-old-${index}`,
      slot: 'visitor' as const,
      principal: record.visitor.id,
      counter: 0,
      connected: false,
      ended: true,
    },
  }))
  await test.service.database.db.insertInto('sessions').values(rows).execute()
  await expect(new WireSession(client, id).open()).rejects.toMatchObject({ code: 'forbidden' })
  const agent = await test.agent()
  await agent.call('agent.presence', { state: 'ready', capacity: 100 })
  await agent.push('agent.distribution', (offer) => offer.id === id)
  await agent.call('agent.accept', { contact: id })
  expect(await new WireSession(agent, id).open()).toMatchObject({ counter: 0 })
})
