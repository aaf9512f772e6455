import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { FaultLimiter } from '../../../service/src/report.ts'
import { trimLog } from '../../../service/src/store/cluster.ts'
import { removeAgents } from '../../../service/src/store/removal.ts'
import { joinBoth } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
const [HOUR, DAY] = [3_600_000, 86_400_000]
let test: TestService
beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

const rotate = async (body: unknown): Promise<number> => {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  return (
    await fetch(`${test.url}/v1/admin/signing-keys`, { method: 'POST', headers, body: JSON.stringify(body) })
  ).status
}
const comesIn = (token: string): Promise<boolean> =>
  WireClient.connect(test.url, token).then(
    (client) => (client.close(), true),
    () => false,
  )
const keys = () => test.service.database.db.selectFrom('signing_keys').select('kid').execute()

describe('signing keys', () => {
  it('SND-127 a new one signs from now on, those before are known as long as their tokens live, and then gone', async () => {
    const { token: old } = await signInVisitor(test.url)
    test.clock.advance(1_000)
    expect(await rotate({})).toBe(204)
    const { token: fresh } = await signInVisitor(test.url)
    const kidOf = (token: string): unknown =>
      (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: unknown }).kid
    expect([kidOf(old) === kidOf(fresh), await comesIn(old), await comesIn(fresh)]).toEqual([
      false,
      true,
      true,
    ])
    test.clock.advance(HOUR)
    await rotate({})
    expect(await keys()).toHaveLength(3)
    test.clock.advance(14 * HOUR)
    await rotate({})
    expect(await keys()).toHaveLength(2)
  })

  it('SND-127 after a theft all that was signed is refused, and a refresh goes on', async () => {
    const { token, refresh } = await signInVisitor(test.url)
    test.clock.advance(1_000)
    expect(await rotate({ voids: true })).toBe(204)
    const next = await fetch(`${test.url}/v1/visitors/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh }),
    })
    expect([
      await comesIn(token),
      await comesIn(((await next.json()) as { token: string }).token),
      (await keys()).length,
    ]).toEqual([false, true, 1])
    expect(await rotate({ voids: 'x' })).toBe(400)
  })

  it('SND-127 after a theft connections that were made with what the old keys signed end too; a new key alone ends none', async () => {
    const [visitor, agent] = [await test.visitor(), await test.agent()]
    const ended = Promise.all(
      [visitor, agent].map(({ socket }) => new Promise((settle) => socket.once('disconnect', settle))),
    )
    test.clock.advance(1_000)
    expect([await rotate({}), visitor.socket.connected, agent.socket.connected]).toEqual([204, true, true])
    expect(await rotate({ voids: true })).toBe(204)
    await ended
    const fresh = await test.visitor()
    await fresh.call('ice.servers', {})
    fresh.close()
  })
})

describe('names of agents', () => {
  it('SND-127 go when nothing is kept of their contacts any more; those of agents who are there, or have a contact, stay', async () => {
    const { db } = test.service.database
    const there = await test.agent()
    const { agent } = await joinBoth(test)
    const ids = async () =>
      (
        await db
          .selectFrom('agents')
          .select('id')
          .where('id', 'in', ['gone', 'lately', 'coming'])
          .orderBy('id')
          .execute()
      ).map(({ id }) => id)
    const all = async () => (await db.selectFrom('agents').select('id').execute()).length
    const now = test.clock.now()
    const row = {
      nick: 'Old Name',
      state: 'paused' as const,
      capacity: 3,
      media: '{}',
      tags: [],
      connected: false,
    }
    await db
      .insertInto('agents')
      .values([
        { ...row, id: 'gone', last_assigned: now - 91 * DAY },
        { ...row, id: 'lately', last_assigned: now - 89 * DAY },
        { ...row, id: 'coming', last_assigned: 0 },
      ])
      .execute()
    await db
      .insertInto('timers')
      .values({ subject: 'coming', kind: 'agent', key: '', due: now + HOUR } as never)
      .execute()
    const before = await all()
    expect(await removeAgents(db, now - 90 * DAY)).toBe(1)
    expect([await ids(), await all()]).toEqual([['coming', 'lately'], before - 1])
    there.close()
    agent.client.close()
  })
})

describe('what is written', () => {
  it('SND-127 a fault that comes again and again is written once in a while, with how often it came', () => {
    const lines: unknown[] = []
    const due: (() => void)[] = []
    const calm = new FaultLimiter(
      (facts) => void lines.push(facts),
      (run) => void due.push(run),
    )
    const ring = (): void => due.splice(0).forEach((run) => run())
    for (let count = 0; count < 100; count += 1) calm.note({ kind: 'Error', code: 'a' })
    calm.note({ kind: 'Error', code: 'b' })
    expect(lines).toEqual([
      { kind: 'Error', code: 'a' },
      { kind: 'Error', code: 'b' },
    ])
    ring()
    expect(lines.slice(2)).toEqual([{ kind: 'Error', code: 'a', times: 99 }])
    ring()
    ring()
    calm.note({ kind: 'Error', code: 'a' })
    expect(lines.slice(3)).toEqual([{ kind: 'Error', code: 'a' }])
    for (let count = 0; count < 1_000; count += 1) calm.note({ kind: 'Error', code: `c${count}` })
    expect([lines.length, due.length]).toEqual([1_004, 256])
  })

  it('SND-127 the log of PostgreSQL is moved aside when it is large, and goes on in the same file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'duolog-log-'))
    const logFile = join(folder, 'postgres.log')
    trimLog({ logFile })
    writeFileSync(logFile, 'a line\n')
    trimLog({ logFile })
    expect([readFileSync(logFile, 'utf8'), existsSync(`${logFile}.1`)]).toEqual(['a line\n', false])
    appendFileSync(logFile, Buffer.alloc(5 * 1024 * 1024, 'x'))
    trimLog({ logFile })
    expect([statSync(logFile).size, statSync(`${logFile}.1`).size]).toEqual([0, 5 * 1024 * 1024 + 7])
    rmSync(folder, { recursive: true })
  })
})

describe('a server that others reach', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'desk.example'])(
    'SND-127 on %s does not start with sign-in by nick, unless that is said',
    (host) => {
      expect(() => readOptions(['--host', host], {})).toThrow(
        /anyone who reaches .* could sign in as an agent/,
      )
      expect(readOptions(['--host', host, '--open-sign-in'], {})?.host).toBe(host)
      expect(readOptions(['--host', host], { DUOLOG_OPEN_SIGN_IN: 'true' })?.host).toBe(host)
      const provider = [
        '--agent-jwks',
        'https://id.example/k',
        '--agent-issuer',
        'i',
        '--agent-audience',
        'a',
      ]
      expect(readOptions(['--host', host, ...provider], {})?.host).toBe(host)
    },
  )
})
