import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService } from '../../../service/src/start-service.ts'
import type { RunningService } from '../../../service/src/start-service.ts'
import { pileUp } from '../../support/large-store.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import type { Place } from '../../support/parties.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInAgent, signInVisitor, testOptions } from '../../support/service.ts'
import { recordStatements } from '../../support/statements.ts'
import type { Statement } from '../../support/statements.ts'
import { announceNew, sendFile, urlOf } from '../../support/tus.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const DAY_MS = 86_400_000
const adminToken = 'an administration token'
const authorization = { authorization: `Bearer ${adminToken}` }
/** Tables that grow while the service runs. What is in the others is made by hand, or once. */
const GROWING = new Set([
  'contacts',
  'entries',
  'sessions',
  'visitors',
  'refresh_tokens',
  'attachments',
  'timers',
  'refusals',
  'offers',
  'revocations',
  'agents',
])
/** Rows of one statement, and values that it is given: lists count by their length. */
const MOST_ROWS = 2_000
const MOST_VALUES = 6_000
const MOST_CHARACTERS = 4_000_000

const data = preparedData()
const clock = new ManualClock()
const clients: WireClient[] = []
let service: RunningService
let statements: readonly Statement[] = []

const options = testOptions(data.folder, { adminToken })
const connect = async (token: string): Promise<WireClient> => {
  const client = await WireClient.connect(service.url, token)
  clients.push(client)
  return client
}
const place: Place = {
  visitor: async () => connect((await signInVisitor(service.url)).token),
  agent: async (nick = 'Ada') => connect((await signInAgent(service.url, nick)).token),
}
const post = (path: string, body: unknown, headers = {}) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Marks what the test itself asks. */
const OWN = '/* test */'
const isThere = async (text: string, ...values: readonly unknown[]): Promise<boolean> =>
  ((await service.database.pool.query(`${text} ${OWN}`, [...values])).rowCount ?? 0) > 0

/** Everything that parties and operators do. */
async function aWholeDay(): Promise<void> {
  const visitor = await queueVisitor(place, {
    data: [
      {
        name: 'f',
        desc: 'F',
        data: [{ name: 'x', desc: 'X', type: 'text', value: 'x', visible: true, editable: true }],
      },
    ],
  })
  const agent = await joinAgent(place, visitor.id, 'Ada')
  await visitor.session.text('hello')
  await agent.session.text('hello yourself', 'm-1')
  await visitor.session.write({ id: 'ack-1', type: 'ack', body: { ref: 'm-1' } })
  await agent.client.call('agent.edit', { contact: visitor.id, form: 'f', field: 'x', value: 'y' })
  await agent.client.call('agent.contacts', {})
  await visitor.client.call('contact.read', { contact: visitor.id })
  await visitor.client.call('log.read', { contact: visitor.id, after: 0, limit: 100 })
  const file = await sendFile(service.url, visitor, Buffer.from('bytes'))
  await fetch(`${service.url}${await urlOf(agent, file)}`)
  await announceNew(visitor, { size: 100 })
  await fetch(`${service.url}/readyz`)
  await handOn(visitor, agent)
  for (const method of ['PUT', 'DELETE'])
    await fetch(`${service.url}/v1/admin/contacts/${visitor.id}/hold`, { method, headers: authorization })
  const declining = await queueVisitor(place)
  await agent.client.push('agent.distribution', ({ id }) => id === declining.id)
  await agent.client.call('agent.decline', { contact: declining.id })
  const { refresh } = await signInVisitor(service.url)
  const next = (await (await post('/v1/visitors/refresh', { refresh })).json()) as { refresh: string }
  await post('/v1/visitors/sign-out', { refresh: next.refresh })
  await post('/v1/admin/revocations', { use: 'agent', id: 'nobody' }, authorization)
  const { record } = await declining.client.call('contact.read', { contact: declining.id })
  await fetch(`${service.url}/v1/admin/visitors/${record.visitor.id}`, {
    method: 'DELETE',
    headers: authorization,
  })
  const silent = await queueVisitor(place)
  silent.client.close()
  agent.client.close()
  while (!(await isThere("select 1 from timers where kind = 'absence' and subject = $1", silent.id)))
    await delay(5)
  clock.advance(61_000)
  while (await isThere('select 1 from contacts where id = $1 and waiting', silent.id)) await delay(5)
  await delay(5_500)
}

/** To an agent who is not at work, then by tags, and the transcript of before is read. */
async function handOn(
  visitor: Awaited<ReturnType<typeof queueVisitor>>,
  agent: Awaited<ReturnType<typeof joinAgent>>,
): Promise<void> {
  const { agent: other } = await signInAgent(service.url, 'Bea')
  const bea = await place.agent('Bea')
  await bea.call('agent.presence', { state: 'paused' })
  const { contact } = await agent.client.call('agent.transfer', { contact: visitor.id, toAgent: other.id })
  const next = new WireSession(visitor.client, contact)
  await next.open()
  await next.present()
  clock.advance(30_000)
  await agent.client.push('agent.declined')
  await bea.call('agent.presence', { state: 'ready', capacity: 10 })
  await bea.push('agent.distribution', ({ id }) => id === contact)
  await bea.call('agent.accept', { contact })
  await bea.call('log.read', { contact: visitor.id, after: 0, limit: 10 })
  await next.leave()
  await bea.call('agent.presence', { state: 'paused' })
}

/** Retention of what has piled up. */
async function cleaning(): Promise<void> {
  clock.advance(3_600_000)
  while (await isThere("select 1 from contacts where id like 'old-%' and not files_removed limit 1"))
    await delay(50)
  while (!statements.some(({ text }) => text.includes('from visitors where created'))) await delay(50)
}

beforeAll(async () => {
  service = await startService(options, { clock })
  const ended = clock.now() - 40 * DAY_MS
  await pileUp(service.database.pool, {
    contacts: 8_000,
    entriesEach: 6,
    ended,
    revocations: 5_000,
    visitors: 10_000,
    agents: 5_000,
    timers: 10_000,
  })
  await service.stop()
  const recorded = recordStatements()
  statements = recorded.all
  service = await startService(options, { clock })
  await aWholeDay()
  await cleaning()
  recorded.stop()
  statements = recorded.all.filter(({ text }) => !text.includes(OWN))
}, 180_000)
afterAll(async () => {
  for (const client of clients) client.close()
  await service.stop()
  data.remove()
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Plan[]
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Tables that the statement reads from end to end. */
async function scannedBy({ text, values }: Statement): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
    `explain (format json) ${text}`,
    [...values],
  )
  const nodes = nodesOf(rows[0]?.['QUERY PLAN'][0].Plan ?? { 'Node Type': 'none' })
  return nodes.flatMap((node) =>
    node['Node Type'] === 'Seq Scan' && GROWING.has(node['Relation Name'] ?? '')
      ? [node['Relation Name'] ?? '']
      : [],
  )
}

const isPlanned = ({ text }: Statement): boolean =>
  /^\s*(select|with|insert|update|delete)/i.test(text) && !text.includes('pg_class')

describe('what the service asks of a store in which much has piled up', () => {
  it('SND-306 has an index: no statement reads a table that grows from end to end', async () => {
    const each = new Map(statements.filter(isPlanned).map((statement) => [statement.text, statement]))
    expect(each.size).toBeGreaterThan(80)
    const scans: string[] = []
    for (const statement of each.values())
      for (const table of await scannedBy(statement))
        scans.push(`${table}: ${statement.text.trim().replaceAll(/\s+/g, ' ').slice(0, 300)}`)
    expect(scans).toEqual([])
  })

  it('SND-306 is bounded: rows, characters and values of each statement', () => {
    const over = statements.filter(
      ({ rows, characters, values }) =>
        rows > MOST_ROWS || characters > MOST_CHARACTERS || values.flat().length > MOST_VALUES,
    )
    expect(over.map(({ text, rows, characters }) => [rows, characters, text.slice(0, 200)])).toEqual([])
  })
})
