/** A program of others reads a secure contact from the database with the keys of one page, and not without. */
import '../../support/loaded-code.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFile } from '../../../examples/outside-reader/open-file.mjs'
import { readContact } from '../../../examples/outside-reader/read.mjs'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { tusUpload } from '../../../sdk/attachments/tus-upload.ts'
import { pageClock } from '../../../sdk/client/clock.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { ringKey } from '../../../sdk/contact/saved-state.ts'
import type { KeyValueStore } from '../../../sdk/index.ts'
import { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { signInAgent, signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

type Row = Readonly<Record<string, unknown>> & { readonly body: string }
interface Opened {
  readonly type: string
  readonly slot: string
  readonly isWhole: boolean
  readonly body: Readonly<Record<string, unknown>> | null
}
const read = readContact as unknown as (
  contact: string,
  rows: readonly Row[],
  ring: readonly unknown[],
) => Promise<readonly Opened[]>

let test: TestService
beforeAll(async () => {
  test = await startTestService({ strategy: 'least-loaded' })
})
afterAll(() => test.close())

/** Two whole chunks, and an empty one. */
const FILE = randomBytes(32_768)

/** Two parties speak; what the database has of it then, and the keys of each page. */
async function spoken() {
  const nick = `Ada ${randomUUID().slice(0, 8)}`
  const [visitorToken, agentToken] = [await signInVisitor(test.url), await signInAgent(test.url, nick)]
  const tabs = { visitor: memoryStore(), agent: memoryStore() }
  const environment = (tab: KeyValueStore) => ({
    ...testEnvironment(new TestClock()),
    ...{ clock: pageClock, random: Math.random, store: memoryStore(), tab, upload: tusUpload },
  })
  const service = test.url
  const client = new VisitorClient(
    { service, token: () => Promise.resolve(visitorToken.token) },
    environment(tabs.visitor),
  )
  const console = new AgentImpl({ service, token: agentToken.token }, environment(tabs.agent))
  const offered = new Promise((resolve) => console.once('distribution', resolve))
  await console.ready({ tags: [nick] })
  const visitor = await client.createContact({ secure: true, tags: [nick] })
  await offered
  const agent = await console.accept(visitor.id)
  const acked = new Promise((resolve) => visitor.once('ack', resolve))
  agent.on('text', () => {})
  await agent.join()
  await visitor.sendText('grüße, 💚 and "quotes"', 'de')
  await visitor.sendLink('https://a.example/?q=1', 'a description')
  await agent.sendAction('pay', [{ amount: 12.5, to: null }])
  await acked
  const { id: file } = await visitor.attach(new File([FILE], 'last will.txt'))
  const stored = new Uint8Array(await (await fetch(await agent.attachmentUrl(file))).arrayBuffer())
  const { rows } = await test.service.database.pool.query<Row>(
    'select * from entries where contact = $1 order by seq',
    [visitor.id],
  )
  const ringOf = (tab: KeyValueStore): readonly unknown[] =>
    JSON.parse(tab.getItem(ringKey(service, visitor.id)) ?? '[]') as readonly unknown[]
  const [ring, agentRing] = [ringOf(tabs.visitor), ringOf(tabs.agent)]
  await client.close()
  await console.close()
  return { contact: visitor.id, rows, ring, agentRing, stored }
}

describe('a program of others', () => {
  it('ENC-596 reads a contact from the database with jose and the keys of either page, and checks each seal', async () => {
    const { contact, rows, ring, agentRing } = await spoken()
    const opened = await read(contact, rows, ring)
    expect(opened.length).toBeGreaterThan(5)
    expect(opened.filter(({ isWhole }) => !isWhole)).toEqual([])
    expect(opened.filter(({ type }) => ['text', 'link', 'action'].includes(type))).toMatchObject([
      { slot: 'visitor', body: { text: 'grüße, 💚 and "quotes"', lang: 'de' } },
      { slot: 'visitor', body: { url: 'https://a.example/?q=1', desc: 'a description' } },
      { slot: 'agent', body: { code: 'pay', args: [{ amount: 12.5, to: null }] } },
    ])
    expect(await read(contact, rows, agentRing)).toEqual(opened)
  })

  it('ENC-597 reads nothing without them, nor with those of another contact', async () => {
    const [one, other] = [await spoken(), await spoken()]
    for (const ring of [[], other.ring])
      for (const { isWhole, body } of await read(one.contact, one.rows, ring))
        expect([isWhole, body]).toEqual([false, null])
    // Keys of another contact under the id of this one's.
    const [own] = one.ring as { readonly id: string }[]
    const posing = other.ring.map((key) => ({ ...(key as object), id: own?.id }))
    await expect(read(one.contact, one.rows, posing)).rejects.toThrow('a ciphertext was changed')
  })

  it('ENC-598 sees where the log, or what an author wrote, was changed', async () => {
    const { contact, rows, ring } = await spoken()
    const at = rows.findIndex(({ body }) => body.includes('"encrypted":["text"]'))
    const wrong = async (change: (row: Row) => Row, index: number): Promise<number> => {
      const changed = rows.map((row, place) => (place === index ? change(row) : row))
      return (await read(contact, changed, ring)).filter(({ isWhole }) => !isWhole).length
    }
    expect(await wrong((row) => ({ ...row, body: row.body.replace('"de"', '"it"') }), at)).toBeGreaterThan(0)
    expect(await wrong((row) => ({ ...row, time: 1 }), 0)).toBeGreaterThan(2)
  })

  it('ENC-646 opens a stored file with the key that its entry has, and not when it was cut or changed', async () => {
    const { contact, rows, ring, stored } = await spoken()
    const told = (await read(contact, rows, ring)).find(({ type }) => type === 'file')
    const { key, name } = Object(told?.body?.['meta']) as { readonly key: string; readonly name: string }
    expect(name).toBe('last will.txt')
    expect(openFile(stored, key).equals(FILE)).toBe(true)
    expect(() => openFile(stored, randomBytes(32).toString('base64'))).toThrow('it is another key')
    expect(() => openFile(stored.subarray(0, -17), key)).toThrow('unable to authenticate')
    expect(() => openFile(stored.with(100, (stored[100] ?? 0) ^ 1), key)).toThrow('unable to authenticate')
  })
})
