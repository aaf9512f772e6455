import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { QUEUED_LIMIT } from '../../../service/src/contacts/contact-creation.ts'
import { SLICE_OFFERS, SLICE_PAIRS } from '../../../service/src/queue/matcher.ts'
import { planOffers } from '../../../service/src/queue/plan.ts'
import { STRATEGIES } from '../../../service/src/queue/strategy.ts'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { recordStatements } from '../../support/statements.ts'
import { WireSession } from '../../support/wire-client.ts'

const AGENTS = 180
const WAITING = 500
let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())
afterEach(async () => {
  const { pool } = test.service.database
  for (const table of ['offers', 'refusals', 'timers', 'entries', 'contacts', 'agents'])
    await pool.query(`delete from ${table}`)
})

/** Agents who are ready, as far as the store knows. */
const readyAgents = (count: number, capacity: number) =>
  test.service.database.pool.query(
    `with made as (
       insert into agents (id, nick, state, capacity, connected)
         select 'many-' || n, 'Many', 'ready', $2, true from generate_series(1, $1) n returning id
     ) insert into agent_connections (id, agent, node)
       select 'l-' || id, id, (select node from nodes where state = 'up') from made`,
    [count, capacity],
  )

/** Contacts that wait like this one, with a form as large as this. */
const copies = (of: string, count: number, formBytes: number) =>
  test.service.database.pool.query(
    `insert into contacts select (r).* from (
       select jsonb_populate_record(c, jsonb_build_object('id', c.id || '-' || n, 'visitor', c.visitor || n, 'details', c.details || repeat(' ', $3))) as r
       from contacts c, generate_series(1, $2) n where c.id = $1) copies`,
    [of, count, formBytes],
  )

const offers = async (): Promise<number> =>
  (await test.service.database.pool.query<{ count: number }>('select count(*)::int as count from offers'))
    .rows[0]?.count ?? 0

describe('a long queue before many agents', () => {
  it(
    'SND-112 SND-113 everybody is offered as much as they can take, in bounded pieces, and no form is read for it',
    { timeout: 120_000 },
    async () => {
      const first = await queueVisitor(test)
      await copies(first.id, WAITING - 1, 20_000)
      await readyAgents(AGENTS, 100)
      const recorded = recordStatements()
      const last = await queueVisitor(test)
      while ((await offers()) < AGENTS * 100) await new Promise((settle) => setTimeout(settle, 20))
      recorded.stop()
      const matching = recorded.all.filter(({ text }) => /\boffers\b|\brefusals\b|from agents/.test(text))
      expect(Math.max(...matching.map(({ rows }) => rows))).toBeLessThanOrEqual(SLICE_PAIRS)
      expect(Math.max(...matching.map(({ values }) => values.flat().length))).toBeLessThanOrEqual(
        2 * (SLICE_OFFERS + AGENTS) + 4,
      )
      expect(Math.max(...matching.map(({ characters }) => characters))).toBeLessThan(1_000_000)
      const waiting = matching.filter(({ text }) => text.includes('from contacts c'))
      expect(Math.max(...waiting.map(({ characters }) => characters))).toBeLessThan(100_000)
      await last.session.leave()
    },
  )

  it('SND-113 a contact that an older version has queued is offered as well', async () => {
    const { pool } = test.service.database
    const initialOffer = { Voice: { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } } as const
    const { id } = await queueVisitor(test, { lang: 'de', initialOffer })
    await pool.query('update contacts set distribution = null')
    const [without, having] = [await test.agent(), await test.agent()]
    await without.call('agent.presence', { state: 'ready', media: { Voice: false } })
    await having.call('agent.presence', { state: 'ready' })
    expect(await having.push('agent.distribution', (offer) => offer.id === id)).toMatchObject({
      lang: 'de',
      initialOffer,
      secure: false,
    })
    expect(without.pushes.filter(({ name }) => name === 'agent.distribution')).toEqual([])
    expect((await pool.query('select 1 from contacts where waiting and distribution is null')).rowCount).toBe(
      0,
    )
  })

  it('SND-112 a plan ends where it has made as many offers as it may', () => {
    const agents = Array.from({ length: 30 }, (_, index) => ({
      id: `a${index}`,
      tags: [],
      media: {},
      capacity: 100,
      load: 0,
      lastAssigned: 0,
    }))
    const waiting = Array.from({ length: 100 }, (_, index) => ({
      id: `c${index}`,
      tags: [],
      media: [],
      queuedAt: 0,
      onlyAgent: null,
    }))
    const planned = planOffers({
      strategy: STRATEGIES.broadcast,
      now: 1,
      waiting,
      agents,
      offered: new Map(),
      refused: new Map(),
      most: 100,
    })
    expect(planned).toHaveLength(120)
    expect(planned.at(-1)?.contact).toBe('c3')
  })
})

describe('a visitor', () => {
  it('SND-113 may have a few contacts in the queue, and another when one has ended', async () => {
    const client = await test.visitor()
    const create = (request: string) => client.ask('contact.create', { request, contact: {} })
    const requests = Array.from({ length: QUEUED_LIMIT }, () => randomUUID())
    const made = await Promise.all(requests.map(create))
    expect(made.every(({ ok }) => ok)).toBe(true)
    const refused = await Promise.all([1, 2, 3].map(() => create(randomUUID())))
    for (const reply of refused)
      expect(reply).toMatchObject({
        ok: false,
        error: { code: 'rate_limited', retryAfterMs: expect.any(Number) },
      })
    expect(await create(requests[0] ?? ''), 'what was made is found again').toEqual(made[0])
    const [reply] = made
    const session = new WireSession(client, reply?.ok ? (reply.value as { contact: string }).contact : '')
    await session.open()
    await session.present()
    await session.leave()
    expect((await create(randomUUID())).ok).toBe(true)
    const other = await test.visitor()
    expect(
      (await other.ask('contact.create', { request: randomUUID(), contact: {} })).ok,
      'others are not concerned',
    ).toBe(true)
  })
})
