import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Entry } from '../../../protocol/index.ts'
import { queueVisitor } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const TEXTS = 300
const KIB = 1_024
let test: TestService
let writer: WaitingVisitor

beforeAll(async () => {
  test = await startTestService()
  writer = await queueVisitor(test)
  for (let count = 0; count < TEXTS; count += 10) {
    const texts = Array.from(
      { length: 10 },
      (_, index) =>
        ({ id: `m-${count + index}`, type: 'text', body: { text: 'x'.repeat(8 * KIB) } }) as const,
    )
    await writer.session.write(...texts)
  }
})
afterAll(() => test.close())

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${test.url}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

/** The TCP connection under a client. */
const lineOf = ({ socket }: WaitingVisitor['client']): Socket =>
  (socket.io.engine.transport as unknown as { ws: { _socket: Socket } }).ws._socket

it('SND-102 a page of the log has 1,000 entries or 128 KiB, and reading goes on until the head', async () => {
  const { client, id } = writer
  const read: Entry[] = []
  for (let head = 1; read.length < head;) {
    const page = await client.call('log.read', { contact: id, after: read.length, limit: 1_000 })
    expect(page.entries.length).toBeGreaterThan(0)
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(160 * KIB)
    read.push(...page.entries)
    head = page.head
  }
  expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: TEXTS + 1 }, (_, index) => index + 1))
  expect((await client.call('log.read', { contact: id, after: 0, limit: 3 })).entries).toHaveLength(3)
})

it('SND-102 who asks for the log time and again and reads nothing loses the connection, and what waits for it stays small', async () => {
  const { id } = writer
  const greedy = await test.visitorAgain(writer.client)
  const before = await metric('duolog_connections')
  lineOf(greedy).pause()
  for (let count = 0; count < 500; count += 1)
    greedy.socket.emit('log.read', { contact: id, after: 0, limit: 1_000 }, () => {})
  let most = 0
  const look = async (): Promise<number> => {
    most = Math.max(most, await metric('duolog_waiting_bytes'))
    return metric('duolog_connections')
  }
  await expect.poll(look, { timeout: 15_000 }).toBe(before - 1)
  expect(most).toBeLessThan(2_048 * KIB)
  expect((await writer.client.call('contact.read', { contact: id })).record.id).toBe(id)
})
