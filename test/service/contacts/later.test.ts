import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LocalBus } from '../../../service/src/bus/local-bus.ts'
import { systemRandom } from '../../../service/src/clock/random.ts'
import { CONTACT_LIMITS, ContactStore } from '../../../service/src/contacts/index.ts'
import type { ChangeJob, ContactChange } from '../../../service/src/contacts/index.ts'
import { WriteQueues } from '../../../service/src/log/write-queues.ts'
import { joinAgent, queueVisitor, timerSet } from '../../support/parties.ts'
import type { Place, WaitingVisitor } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService, VisitorTokens } from '../../support/service.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]
let test: TestService

beforeEach(async () => {
  test = await startTestService({ maxWaitMs: 30 * MINUTE })
})
afterEach(() => test.close())

/** The contact in the store. */
const rowOf = (id: string) =>
  test.service.database.db
    .selectFrom('contacts')
    .select(['life', 'waiting', 'visitor_away'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** The visitor's page is closed, and its grace is over. */
async function closePage({ client, id }: WaitingVisitor): Promise<void> {
  client.close()
  await timerSet(test, id, 'absence')
  test.clock.advance(MINUTE)
  await expect.poll(async () => (await rowOf(id)).visitor_away).toBe(true)
}

/** A visitor who has left a message and closed the page. */
async function leaveMessage(place: Place = test): Promise<WaitingVisitor> {
  const visitor = await queueVisitor(place, { later: true })
  await visitor.session.text('call me tomorrow')
  await closePage(visitor)
  return visitor
}

const endOfWait = async (id: string): Promise<number> =>
  (
    await test.service.database.db
      .selectFrom('timers')
      .select('due')
      .where('subject', '=', id)
      .where('key', '=', 'wait')
      .executeTakeFirstOrThrow()
  ).due

const reasonOf = async (id: string): Promise<unknown> =>
  (
    await test.service.database.db
      .selectFrom('entries')
      .select('body')
      .where('contact', '=', id)
      .where('type', '=', 'cleared')
      .executeTakeFirst()
  )?.body

/** Changes contacts beside the service. `asked`: the contacts for which the matcher is asked. */
function ownStore() {
  const asked: string[] = []
  const bus = new LocalBus(() => {})
  bus.on('match', ({ reason }) => void asked.push(reason))
  const queues = new WriteQueues<ChangeJob>({
    flush: () => Promise.reject(new Error('nothing is appended here')),
    isBlocked: () => false,
    carryOut: (jobs, waits) => store.carryOut(jobs, waits),
    lockKey: () => null,
  })
  const world = { clock: test.clock, random: systemRandom, limits: CONTACT_LIMITS }
  const { db } = test.service.database
  const store: ContactStore = new ContactStore({ db, queues, bus, world, metrics: { add: () => {} } })
  const change = (id: string, work: (contact: ContactChange) => void) =>
    store.change(id, async (contact) => work(contact))
  return { asked, change }
}

describe('a contact for later', () => {
  it('PRD-30 waits for days after the page is closed, and an agent answers what the visitor then reads', async () => {
    const { token, refresh } = await signInVisitor(test.url)
    const connect = (signedIn: string) => WireClient.connect(test.url, signedIn)
    const visitor = await leaveMessage({ ...test, visitor: () => connect(token) })
    test.clock.advance(3 * DAY)
    const agent = await joinAgent(test, visitor.id)
    expect(agent.client.pushes).toContainEqual({
      name: 'agent.distribution',
      body: expect.objectContaining({ id: visitor.id, later: true, question: 'call me tomorrow' }) as object,
    })
    await agent.session.text('we are open again')
    const again = await fetch(`${test.url}/v1/visitors/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh }),
    })
    const back = await connect(((await again.json()) as VisitorTokens).token)
    const session = new WireSession(back, visitor.id)
    expect((await session.open()).record).toMatchObject({ state: 'joined', later: true })
    await session.present()
    expect(
      (await back.entry(visitor.id, 'text', ({ body }) => body.text === 'we are open again')).seq,
    ).toBeGreaterThan(0)
    await agent.session.leave()
    await back.entry(visitor.id, 'cleared')
    back.close()
  })

  it('PRD-30 is withdrawn when its visitor leaves it', async () => {
    const visitor = await queueVisitor(test, { later: true })
    await visitor.session.text('call me tomorrow')
    test.clock.advance(MINUTE)
    await visitor.session.leave()
    expect(await reasonOf(visitor.id)).toBe('{"reason":"abandon"}')
  })

  it.each([
    [
      'a form',
      { later: true, data: [{ name: 'f', data: [{ name: 'mail', type: 'email', value: 'a@b.example' }] }] },
    ],
    ['a message', { later: true }],
  ] as const)('PRD-30 %s is something to answer', async (what, contact) => {
    const visitor = await queueVisitor(test, contact)
    if (what === 'a message') await visitor.session.text('hello?')
    await closePage(visitor)
    expect((await rowOf(visitor.id)).waiting).toBe(true)
  })

  it('PRD-30 without anything to answer it ends as any other', async () => {
    const visitor = await queueVisitor(test, { later: true })
    await closePage(visitor)
    expect((await rowOf(visitor.id)).waiting).toBe(false)
    test.clock.advance(10 * MINUTE)
    await expect.poll(() => reasonOf(visitor.id)).toBe('{"reason":"disconnect"}')
  })

  it('PRD-30 ends when nobody has taken it within a week', async () => {
    const visitor = await leaveMessage()
    test.clock.advance(29 * MINUTE)
    await expect.poll(() => endOfWait(visitor.id)).toBeGreaterThan(test.clock.now() + 6 * DAY)
    test.clock.advance(7 * DAY - 31 * MINUTE)
    expect((await rowOf(visitor.id)).life).toBe('queued')
    test.clock.advance(MINUTE)
    await expect.poll(() => reasonOf(visitor.id)).toBe('{"reason":"dissuasion"}')
  })

  it('PRD-30 visitors who are there come first, and are told their places among themselves', async () => {
    const left = await leaveMessage()
    const here = await queueVisitor(test)
    expect((await here.client.push('contact.queue')).position).toBe(1)
    const agent = await test.agent()
    await agent.call('agent.presence', { state: 'ready', capacity: 1 })
    expect((await agent.push('agent.distribution')).id).toBe(here.id)
    await agent.call('agent.decline', { contact: here.id })
    expect((await agent.push('agent.distribution', ({ id }) => id === left.id)).later).toBe(true)
  })

  it('PRD-30 agents and places are looked at anew as its visitor comes back, and as they go', async () => {
    const left = await leaveMessage()
    const { change, asked } = ownStore()
    await change(left.id, () => {})
    expect(asked).toEqual([])
    await change(left.id, (contact) => contact.happen({ type: 'visitor.present', now: test.clock.now() }))
    expect([asked, (await rowOf(left.id)).visitor_away]).toEqual([[left.id], false])
    await change(left.id, (contact) =>
      contact.happen({
        ...{ type: 'due.grace', slot: 'visitor', session: left.session.id, toId: '' },
        ...{ last: true, isEmpty: false },
      }),
    )
    expect([asked, (await rowOf(left.id)).visitor_away]).toEqual([[left.id, left.id], true])
  })

  it('PRD-30 goes on for the next agent when the one who had it is gone, without its visitor', async () => {
    const visitor = await leaveMessage()
    const agent = await joinAgent(test, visitor.id)
    await agent.client.call('agent.transfer', { contact: visitor.id, toTags: [] })
    const { body } = await agent.client.entry(visitor.id, 'transferred')
    expect(await rowOf(body.toId)).toEqual({ life: 'queued', waiting: true, visitor_away: true })
    await joinAgent(test, body.toId)
  })

  it('PRD-30 under the id of a transfer it waits for its visitor where that one is there', async () => {
    const visitor = await queueVisitor(test, { later: true })
    const agent = await joinAgent(test, visitor.id)
    await agent.client.call('agent.transfer', { contact: visitor.id, toTags: [] })
    const { body } = await agent.client.entry(visitor.id, 'transferred')
    expect(await rowOf(body.toId)).toEqual({ life: 'queued', waiting: false, visitor_away: false })
  })

  it('PRD-30 `unattended` is for later where no agent is there, and only there', async () => {
    const nobody = await queueVisitor(test, { later: 'unattended' })
    const read = async ({ client, id }: WaitingVisitor) =>
      (await client.call('contact.read', { contact: id })).record
    expect(await read(nobody)).toMatchObject({ later: true })
    await (await test.agent()).call('agent.presence', { state: 'paused' })
    expect(await read(await queueVisitor(test, { later: 'unattended' }))).not.toHaveProperty('later')
    expect(await read(await queueVisitor(test, { later: true }))).toMatchObject({ later: true })
  })

  it('PRD-30 an agent whose connection was lost a moment ago counts as there', async () => {
    const agent = await test.agent('Ada')
    await agent.call('agent.presence', { state: 'ready' })
    const { db } = test.service.database
    const rowOfAgent = () =>
      db.selectFrom('agents').select(['id', 'connected', 'state']).executeTakeFirstOrThrow()
    const { id } = await rowOfAgent()
    agent.close()
    await timerSet(test, id, 'agent')
    expect((await rowOfAgent()).connected).toBe(false)
    const isForLater = async () => {
      const { client, id: contact } = await queueVisitor(test, { later: 'unattended' })
      return (await client.call('contact.read', { contact })).record.later ?? false
    }
    expect(await isForLater()).toBe(false)
    test.clock.advance(MINUTE)
    await expect.poll(async () => (await rowOfAgent()).state).toBe('paused')
    expect(await isForLater()).toBe(true)
  })

  it('PRD-30 a secure contact is not for later: its parties must meet', async () => {
    const { client, id } = await queueVisitor(test, { later: true, secure: true })
    expect((await client.call('contact.read', { contact: id })).record).not.toHaveProperty('later')
  })
})

it('PRD-30 `--later 0`: there are none', async () => {
  const without = await startTestService({ laterMs: 0 })
  const { client, id } = await queueVisitor(without, { later: true })
  expect((await client.call('contact.read', { contact: id })).record).not.toHaveProperty('later')
  await without.close()
})
