import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor, timerSet } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({ maxWaitMs: 600_000 })
})
afterAll(() => test.close())

const queued = (contact = {}) => queueVisitor(test, contact)
const joined = () => joinBoth(test)
const kinds = (client: WireClient, contact: string): string[] =>
  client.entries(contact).map((entry) => entry.type)

describe('life of a contact', () => {
  it('LIFE-4 the visitor is told who was assigned and who joined', async () => {
    const { visitor } = await joined()
    expect(kinds(visitor.client, visitor.id)).toEqual(['present', 'assigned', 'present', 'joined'])
    const { body } = await visitor.client.entry(visitor.id, 'joined')
    expect(body.nick).toMatch(/^Agent /)
    expect(body.avatar?.base_url).toMatch(/^http:.*\/v1\/avatars\/$/)
  })

  it('LIFE-21 the reason that an application gives is stored, and the entries carry that of the contract', async () => {
    const { client, session, id } = await queued()
    await client.call('contact.leave', {
      contact: id,
      session: session.id,
      reason: 'found it in the help pages',
    })
    const row = await test.service.database.db
      .selectFrom('contacts')
      .select('leave_reason')
      .where('id', '=', id)
      .executeTakeFirst()
    expect([
      row?.leave_reason,
      client
        .entries(id)
        .flatMap((entry) => (entry.type === 'left' || entry.type === 'cleared' ? [entry.body.reason] : [])),
    ]).toEqual(['found it in the help pages', ['cancel', 'cancel']])
  })

  it.each([
    [0, 'cancel'],
    [9_999, 'cancel'],
    [10_000, 'abandon'],
    [25_000, 'abandon'],
  ])('LIFE-6 leaving the queue after %i ms is %s', async (waitMs, reason) => {
    const { client, session, id } = await queued()
    test.clock.advance(waitMs)
    const { head } = await session.leave()
    expect(client.entries(id).at(-1)?.seq).toBe(head)
    expect(
      client
        .entries(id)
        .slice(1)
        .map((entry) => entry.body),
    ).toEqual([
      {
        session: session.id,
        slot: 'visitor',
        vvcu: expect.any(String),
        reason,
        channels: { total: 0, vvcu: 0, user: 0 },
      },
      { reason },
    ])
  })

  it('LIFE-7 a visitor who leaves a joined contact is followed by cleared when the agent closes', async () => {
    const { visitor, agent } = await joined()
    await visitor.session.leave()
    const left = await agent.client.entry(visitor.id, 'left')
    expect(left.body).toEqual({
      session: visitor.session.id,
      slot: 'visitor',
      vvcu: expect.any(String),
      reason: 'vvcu',
      channels: { total: 1, vvcu: 0, user: 1 },
    })
    await agent.session.leave()
    expect(kinds(agent.client, visitor.id).slice(-3)).toEqual(['left', 'left', 'cleared'])
    expect((await agent.client.entry(visitor.id, 'cleared')).body).toEqual({ reason: 'user' })
  })

  it('LIFE-7 or 30 s later', async () => {
    const { visitor, agent } = await joined()
    await visitor.session.leave()
    test.clock.advance(29_999)
    await agent.client.call('contact.read', { contact: visitor.id })
    expect(kinds(agent.client, visitor.id)).not.toContain('cleared')
    test.clock.advance(1)
    expect((await agent.client.entry(visitor.id, 'cleared')).body).toEqual({ reason: 'user' })
  })

  it('LIFE-8 LIFE-14 an agent who leaves ends the contact', async () => {
    const { visitor, agent } = await joined()
    await agent.session.leave()
    const left = await visitor.client.entry(visitor.id, 'left')
    expect(left.body).toEqual({
      session: agent.session.id,
      slot: 'agent',
      user: expect.any(String),
      reason: 'user',
      channels: { total: 1, vvcu: 1, user: 0 },
    })
    expect((await visitor.client.entry(visitor.id, 'cleared')).body).toEqual({ reason: 'user' })
  })

  it('LIFE-9 LIFE-10 a silent visitor times out after 60 s and is cleared 10 min later', async () => {
    const { visitor, agent } = await joined()
    visitor.client.close()
    await timerSet(test, visitor.id, 'absence')
    test.clock.advance(60_000)
    expect((await agent.client.entry(visitor.id, 'left')).body).toMatchObject({
      reason: 'timeout',
      channels: { total: 1, vvcu: 0, user: 1 },
    })
    test.clock.advance(600_000)
    expect((await agent.client.entry(visitor.id, 'cleared')).body).toEqual({ reason: 'disconnect' })
  })

  it('LIFE-12 a new page takes over and the old one leaves without a reason', async () => {
    const { visitor, agent } = await joined()
    const page = new WireSession(visitor.client, visitor.id)
    await page.open()
    await page.present(visitor.session.id)
    expect(kinds(agent.client, visitor.id)).not.toContain('left')
    await visitor.session.leave()
    const left = await agent.client.entry(visitor.id, 'left')
    expect(left.body).toEqual({
      session: visitor.session.id,
      slot: 'visitor',
      vvcu: expect.any(String),
      channels: { total: 2, vvcu: 1, user: 1 },
    })
  })

  it('LIFE-11 a contact that waited too long is dissuaded', async () => {
    const { client, id } = await queued()
    test.clock.advance(600_000)
    expect((await client.entry(id, 'cleared')).body).toEqual({ reason: 'dissuasion' })
  })

  it('LIFE-12 LIFE-14 of several tabs each one that leaves or vanishes tells how many remain', async () => {
    const { visitor, agent } = await joined()
    const tabs: { readonly client: WireClient; readonly session: WireSession }[] = []
    for (let count = 0; count < 3; count += 1) {
      const client = await test.visitorAgain(visitor.client)
      const session = new WireSession(client, visitor.id)
      await session.open()
      await session.present(null)
      tabs.push({ client, session })
    }
    const lefts = () =>
      agent.client
        .entries(visitor.id)
        .flatMap((entry) => (entry.type === 'left' ? [[entry.body.reason, entry.body.channels]] : []))
    await tabs[0]?.session.leave()
    await agent.client.until(() => lefts().length === 1, 'left')
    tabs[1]?.client.close()
    await timerSet(test, visitor.id, 'absence')
    test.clock.advance(60_000)
    await agent.client.until(() => lefts().length === 2, 'the tab that vanished')
    await visitor.session.leave()
    await agent.client.until(() => lefts().length === 3, 'left')
    await tabs[2]?.session.leave()
    await agent.client.until(() => lefts().length === 4, 'left')
    expect(lefts()).toEqual([
      [undefined, { total: 4, vvcu: 3, user: 1 }],
      [undefined, { total: 3, vvcu: 2, user: 1 }],
      [undefined, { total: 2, vvcu: 1, user: 1 }],
      ['vvcu', { total: 1, vvcu: 0, user: 1 }],
    ])
  })

  it('LIFE-12 an agent with two pages keeps the contact when one closes', async () => {
    const { visitor, agent } = await joined()
    const page = new WireSession(agent.client, visitor.id)
    await page.open()
    await page.present(null)
    await agent.session.leave()
    const left = await visitor.client.entry(visitor.id, 'left')
    expect(left.body).toEqual({
      session: agent.session.id,
      slot: 'agent',
      user: expect.any(String),
      channels: { total: 2, vvcu: 1, user: 1 },
    })
    await page.leave()
    expect((await visitor.client.entry(visitor.id, 'cleared')).body).toEqual({ reason: 'user' })
  })
})
