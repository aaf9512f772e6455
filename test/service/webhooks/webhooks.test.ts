import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { serviceMetrics } from '../../../service/src/http/metrics.ts'
import { WebhookService } from '../../../service/src/webhooks/webhook-service.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { SILENT_REPORT } from '../../../service/src/report.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import type { TestService } from '../../support/service.ts'
import { sendFile } from '../../support/tus.ts'
import { queueIs } from '../../support/webhook-queue.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'
import type { Heard } from '../../support/webhook-receiver.ts'

const ADMIN = 'an administration token'
const SECRETS = [randomBytes(32).toString('base64'), `whsec_${randomBytes(24).toString('base64')}`] as const
const files = temporaryData()
const secretFile = join(files.folder, 'secrets')
writeFileSync(secretFile, `${SECRETS.join('\n')}\n`)

let receiver: WebhookReceiver
let test: TestService

/** What the log says of webhooks. */
const said: unknown[] = []

beforeAll(async () => {
  receiver = await WebhookReceiver.start()
  test = await startTestService(
    { webhook: { url: receiver.url, secretFile }, adminToken: ADMIN },
    {
      report: {
        warn: (...line) => said.push(line),
        debug: (...line) => said.push(line),
      },
    },
  )
})
beforeEach(() => {
  said.length = 0
  receiver.answer = () => [204]
})
afterEach(() => vi.useRealTimers())
afterAll(async () => {
  await test?.close()
  await receiver?.close()
  files.remove()
})

/** The description of the events for machines. */
interface Described {
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly requestBody: { readonly content: Record<string, { readonly schema: object }> }
        }
      }
    >
  >
}

const typesOf = (all: readonly Heard[]): string[] => all.map(({ said }) => said.type)
const textsOf = (all: readonly Heard[]): unknown[] =>
  all.flatMap(({ said }) => {
    const { message } = said.data as { readonly message?: { readonly body: { readonly text?: string } } }
    return message ? [message.body.text] : []
  })
const notes = async (contact: string): Promise<number> =>
  (
    await test.service.database.db
      .selectFrom('webhook_notes')
      .select('n')
      .where('contact', '=', contact)
      .execute()
  ).length

/** A clock by which nothing rings. */
const QUIET = { setTimeout: () => null, clearTimeout: () => {} }

/** Another node of the same store. */
const nodeOf = (parts: Partial<ConstructorParameters<typeof WebhookService>[0]> = {}): WebhookService =>
  new WebhookService({
    ...{ db: test.service.database.db, clock: test.clock, metrics: serviceMetrics() },
    ...{ options: { url: receiver.url, secretFile }, node: { takesWork: true, isAlone: false } },
    report: {
      ...SILENT_REPORT,
      fault: (thrown) => {
        throw thrown
      },
    },
    ...parts,
  })

describe('webhooks', () => {
  it('PRD-110 PRD-154 tell of a rating before the end where the visitor has left, which is over half a minute later', async () => {
    const { visitor, id } = await joinBoth(test)
    await visitor.session.leave()
    await visitor.client.call('contact.rate', { contact: id, score: 5 })
    expect(typesOf(await receiver.of(id, 4)).at(-1)).toBe('contact.rating')
    test.clock.advance(30_000)
    const { said } = (await receiver.of(id, 5)).at(-1) ?? {}
    expect(said).toMatchObject({ type: 'contact.ended', data: { reason: 'user' } })
  })

  it('PRD-110 tell of a contact from its creation to its end, in the order of its log', async () => {
    const { visitor, agent, id } = await joinBoth(test, {
      data: [{ name: 'order', desc: 'Order', data: [] }],
    })
    await visitor.session.text('Good morning')
    await agent.session.text('Hello Vera')
    await agent.session.leave()
    await visitor.client.call('contact.rate', { contact: id, score: 5, comment: 'Kind' })
    const all = await receiver.of(id, 7)
    expect(typesOf(all)).toEqual([
      'contact.created',
      'contact.queued',
      'contact.joined',
      'contact.message',
      'contact.message',
      'contact.ended',
      'contact.rating',
    ])
    const [created, , joined, first, second, ended] = all.map(({ said }) => said.data)
    expect(created).toMatchObject({
      visitor: { nick: 'Vera' },
      secure: false,
      data: [{ name: 'order', desc: 'Order', data: [] }],
    })
    expect(joined).toMatchObject({ agent: { nick: expect.stringMatching(/^Agent /) } })
    expect(first).toMatchObject({
      message: { type: 'text', from: { role: 'visitor', nick: 'Vera' }, body: { text: 'Good morning' } },
    })
    expect(second).toMatchObject({ message: { from: { role: 'agent' }, body: { text: 'Hello Vera' } } })
    expect(ended).toMatchObject({ reason: 'user' })
    await queueIs(test, id, 'empty')
    expect(await notes(id)).toBe(0)
    const { webhooks } = (await (await fetch(`${test.url}/v1/openapi.json`)).json()) as Described
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const { said } of all) {
      const { schema } = webhooks[said.type]?.post.requestBody.content['application/json'] ?? {}
      expect(ajv.validate(schema ?? false, said) || ajv.errors).toBe(true)
    }
    expect(Object.keys(webhooks).toSorted()).toEqual([...new Set(typesOf(all))].toSorted())
  })

  it('PRD-110 say which party sent a file', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await sendFile(test.url, visitor, new Uint8Array(3))
    await sendFile(test.url, agent, new Uint8Array(4))
    const [first, second] = (await receiver.of(id, 5)).slice(3).map(({ said }) => said.data)
    expect(first).toMatchObject({
      message: {
        type: 'attachment',
        from: { role: 'visitor', id: expect.stringMatching(/^v-/), nick: 'Vera' },
        body: { size: 3 },
      },
    })
    expect(second).toMatchObject({ message: { from: { role: 'agent' }, body: { size: 4 } } })
  })

  it('PRD-111 are signed with each secret, as a library of somebody else checks it', async () => {
    const { id } = await queueVisitor(test)
    const [heard] = await receiver.of(id, 1)
    if (!heard) throw new Error('nothing was told')
    const headers = Object.fromEntries(
      Object.entries(heard.headers).map(([name, value]) => [name, String(value)]),
    )
    vi.useFakeTimers({ now: test.clock.now(), toFake: ['Date'] })
    for (const secret of SECRETS) expect(new Webhook(secret).verify(heard.body, headers)).toEqual(heard.said)
    const other = new Webhook(randomBytes(32).toString('base64'))
    expect(() => other.verify(heard.body, headers)).toThrow('No matching signature')
    expect(() => new Webhook(SECRETS[0]).verify(`${heard.body} `, headers)).toThrow('No matching signature')
    vi.setSystemTime(test.clock.now() + 600_000)
    expect(() => new Webhook(SECRETS[0]).verify(heard.body, headers)).toThrow('too old')
  })

  it('PRD-112 that are not taken are sent again after longer and longer times, with the same id, and before later ones', async () => {
    const visitor = await queueVisitor(test)
    const { id } = visitor
    await receiver.of(id, 2)
    await queueIs(test, id, 'empty')
    const isFirst = ({ said }: Heard): boolean => textsOf([{ said } as Heard])[0] === 'first'
    let refusals = 3
    receiver.answer = (heard) => (isFirst(heard) && (refusals -= 1) >= 0 ? [503] : [200])
    await visitor.session.text('first')
    await visitor.session.text('second')
    for (const waitMs of [1_000, 2_000, 4_000]) {
      await queueIs(test, id, 'waiting')
      const before = receiver.heard.length
      test.clock.advance(waitMs - 1)
      expect(receiver.heard.length).toBe(before)
      test.clock.advance(1)
      await receiver.of(id, 3 + [1_000, 2_000, 4_000].indexOf(waitMs) + 1)
    }
    const all = (await receiver.of(id, 7)).slice(2)
    expect(textsOf(all)).toEqual(['first', 'first', 'first', 'first', 'second'])
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  })

  it('PRD-112 wait as long as the back end asks for', async () => {
    receiver.answer = () => [429, 30]
    const { id } = await queueVisitor(test)
    await receiver.of(id, 1)
    await queueIs(test, id, 'waiting')
    receiver.answer = () => [200]
    const { due } = await test.service.database.db
      .selectFrom('webhook_queues')
      .select('due')
      .where('contact', '=', id)
      .executeTakeFirstOrThrow()
    expect(due - test.clock.now()).toBe(30_000)
    test.clock.advance(30_000)
    await receiver.of(id, 3)
  })

  it('PRD-113 hold nothing of what was said: after an erasure nothing is told any more', async () => {
    receiver.answer = () => [500]
    const visitor = await queueVisitor(test)
    await receiver.of(visitor.id, 1)
    await visitor.session.text('my secret')
    const { db, pool } = test.service.database
    const { rows } = await pool.query<{ all: string }>(
      'select json_agg(w)::text as all from webhook_notes w where contact = $1',
      [visitor.id],
    )
    expect(rows[0]?.all).toContain('message')
    expect(rows[0]?.all).not.toContain('my secret')
    const { visitor: owner } = await db
      .selectFrom('contacts')
      .select('visitor')
      .where('id', '=', visitor.id)
      .executeTakeFirstOrThrow()
    await fetch(`${test.url}/v1/admin/visitors/${owner}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ADMIN}` },
    })
    expect(await notes(visitor.id)).toBe(0)
  })

  it('PRD-114 OPS-11 are given up after three days, counted, and told of in the log', async () => {
    receiver.answer = () => [500]
    const { id } = await queueVisitor(test)
    await queueIs(test, id, 'waiting')
    const metrics = serviceMetrics()
    expect(said).toContainEqual(['the back end has not taken a webhook', { status: 500 }])
    const report = { ...SILENT_REPORT, warn: (...line: unknown[]) => void said.push(line) }
    const now = () => test.clock.now() + 3 * 86_400_000 + 1
    const later = nodeOf({ metrics, report, clock: { ...QUIET, now } })
    await later.start()
    await expect.poll(() => notes(id)).toBe(0)
    await later.stop()
    expect(await metrics.text()).toMatch(/duolog_webhooks_total\{outcome="given up"\} [1-9]/)
    expect(said).toContainEqual(['webhooks are given up', { webhooks: expect.any(Number) as number }])
  })

  it('PRD-115 are told once by several nodes that look at the same time', async () => {
    const nodes = Array.from({ length: 3 }, () => nodeOf())
    const contacts = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const visitor = await queueVisitor(test)
        for (const node of nodes) node.wake()
        await Promise.all(['a', 'b', 'c'].map((text) => visitor.session.text(text)))
        for (const node of nodes) node.wake()
        return visitor.id
      }),
    )
    for (const id of contacts) {
      const all = await receiver.of(id, 5)
      await queueIs(test, id, 'empty')
      expect(textsOf(all)).toEqual(['a', 'b', 'c'])
      expect(all).toHaveLength(5)
    }
    await Promise.all(nodes.map((node) => node.stop()))
  })

  it('PRD-116 are not noted where nobody is to be told, and what was noted before goes', async () => {
    receiver.answer = () => [500]
    const { id } = await queueVisitor(test)
    await queueIs(test, id, 'waiting')
    await nodeOf({ options: null, node: { takesWork: true, isAlone: true } }).start()
    const { id: other } = await joinBoth(test)
    expect([await notes(id), await notes(other)]).toEqual([0, 0])
    await nodeOf({ clock: { ...QUIET, now: () => test.clock.now() } }).start()
  })
})
