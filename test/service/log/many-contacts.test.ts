import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import type { ContactRequest } from '../../../protocol/index.ts'
import { queueVisitor } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const PAGE_BYTES = 131_072
const LARGE: ContactRequest = {
  data: [
    {
      name: 'f',
      data: Array.from({ length: 12 }, (_, index) => ({
        name: `x${index}`,
        type: 'text' as const,
        value: 'é'.repeat(500),
        visible: true,
      })),
    },
  ],
}
let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

/** An agent who has a contact as often as told: as it was made, under other ids. */
async function agentWith(
  copies: number,
  request: ContactRequest = LARGE,
): Promise<{
  readonly agent: WireClient
  readonly token: string
  readonly visitor: WaitingVisitor
  readonly ids: readonly string[]
}> {
  const { token } = await signInAgent(test.url, `Ada ${copies}`)
  const agent = await WireClient.connect(test.url, token)
  await agent.call('agent.presence', { state: 'ready' })
  const visitor = await queueVisitor(test, request)
  await agent.push('agent.distribution', ({ id }) => id === visitor.id)
  await agent.call('agent.accept', { contact: visitor.id })
  await agent.call('agent.presence', { state: 'paused' })
  // Three are of the same moment each.
  await test.service.database.pool.query(
    `insert into contacts select (jsonb_populate_record(c, jsonb_build_object('id', 'copy-' || $2::int || '-' || lpad(n::text, 4, '0'), 'request', 'copy-' || n, 'created', c.created + n / 3))).*
     from contacts c, generate_series(1, $2::int) n where c.id = $1`,
    [visitor.id, copies],
  )
  const { rows } = await test.service.database.pool.query<{ id: string }>(
    `select id from contacts where agent = (select agent from contacts where id = $1) order by created, id`,
    [visitor.id],
  )
  return { agent, token, visitor, ids: rows.map(({ id }) => id) }
}

describe('an agent with many contacts', () => {
  it(
    'SND-102 SND-306 hears of 500 with large forms in pages of a bounded size, each once and the oldest first',
    { timeout: 120_000 },
    async () => {
      const { agent, ids } = await agentWith(499)
      const [heard, sizes]: [string[], number[]] = [[], []]
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: { records: readonly { id: string }[]; next?: string } = await agent.call(
          'agent.contacts',
          after === '' ? {} : { after },
        )
        heard.push(...page.records.map(({ id }) => id))
        sizes.push(Buffer.byteLength(JSON.stringify(page)))
        after = page.next
      }
      expect(heard).toEqual(ids)
      expect(heard).toHaveLength(500)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(PAGE_BYTES)
      // The first ones show how much the line takes.
      expect(Math.min(...sizes.slice(8, -1)), 'pages are filled').toBeGreaterThan(PAGE_BYTES / 2)
      agent.close()
    },
  )

  it('SND-102 goes on where a page ended, also where its last contact is gone', async () => {
    const { agent, ids } = await agentWith(20)
    const { records, next } = await agent.call('agent.contacts', {})
    await test.service.database.pool.query("update contacts set life = 'cleared' where id = any($1)", [
      records.map(({ id }) => id),
    ])
    const second = await agent.call('agent.contacts', { after: next ?? '' })
    expect(second.records[0]?.id).toBe(ids[records.length])
    for (const after of ['nonsense', ':x', '1e9:x', '99999999999999999999:x', '-1:x'])
      expect(await agent.ask('agent.contacts', { after })).toMatchObject({
        error: { code: 'invalid_argument' },
      })
    agent.close()
  })

  it('SND-102 RES-11 has all of them in the SDK too', async () => {
    const { agent, token, ids } = await agentWith(15)
    agent.close()
    const console = createAgent({ service: test.url, token })
    expect((await console.contacts()).map(({ id }) => id)).toEqual(ids)
    await console.close()
  })
})
