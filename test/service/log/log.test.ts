import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { CAPABILITIES, HOLDS, WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const texts = (client: WireClient, contact: string): string[] =>
  client.entries(contact).flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))
const numbers = (client: WireClient, contact: string): number[] =>
  client.entries(contact).map((entry) => entry.seq)
const upTo = (last: number, from = 1): number[] =>
  Array.from({ length: last - from + 1 }, (_, index) => index + from)

describe('the log of a contact', () => {
  it('LOG-1 LOG-2 LOG-8 gives all entries numbers without gaps, in one order for everyone', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await Promise.all([
      ...upTo(40).map((n) => visitor.session.text(`v${n}`)),
      ...upTo(40).map((n) => agent.session.text(`a${n}`)),
    ])
    const [first, second] = [visitor.client, agent.client]
    await Promise.all(
      [first, second].map((client) => client.until(() => texts(client, id).length === 80, 'all texts')),
    )
    expect(numbers(first, id)).toEqual(upTo(84))
    expect(first.entries(id)).toEqual(second.entries(id))
    expect(texts(first, id).filter((text) => text.startsWith('v'))).toEqual(upTo(40).map((n) => `v${n}`))
    expect(texts(first, id).filter((text) => text.startsWith('a'))).toEqual(upTo(40).map((n) => `a${n}`))
  })

  it('LOG-4 an id that is known gets its old number, in the same session and in a later one', async () => {
    const { client, session, id } = await queueVisitor(test)
    const first = await session.text('once', 'm-1')
    const draft = {
      id: 'm-1',
      session: session.id,
      counter: session.counter,
      type: 'text',
      body: { text: 'once' },
    } as const
    expect(await client.call('log.append', { contact: id, session: session.id, drafts: [draft] })).toEqual(
      first,
    )
    const page = new WireSession(client, id)
    await page.open()
    expect(await page.text('once', 'm-1')).toEqual(first)
    await page.client.until(() => texts(client, id).length > 0, 'the text')
    expect(
      (await client.call('log.read', { contact: id, after: 0, limit: 100 })).entries.map(
        (entry) => entry.type,
      ),
    ).toEqual(['present', 'text'])
  })

  it('LOG-4 also where the rest would be refused: nothing is used up', async () => {
    const { session } = await queueVisitor(test)
    const first = await session.text('once', 'm-1')
    expect(await session.text('x'.repeat(8_193), 'm-1')).toEqual(first)
    session.counter -= 1
    expect((await session.text('two')).appended).toEqual([{ id: expect.any(String), seq: 3 }])
  })

  it('LOG-4 two drafts of one call with the same id refuse it as a whole, also beside a present', async () => {
    const { client, session, id } = await queueVisitor(test)
    const present = { capabilities: CAPABILITIES, media: HOLDS, after: session.id }
    await expect(
      session.write(
        { id: 'p', type: 'present', body: present },
        { id: 'm', type: 'text', body: { text: 'one' } },
        { id: 'm', type: 'text', body: { text: 'another' } },
      ),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
    session.counter -= 3
    await session.write(
      { id: 'p', type: 'present', body: present },
      { id: 'm', type: 'text', body: { text: 'one' } },
      { id: 'a', type: 'ack', body: { ref: 'm' } },
      { id: 'b', type: 'ack', body: { ref: 'm' } },
    )
    await client.until(() => texts(client, id).length === 1, 'the text')
  })

  it('LOG-4 the id of another party is not taken for a repeat', async () => {
    const { visitor, agent } = await joinBoth(test)
    await visitor.session.text('mine', 'shared-id')
    const { appended } = await agent.session.text('not mine', 'shared-id')
    expect(appended).toEqual([
      { id: 'shared-id', error: { code: 'invalid_argument', message: expect.any(String) } },
    ])
  })

  it('LOG-9 a final refusal uses up its counter, and spoils nothing before or after it', async () => {
    const { client, session, id } = await queueVisitor(test)
    const { appended } = await session.write(
      { id: 'a', type: 'text', body: { text: 'one' } },
      { id: 'b', type: 'text', body: { text: 'x'.repeat(8_193) } },
      { id: 'c', type: 'text', body: { text: 'two' } },
    )
    expect(appended).toEqual([
      { id: 'a', seq: 2 },
      { id: 'b', error: { code: 'too_large', message: expect.any(String) } },
      { id: 'c', seq: 3 },
    ])
    expect((await session.text('three')).appended).toEqual([{ id: expect.any(String), seq: 4 }])
    await client.until(() => texts(client, id).length === 3, 'the texts')
  })

  it('SRV-1 a counter that leaves a gap is refused and uses up nothing', async () => {
    const { session } = await queueVisitor(test)
    session.counter += 1
    const { appended } = await session.text('too early')
    expect(appended).toEqual([
      { id: expect.any(String), error: { code: 'invalid_state', message: expect.stringContaining('is 2') } },
    ])
    session.counter = 1
    expect((await session.text('in time')).appended).toEqual([{ id: expect.any(String), seq: 2 }])
  })

  it('SRV-2 sender, slot and time are those of the service', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const forged = {
      id: 'f',
      session: visitor.session.id,
      counter: 2,
      type: 'text',
      body: { text: 'hi', agent: true },
      slot: 'agent',
      from: { id: 'x', nick: 'Ada' },
      time: 1,
      seq: 1,
    }
    await visitor.client.ask('log.append', { contact: id, session: visitor.session.id, drafts: [forged] })
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect(await agent.client.entry(id, 'text')).toEqual({
      ...{ id: 'f', session: visitor.session.id, counter: 2, type: 'text', slot: 'visitor', seq: 5 },
      ...{ body: { text: 'hi' }, from: { id: record.visitor.id, nick: 'Vera' }, time: test.clock.now() },
    })
  })

  it.each(['joined', 'left', 'cleared', 'assigned', 'transferred', 'declined', 'attachment'])(
    'SRV-2 a party cannot write %s',
    async (type) => {
      const { client, session, id } = await queueVisitor(test)
      const draft = {
        id: 'f',
        session: session.id,
        counter: 2,
        type,
        body: { reason: 'user', user: 'x', nick: 'x', toId: 'x', session: session.id, slot: 'visitor' },
      }
      const reply = await client.ask('log.append', { contact: id, session: session.id, drafts: [draft] })
      expect(reply).toMatchObject({
        ok: true,
        value: { appended: [{ id: 'f', error: { code: 'invalid_argument' } }] },
      })
    },
  )

  it('MSG-8 the first ack of a message counts, a second one takes its number', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.text('hello', 'm')
    const ack = () => agent.session.write({ id: randomUUID(), type: 'ack', body: { ref: 'm' } })
    const [{ appended: first }, { appended: second }] = [await ack(), await ack()]
    expect([first[0], second[0]].map((each) => each && 'seq' in each && each.seq)).toEqual([6, 6])
    await agent.session.text('after')
    await visitor.client.entry(id, 'text', (entry) => entry.body.text === 'after')
    expect(visitor.client.entries(id).filter((entry) => entry.type === 'ack')).toHaveLength(1)
  })

  it('MSG-8 also in one call: both have the number of the first, each uses up its counter, and what follows is stored', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.text('hello', 'm')
    const ack = (name: string) => ({ id: name, type: 'ack', body: { ref: 'm' } }) as const
    const text = { id: 'm-2', type: 'text', body: { text: 'after' } } as const
    const { appended } = await agent.session.write(ack('a-1'), ack('a-2'), text)
    const seq = expect.any(Number) as number
    expect(appended).toEqual([
      { id: 'a-1', seq },
      { id: 'a-2', seq: appended[0] && 'seq' in appended[0] ? appended[0].seq : null },
      { id: 'm-2', seq },
    ])
    await visitor.client.entry(id, 'text', (entry) => entry.id === 'm-2')
    expect(visitor.client.entries(id).filter((entry) => entry.type === 'ack')).toHaveLength(1)
    await expect(agent.session.write(text, text)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('LOG-3 a session that comes back gets what it missed before anything new', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    visitor.client.close()
    for (const n of upTo(30)) await agent.session.text(`missed ${n}`)
    const back = await test.visitorAgain(visitor.client)
    const session = new WireSession(back, id, visitor.session.id)
    const opening = session.open(4)
    const writing = agent.session.text('new')
    expect(await opening).toMatchObject({ counter: 1 })
    await writing
    await back.entry(id, 'text', (entry) => entry.body.text === 'new')
    expect(numbers(back, id)).toEqual(upTo(35, 5))
  })

  it('LOG-3 a long log is replayed from any position, and opens quickly', async () => {
    const { client, session, id } = await queueVisitor(test)
    for (let page = 0; page < 40; page += 1)
      await session.write(
        ...upTo(50).map((n) => ({
          id: `p${page}-${n}`,
          type: 'text' as const,
          body: { text: 'x'.repeat(200) },
        })),
      )
    const second = new WireSession(client, id)
    const start = performance.now()
    const { head } = await second.open(1_990)
    expect(performance.now() - start).toBeLessThan(500)
    expect(head).toBe(2_001)
    const late = await test.visitorAgain(client)
    const third = new WireSession(late, id)
    await third.open(0)
    await late.until(() => late.entries(id).length === 2_001, 'the whole log')
    expect(numbers(late, id)).toEqual(upTo(2_001))
  })

  it('LIFE-19 LOG-9 after the end nothing can be written', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await agent.session.leave()
    await visitor.client.entry(id, 'cleared')
    await expect(visitor.session.text('too late')).rejects.toMatchObject({ code: 'left' })
    await expect(agent.session.text('too late')).rejects.toMatchObject({ code: 'left' })
    await expect(new WireSession(visitor.client, id).open()).rejects.toMatchObject({ code: 'left' })
  })

  it('LOG-1 LIFE-6 what was written right before leaving, without waiting, is stored before it', async () => {
    for (const last of upTo(8)) {
      const { client, session, id } = await queueVisitor(test)
      const leaving = [
        session.text(`the last words ${last}`),
        client.call('contact.leave', { contact: id, session: session.id }),
      ]
      expect(await leaving[0]).toMatchObject({ appended: [{ seq: 2 }] })
      await leaving[1]
      expect(client.entries(id).map(({ type }) => type)).toEqual(['present', 'text', 'left', 'cleared'])
      client.close()
    }
  })

  it('SRV-2 A45 a session that another connection has opened cannot write here any more', async () => {
    const { client, session, id } = await queueVisitor(test)
    const other = await test.visitorAgain(client)
    const ended = new Promise((settle) => client.socket.once('disconnect', settle))
    await other.call('contact.open', { contact: id, session: session.id, cursor: 0 })
    await expect(session.text('too late')).rejects.toThrow('the connection is gone')
    expect(await ended).toBe('io server disconnect')
    const draft = {
      id: 'm-1',
      session: session.id,
      counter: 2,
      type: 'text',
      body: { text: 'from there' },
    } as const
    expect(await other.call('log.append', { contact: id, session: session.id, drafts: [draft] })).toEqual({
      appended: [{ id: 'm-1', seq: 2 }],
    })
    other.close()
  })

  it('SRV-2 a session that was not opened here cannot write', async () => {
    const { client, id } = await queueVisitor(test)
    await expect(new WireSession(client, id).text('hello')).rejects.toMatchObject({ code: 'not_joined' })
  })
})
