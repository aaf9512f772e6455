import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeFault } from '../../../service/src/report.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announceNew, sendFile, tus } from '../../support/tus.ts'
import { WireSession } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
const DAY_MS = 86_400_000
const lines: string[] = []
let test: TestService

beforeAll(async () => {
  test = await startTestService(
    { adminToken },
    {
      report: {
        info: (what, facts) => lines.push(JSON.stringify([what, facts])),
        fault: (thrown) => lines.push(String(thrown)),
      },
    },
  )
})
afterAll(() => test.close())

const authorization = `Bearer ${adminToken}`
const erase = (visitor: string, headers: Record<string, string> = { authorization }) =>
  fetch(`${test.url}/v1/admin/visitors/${visitor}`, { method: 'DELETE', headers })

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { pool } = test.service.database
  const { rows } = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  const tables = await Promise.all(rows.map(({ name }) => pool.query(`select t::text from ${name} t`)))
  return JSON.stringify(tables.map((table) => table.rows))
}

describe('operations', () => {
  it('OPS-4 /metrics counts without naming anyone', async () => {
    const { id, visitor } = await joinBoth(test)
    await visitor.session.text('canary-text')
    expect((await fetch(`${test.url}/metrics`)).status).toBe(401)
    const text = await (await fetch(`${test.url}/metrics`, { headers: { authorization } })).text()
    expect(text).toMatch(/^duolog_connections [1-9]/m)
    expect(text).toMatch(/^duolog_calls_total\{call="log.append",outcome="ok"\} [1-9]/m)
    expect(text).toMatch(/^duolog_faults_total 0$/m)
    for (const secret of [id, visitor.session.id, 'Vera', 'canary']) expect(text).not.toContain(secret)
  })

  it('OPS-6 erasing a visitor leaves no row of theirs, also in an open contact', async () => {
    const { id, visitor, agent } = await joinBoth(test, {
      nick: 'Canary-Nick',
      data: [{ name: 'f', desc: 'F', data: [{ name: 'x', desc: 'X', type: 'text', value: 'Canary-Value' }] }],
    })
    await visitor.session.text('Canary-Text')
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect(await dump()).toContain('Canary-Text')
    expect((await erase(record.visitor.id, {})).status).toBe(401)
    expect((await erase(record.visitor.id, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect(await (await erase('v-nobody')).json()).toEqual({ contacts: 0 })
    for (const nobody of ['nobody', '%00']) expect((await erase(nobody)).status).toBe(400)
    const ended = new Promise((settle) => visitor.client.socket.once('disconnect', settle))
    expect(await (await erase(record.visitor.id)).json()).toEqual({ contacts: 1 })
    await ended
    const left = await dump()
    for (const trace of ['Canary', record.visitor.id, id, visitor.session.id])
      expect(left).not.toContain(trace)
    expect(await agent.client.ask('contact.read', { contact: id })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    })
    await expect(agent.session.text('hello?')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('OPS-6 erasing reaches every contact, file and half upload of the visitor, and nothing of anybody else', async () => {
    const folder = test.options.files.folder
    const onDisk = (): string =>
      readdirSync(folder).reduce(
        (all, name) => `${all} ${name} ${readFileSync(join(folder, name), 'latin1')}`,
        '',
      )
    const form = {
      name: 'f',
      desc: 'F',
      data: [
        { name: 'x', desc: 'X', type: 'email', value: 'gone@example.org', visible: true, editable: true },
      ],
    } as const
    const [other, { id, visitor, agent }] = [
      await joinBoth(test, { nick: 'Stays' }),
      await joinBoth(test, { nick: 'Gone-Nick', tags: ['Gone-Tag'], data: [form] }),
    ]
    await sendFile(test.url, other.visitor, Buffer.from('Stays-Bytes'), { name: 'Stays.txt' })
    await visitor.session.text('Gone-Text')
    await visitor.session.write({
      id: 'gone-link',
      type: 'link',
      body: { url: 'https://gone.example/', desc: 'Gone-Desc' },
    })
    await agent.session.text('Gone-Answer', 'gone-answer')
    await visitor.session.write({ id: 'gone-ack', type: 'ack', body: { ref: 'gone-answer' } })
    await agent.client.call('agent.edit', {
      contact: id,
      form: 'f',
      field: 'x',
      value: 'gone-edit@example.org',
    })
    const whole = await sendFile(test.url, visitor, Buffer.from('Gone-Bytes'), {
      name: 'Gone.txt',
      desc: 'Gone-Desc',
    })
    const { contact: toId } = await agent.client.call('agent.transfer', { contact: id, toTags: ['Gone-Tag'] })
    const next = new WireSession(visitor.client, toId)
    await next.open()
    await next.present()
    await other.agent.client.push('agent.distribution', (offer) => offer.id === toId)
    await other.agent.client.call('agent.decline', { contact: toId })
    const half = await announceNew(
      { client: visitor.client, session: next },
      { size: 100, name: 'Gone-Half.txt' },
    )
    await tus(test.url, half, { body: Buffer.from('Gone-Half-Bytes') })
    const { record } = await visitor.client.call('contact.read', { contact: id })
    const traces = [
      'Gone',
      'gone',
      record.visitor.id,
      id,
      toId,
      visitor.session.id,
      agent.session.id,
      next.id,
      whole,
      half.id,
    ]
    const before = (await dump()) + onDisk()
    for (const trace of traces) expect(before).toContain(trace)
    expect(await (await erase(record.visitor.id)).json()).toEqual({ contacts: 2 })
    const after = (await dump()) + onDisk()
    for (const trace of traces) expect(after).not.toContain(trace)
    for (const kept of ['Stays-Bytes', 'Stays.txt', other.id]) expect(after).toContain(kept)
    expect((await tus(test.url, half, { body: Buffer.from('Gone-More'), offset: 15 })).status).toBe(410)
    expect(onDisk()).not.toContain('Gone')
    expect(await (await erase(record.visitor.id)).json()).toEqual({ contacts: 0 })
  })

  it('OPS-6 what is older than its retention is removed', async () => {
    const { client, id, session } = await queueVisitor(test, { nick: 'Old-Canary' })
    const { visitor } = (await client.call('contact.read', { contact: id })).record
    await session.text('Old-Canary-Text')
    await session.leave()
    /** Old data is looked for once an hour. */
    const gone = async (text: string): Promise<void> => {
      while ((await dump()).includes(text)) test.clock.advance(3_600_000)
    }
    test.clock.advance(29 * DAY_MS)
    expect(await dump()).toContain('Old-Canary-Text')
    test.clock.advance(DAY_MS)
    await gone('Old-Canary-Text')
    expect(await dump()).toContain(id)
    test.clock.advance(58 * DAY_MS)
    await gone(id)
    await gone(visitor.id)
  })

  it('SEC-8 a fault is told by its kind, code and place, never by its words', () => {
    const cause = Object.assign(new Error('canary cause'), {
      code: '23505',
      detail: 'Key (id)=(canary) already exists.',
    })
    const told = describeFault(
      Object.assign(new TypeError('canary\r\nwords', { cause }), { code: 'internal', body: 'canary' }),
    )
    expect(told).toMatchObject({
      kind: 'TypeError',
      code: 'internal',
      causeCode: '23505',
      at: expect.stringContaining('operations.test'),
    })
    expect(JSON.stringify(told)).not.toContain('canary')
  })

  it('SEC-8 reports say nothing of what parties wrote', async () => {
    expect(lines.join('\n')).not.toMatch(/[Cc]anary/)
  })
})
