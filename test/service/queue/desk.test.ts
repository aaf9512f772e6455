/** What agents see beside the contacts that they have: colleagues, notes, and what is offered to them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../../protocol/index.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'
import type { WireClient } from '../../support/wire-client.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

const idOf = async (nick: string): Promise<string> => (await signInAgent(test.url, nick)).agent.id
const offered = (agent: WireClient, contact: string) =>
  agent.push('agent.distribution', ({ id }) => id === contact)
const withdrawn = (agent: WireClient, contact: string) =>
  agent.push('agent.withdrawn', ({ id }) => id === contact)
/** All that a connection has been told or answered. */
const frames = (client: WireClient): string => JSON.stringify(client.pushes)

describe('colleagues', () => {
  it('PRD-57 are those who are connected, with what they can take, and not the agent who asks', async () => {
    const [me, free, full, away, paused] = await Promise.all(
      ['Zoe', 'Free', 'Full', 'Away', 'Paused'].map((nick) => test.agent(nick)),
    )
    await free?.call('agent.presence', { state: 'ready', capacity: 2, tags: ['bills'] })
    const { id } = await queueVisitor(test)
    await full?.call('agent.presence', { state: 'ready', capacity: 1, tags: ['Italiano'] })
    await full?.push('agent.distribution', (offer) => offer.id === id)
    await full?.call('agent.accept', { contact: id })
    away?.close()
    await expect
      .poll(async () => (await me?.call('agent.colleagues', {}))?.colleagues.map(({ nick }) => nick))
      .toEqual(['Free', 'Full', 'Paused'])
    expect((await me?.call('agent.colleagues', {}))?.colleagues).toEqual([
      { user: await idOf('Free'), nick: 'Free', state: 'ready', tags: ['bills'] },
      { user: await idOf('Full'), nick: 'Full', state: 'busy', tags: ['Italiano'] },
      { user: await idOf('Paused'), nick: 'Paused', state: 'paused', tags: [] },
    ])
    for (const agent of [free, full, paused]) await agent?.call('agent.presence', { state: 'paused' })
  })
})

describe('notes', () => {
  it('PRD-58 reach the agent’s pages and the next agent, and never the visitor', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const page = await test.visitorAgain(agent.client)
    const secret = 'seems upset 4711'
    const { note } = await agent.client.call('agent.note', { contact: id, text: secret })
    expect(await page.push('agent.note')).toEqual({ contact: id, note })
    const next = await test.agent('Next')
    await next.call('agent.presence', { state: 'ready', capacity: 5 })
    const user = await idOf('Next')
    const handed = { contact: id, toAgent: user, note: 'refund 4712' }
    const { contact } = await agent.client.call('agent.transfer', handed)
    const session = new WireSession(visitor.client, contact)
    await session.open()
    await session.present()
    expect(await offered(next, contact)).toMatchObject({ note: 'refund 4712' })
    await next.call('agent.accept', { contact })
    const { notes } = await next.call('agent.notes', { contact })
    expect(notes.map(({ text }) => text)).toEqual([secret, 'refund 4712'])
    const log = await visitor.client.ask('log.read', { contact: id, after: 0, limit: 1000 })
    const record = await visitor.client.ask('contact.read', { contact })
    expect(JSON.stringify([log, record]) + frames(visitor.client)).not.toMatch(/upset 4711|refund 4712|"note/)
    expect(await visitor.client.ask('agent.notes', { contact })).toMatchObject({
      error: { code: 'forbidden' },
    })
    await next.call('agent.presence', { state: 'paused' })
  })

  it('PRD-58 are for the agent who has the contact, and have a limit', async () => {
    const { agent, id } = await joinBoth(test)
    const other = await test.agent()
    for (const [name, args] of [
      ['agent.note', { contact: id, text: 'x' }],
      ['agent.notes', { contact: id }],
    ] as const)
      expect(await other.ask(name, args)).toMatchObject({ error: { code: 'not_assigned' } })
    for (const text of ['', 'x'.repeat(LIMITS.note + 1)])
      expect(await agent.client.ask('agent.note', { contact: id, text })).toMatchObject({ ok: false })
    await agent.client.call('agent.note', { contact: id, text: 'x'.repeat(LIMITS.note) })
  })

  it('PRD-58 of a secure contact are refused: they would not be encrypted', async () => {
    const { agent, id } = await joinBoth(test, { secure: true })
    expect(await agent.client.ask('agent.note', { contact: id, text: 'x' })).toMatchObject({
      error: { code: 'forbidden' },
    })
    expect(await agent.client.ask('agent.transfer', { contact: id, toTags: ['x'], note: 'x' })).toMatchObject(
      { error: { code: 'forbidden' } },
    )
    expect((await agent.client.call('contact.read', { contact: id })).record.state).toBe('joined')
  })
})

describe('an offer', () => {
  it('PRD-59 says how long the visitor has waited and what they wrote first', async () => {
    const visitor = await queueVisitor(test)
    await visitor.session.text('Where is my parcel?')
    await visitor.session.text('Hello?')
    test.clock.advance(5_000)
    const agent = await test.agent()
    await agent.call('agent.presence', { state: 'ready' })
    expect(await offered(agent, visitor.id)).toMatchObject({
      question: 'Where is my parcel?',
      waitedMs: 5_000,
    })
    await agent.call('agent.presence', { state: 'paused' })
  })

  it('PRD-59 an agent is told what the visitor writes first after the offer, and nothing later', async () => {
    const agent = await test.agent()
    await agent.call('agent.presence', { state: 'ready', capacity: 50 })
    const visitor = await queueVisitor(test)
    expect(await offered(agent, visitor.id)).not.toHaveProperty('question')
    const long = `🦊${'a'.repeat(2 * LIMITS.question)}`
    await visitor.session.text(long)
    await visitor.session.text('second')
    const { text } = await agent.push('agent.question', ({ id }) => id === visitor.id)
    expect(text).toBe(long.slice(0, LIMITS.question + 1))
    await agent.call('agent.accept', { contact: visitor.id })
    expect(frames(agent)).not.toContain('second')
    await agent.call('agent.presence', { state: 'paused' })
  })

  it('PRD-59 of a secure contact it says nothing that was written', async () => {
    const visitor = await queueVisitor(test, { secure: true })
    const agent = await test.agent()
    await agent.call('agent.presence', { state: 'ready', capacity: 50 })
    expect(await offered(agent, visitor.id)).not.toHaveProperty('question')
    await agent.call('agent.presence', { state: 'paused' })
  })

  it.each(['accept', 'decline'] as const)(
    'PRD-60 an answer is seen on every page of the agent: %s',
    async (answer) => {
      const first = await test.agent(`Pages ${answer}`)
      await first.call('agent.presence', { state: 'ready', capacity: 50 })
      const second = await test.visitorAgain(first)
      const visitor = await queueVisitor(test)
      await offered(first, visitor.id)
      await offered(second, visitor.id)
      await first.call(`agent.${answer}`, { contact: visitor.id })
      expect((await withdrawn(second, visitor.id)).reason).toBe(answer === 'accept' ? 'taken' : 'declined')
      await first.call('agent.presence', { state: 'paused' })
    },
  )
})

describe('retention', () => {
  it('PRD-58 notes are exported and erased with the visitor', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await agent.client.call('agent.note', { contact: id, text: 'to be erased' })
    const { record } = await visitor.client.call('contact.read', { contact: id })
    const { db } = test.service.database
    const { exportVisitor } = await import('../../../service/src/store/export.ts')
    const pieces: unknown[] = []
    for await (const piece of exportVisitor(db, record.visitor.id)) pieces.push(piece)
    expect(pieces).toContainEqual(expect.objectContaining({ kind: 'note', body: 'to be erased' }))
    await db.deleteFrom('contacts').where('id', '=', id).execute()
    expect(await db.selectFrom('notes').selectAll().where('contact', '=', id).execute()).toEqual([])
  })
})
