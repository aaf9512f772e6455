import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fileAudit } from '../../../service/src/audit.ts'
import type { AuditLine } from '../../../service/src/audit.ts'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
const lines: AuditLine[] = []
let test: TestService
beforeAll(async () => {
  test = await startTestService({ adminToken }, { audit: (line) => void lines.push(line) })
})
afterAll(() => test.close())
beforeEach(() => {
  lines.length = 0
})

describe('an export', () => {
  it('SND-127 has all that is kept of a visitor, a line each, and nothing of others', async () => {
    const { visitor, id } = await joinBoth(test, { nick: 'Vera' })
    const other = await joinBoth(test)
    await other.visitor.session.text('of another')
    for (let count = 0; count < 8; count += 1)
      await visitor.session.write(
        ...Array.from({ length: 64 }, (_, index) => ({
          id: `m-${count}-${index}`,
          type: 'text' as const,
          body: { text: 'mine' },
        })),
      )
    const { record } = await visitor.client.call('contact.read', { contact: id })
    const ask = (visitorId: string, token = adminToken) =>
      fetch(`${test.url}/v1/admin/visitors/${visitorId}`, { headers: { authorization: `Bearer ${token}` } })
    const answer = await ask(record.visitor.id)
    const text = await answer.text()
    const pieces = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; id: string; type?: string })
    expect([answer.headers.get('content-type'), pieces[0], pieces[1]]).toMatchObject([
      expect.stringContaining('ndjson'),
      { kind: 'visitor', id: record.visitor.id },
      { kind: 'contact', id, details: { nick: 'Vera' } },
    ])
    expect(pieces.filter(({ type }) => type === 'text')).toHaveLength(512)
    expect(text).not.toContain('of another')
    expect([
      (await ask('v-nobody')).status,
      (await ask('a b')).status,
      (await ask(record.visitor.id, 'x')).status,
    ]).toEqual([404, 404, 401])
  })
})

describe('the audit log', () => {
  it('SND-127 says who did what with which contact, and nothing of what they wrote', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.text('canary')
    await agent.client.call('agent.transfer', { contact: id, toTags: ['canary'] })
    const of = (use: string) =>
      lines.flatMap(({ who, action, contact, result }) =>
        who?.startsWith(use) ? [[action, contact === id, result]] : [],
      )
    expect(of('visitor')).toEqual([
      ['contact.create', false, 'ok'],
      ['contact.open', true, 'ok'],
    ])
    expect(of('agent')).toEqual([
      ['agent.presence', false, 'ok'],
      ['agent.accept', true, 'ok'],
      ['contact.open', true, 'ok'],
      ['agent.transfer', true, 'ok'],
    ])
    expect(JSON.stringify(lines)).not.toContain('canary')
  })

  it('SND-127 has one line of each refusal', async () => {
    const [{ id }, stranger] = [await joinBoth(test), await test.visitor()]
    lines.length = 0
    await stranger.ask('contact.read', { contact: id })
    await stranger.ask('agent.contacts', {})
    await stranger.ask('log.append', { contact: 'a canary', session: 7 })
    await WireClient.connect(test.url, 'canary').catch(() => {})
    await fetch(`${test.url}/v1/admin/visitors/v-canary`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer canary' },
    })
    await fetch(`${test.url}/v1/admin/visitors/v-gone`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${adminToken}` },
    })
    const who = expect.stringMatching(/^visitor v-/) as unknown
    await expect
      .poll(() => lines)
      .toEqual([
        { who, action: 'contact.read', contact: id, result: 'not_found' },
        { who, action: 'agent.contacts', result: 'forbidden' },
        { who, action: 'log.append', result: 'invalid_argument' },
        { who: null, action: 'connect', result: 'unauthorized' },
        { who: null, action: 'DELETE /v1/admin/visitors/:visitor', result: '401' },
        { who: 'admin', action: 'DELETE /v1/admin/visitors/:visitor', result: 'ok' },
      ])
  })

  it('SND-127 is a file that only its owner reads; one that cannot be written ends the start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'duolog-audit-'))
    const path = join(folder, 'audit.log')
    const audit = fileAudit(
      path,
      () => 0,
      () => {},
    )
    audit({ who: 'agent a\r\nforged', action: 'agent.accept', contact: 'c', result: 'ok' })
    await expect
      .poll(() => readFileSync(path, 'utf8'))
      .toMatch(
        /^\{"time":"1970-01-01T00:00:00.000Z","node":"[^"]*","who":"agent a\\r\\nforged","action":"agent.accept","contact":"c","result":"ok"\}\n$/,
      )
    expect(statSync(path).mode & 0o077).toBe(0)
    expect(() =>
      fileAudit(
        join(folder, 'none', 'audit.log'),
        () => 0,
        () => {},
      ),
    ).toThrow(/unable to write the audit log .*ENOENT/)
    rmSync(folder, { recursive: true })
  })

  it('SND-127 on a full disk loses its lines and ends no process', async () => {
    const faults: unknown[] = []
    const audit = fileAudit(
      '/dev/full',
      () => 0,
      (thrown) => void faults.push(thrown),
    )
    audit({ who: null, action: 'connect', result: 'unauthorized' })
    await expect.poll(() => faults[0]).toMatchObject({ code: 'ENOSPC' })
  })
})
