/** The search over past contacts. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchContacts } from '../../../service/src/desk/past-search.ts'
import { joinBoth, queueVisitor, takeOffered } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** Takes and ends contacts of visitors, each with texts of theirs; all by one agent. */
async function pastOf(
  agent: WireClient,
  visitors: readonly { readonly nick: string; readonly texts: readonly string[]; readonly secure?: true }[],
): Promise<string[]> {
  await agent.call('agent.presence', { state: 'ready', capacity: 100 })
  const ids: string[] = []
  for (const { nick, texts, ...request } of visitors) {
    test.clock.advance(1_000)
    const visitor = await queueVisitor(test, { nick, ...request })
    for (const text of texts) await visitor.session.text(text)
    const { session } = await takeOffered(agent, visitor.id)
    await session.leave()
    ids.push(visitor.id)
  }
  await agent.call('agent.presence', { state: 'paused' })
  await expect
    .poll(async () =>
      (
        await test.service.database.db.selectFrom('contacts').select('life').where('id', 'in', ids).execute()
      ).every(({ life }) => life === 'cleared'),
    )
    .toBe(true)
  return ids
}

const idsIn = ({ contacts }: { contacts: readonly { id: string }[] }): string[] =>
  contacts.map(({ id }) => id)

describe('the search over past contacts', () => {
  it('PRD-176 finds the agent’s own ended contacts by text, name and time, the newest first', async () => {
    const agent = await test.agent()
    const before = test.clock.now()
    const [lamp, table, again] = await pastOf(agent, [
      { nick: 'Robin Oak', texts: ['Is the OAK lamp in stock?', 'The small one'] },
      { nick: 'Kim', texts: ['My table wobbles'] },
      { nick: 'Robin', texts: ['100% oak_table?'] },
    ])
    const search = async (query: object) => idsIn(await agent.call('agent.search', query))
    expect(await search({})).toEqual([again, table, lamp])
    expect(await search({ text: 'oak' })).toEqual([again, lamp])
    expect(await search({ text: '%' })).toEqual([again])
    expect(await search({ text: 'k_t' })).toEqual([again])
    expect(await search({ name: 'rob' })).toEqual([again, lamp])
    expect(await search({ name: 'robin', text: 'lamp' })).toEqual([lamp])
    expect(await search({ from: before + 1_500 })).toEqual([again, table])
    expect(await search({ to: before + 1_500 })).toEqual([lamp])
    expect(await search({ text: 'nothing like it' })).toEqual([])
    const { contacts } = await agent.call('agent.search', { text: 'small' })
    expect(contacts).toMatchObject([
      { nick: 'Robin Oak', messages: 2, secure: false, excerpt: 'The small one' },
    ])
  })

  it('PRD-176 contacts of one moment are each found once, over all pages, however the database reads them', async () => {
    const agent = await test.agent()
    const ids = await pastOf(
      agent,
      Array.from({ length: 24 }, (_, index) => ({ nick: `V${index}`, texts: [] })),
    )
    const { db } = test.service.database
    // Rows in an order of their own: the service has not written them one after the other.
    for (const id of ids.toSorted())
      await db.updateTable('contacts').set({ created: 5 }).where('id', '=', id).execute()
    const { agent: owner } = await db
      .selectFrom('contacts')
      .select('agent')
      .where('id', '=', ids[0] ?? '')
      .executeTakeFirstOrThrow()
    const found: string[] = []
    await db.transaction().execute(async (reading) => {
      for (const way of ['enable_indexscan', 'enable_bitmapscan'])
        await sql`select set_config(${way}, 'off', true)`.execute(reading)
      let before: string | undefined
      do {
        const page = await searchContacts(reading, owner ?? '', { to: 6, ...(before && { before }) })
        found.push(...idsIn(page))
        before = page.next
      } while (before !== undefined && found.length < 100)
    })
    expect(found).toEqual(ids.toSorted().toReversed())
  })

  it('PRD-176 a span of time has its beginning, and not its end', async () => {
    const agent = await test.agent()
    const [older, newer] = await pastOf(agent, [
      { nick: 'Ann', texts: [] },
      { nick: 'Ben', texts: [] },
    ])
    const { contacts } = await agent.call('agent.search', {})
    const [to, from] = contacts.map(({ created }) => Date.parse(created))
    expect(idsIn(await agent.call('agent.search', { from: from ?? 0, to: to ?? 0 }))).toEqual([older])
    expect(idsIn(await agent.call('agent.search', { from: to ?? 0 }))).toEqual([newer])
  })

  it('PRD-176 shows whole characters around the place that was found', async () => {
    const agent = await test.agent()
    await pastOf(agent, [
      { nick: 'Ann', texts: [`${'z'.repeat(300)}needle`] },
      { nick: 'Ben', texts: [`ab${'😀'.repeat(30)}xneedle${'z'.repeat(300)}`, 'a needle later'] },
    ])
    const { contacts } = await agent.call('agent.search', { text: 'needle' })
    expect(contacts.map(({ excerpt }) => excerpt)).toEqual([
      `…${'😀'.repeat(19)}xneedle${'z'.repeat(114)}…`,
      `…${'z'.repeat(154)}needle`,
    ])
  })

  it('PRD-176 finds each of the contacts of one moment once, page by page', async () => {
    const agent = await test.agent()
    const [first = ''] = await pastOf(agent, [{ nick: 'Zoe', texts: [] }])
    const { db } = test.service.database
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
    const twins = Array.from({ length: 44 }, (_, n) => ({ ...row, id: `twin-${n}`, request: `twin-${n}` }))
    await db.insertInto('contacts').values(twins).execute()
    const found: string[] = []
    for (let before: string | undefined = ''; before !== undefined;) {
      const page: Awaited<ReturnType<typeof search>> = await search(before)
      found.push(...idsIn(page))
      before = page.next
    }
    expect(found.toSorted()).toEqual([first, ...twins.map(({ id }) => id)].toSorted())

    function search(place: string) {
      return agent.call('agent.search', place === '' ? {} : { before: place })
    }
  })

  it('PRD-176 looks at so many contacts and no more, and says where the next page begins', async () => {
    const agent = await test.agent()
    const [first = ''] = await pastOf(agent, [{ nick: 'Zoe', texts: [] }])
    const { db } = test.service.database
    const row = await db.selectFrom('contacts').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
    const others = Array.from({ length: 500 }, (_, n) => ({
      ...row,
      ...{ id: `other-${n}`, request: `other-${n}`, nick: 'Other', created: row.created + 1 + n },
    }))
    await db.insertInto('contacts').values(others).execute()
    const page = await agent.call('agent.search', { name: 'zoe' })
    expect(page).toEqual({ contacts: [], next: `${row.created + 1}:other-0` })
    const rest = await agent.call('agent.search', { name: 'zoe', before: page.next ?? '' })
    expect([idsIn(rest), rest.next]).toEqual([[first], undefined])
  })

  it('PRD-176 looks at the first 20,000 entries of a contact, also where it alone has more', async () => {
    const agent = await test.agent()
    const [id = ''] = await pastOf(agent, [{ nick: 'Ann', texts: ['early word', 'late word'] }])
    const { db } = test.service.database
    await db.updateTable('contacts').set({ head: 30_000 }).where('id', '=', id).execute()
    const last = await db
      .selectFrom('entries')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .where('contact', '=', id)
      .where('type', '=', 'text')
      .executeTakeFirstOrThrow()
    const late = db.updateTable('entries').where('contact', '=', id).where('seq', '=', last.seq)
    await late.set({ seq: 20_001 }).execute()
    expect(idsIn(await agent.call('agent.search', { text: 'early' }))).toEqual([id])
    expect(idsIn(await agent.call('agent.search', { text: 'late' }))).toEqual([])
    // What the service writes is no text of a party.
    await db.updateTable('entries').where('contact', '=', id).set({ type: 'notice' }).execute()
    expect(idsIn(await agent.call('agent.search', { text: 'early' }))).toEqual([])
  })

  it('PRD-176 finds nothing of another agent’s, of an open contact or of an encrypted one’s text', async () => {
    const [one, other] = [await test.agent(), await test.agent()]
    const [, secure] = await pastOf(one, [
      { nick: 'Ann', texts: ['canary word'] },
      { nick: 'Ben', texts: ['a canary in the clear'], secure: true },
    ])
    expect(await other.call('agent.search', { text: 'canary' })).toEqual({ contacts: [] })
    expect(idsIn(await one.call('agent.search', { name: 'ben' }))).toEqual([secure])
    const found = idsIn(await one.call('agent.search', { text: 'canary' }))
    expect([found.length, found.includes(secure ?? '')]).toEqual([1, false])
    const { id, agent } = await joinBoth(test)
    expect(idsIn(await agent.client.call('agent.search', {}))).not.toContain(id)
    const visitor = await test.visitor()
    expect(await visitor.ask('agent.search', {})).toMatchObject({ error: { code: 'forbidden' } })
  })

  it('PRD-176 gives a page at a time, and looks at so much and no more', async () => {
    const agent = await test.agent()
    const [first] = await pastOf(agent, [{ nick: 'Zoe', texts: ['one'] }])
    const { db } = test.service.database
    const row = await db
      .selectFrom('contacts')
      .selectAll()
      .where('id', '=', first ?? '')
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: 25 }, (_, n) => ({
      ...row,
      id: `copy-${n}`,
      request: `copy-${n}`,
      created: row.created + 1 + n,
    }))
    await db.insertInto('contacts').values(copies).execute()
    const page = await agent.call('agent.search', {})
    expect(idsIn(page)).toEqual(
      copies
        .toReversed()
        .slice(0, 20)
        .map(({ id }) => id),
    )
    const rest = await agent.call('agent.search', { before: page.next ?? '' })
    expect(idsIn(rest)).toEqual([
      ...copies
        .slice(0, 5)
        .toReversed()
        .map(({ id }) => id),
      first,
    ])
    expect(rest.next).toBeUndefined()
    // One contact has as many entries as a page looks at: the older ones come with the next page.
    await db.updateTable('contacts').set({ head: 20_000 }).where('id', '=', 'copy-3').execute()
    const text = await agent.call('agent.search', { text: 'one' })
    expect([idsIn(text), text.next]).toEqual([[], `${row.created + 5}:copy-4`])
    const older = await agent.call('agent.search', { text: 'one', before: `${row.created + 4}:copy-3` })
    expect(idsIn(older)).toEqual([first])
    expect(await agent.ask('agent.search', { before: 'elsewhere' })).toMatchObject({
      error: { code: 'invalid_argument' },
    })
    for (const wrong of [{ text: '' }, { text: 'x'.repeat(129) }, { from: -1 }])
      expect(await agent.ask('agent.search', wrong)).toMatchObject({ ok: false })
  })

  it('PRD-176 a past contact is read by the agent who had it, and by no other', async () => {
    const [agent, other] = [await test.agent(), await test.agent()]
    const [contact = ''] = await pastOf(agent, [{ nick: 'Ann', texts: ['first', 'second'] }])
    const { texts, isOver, isMore } = await agent.call('agent.read', { contact, after: 0 })
    expect(texts.map(({ role, text, nick }) => [role, nick, text])).toEqual([
      ['visitor', 'Ann', 'first'],
      ['visitor', 'Ann', 'second'],
    ])
    expect([isOver, isMore]).toEqual([true, false])
    expect(await other.ask('agent.read', { contact, after: 0 })).toMatchObject({
      error: { code: 'not_assigned' },
    })
    expect(await agent.ask('agent.read', { contact: 'c-none', after: 0 })).toMatchObject({
      error: { code: 'not_found' },
    })
  })
})
