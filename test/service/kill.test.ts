import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DurableWriter, checkHistory } from '../support/durable-writer.ts'
import { ServiceProcess, freePort, postmasterOf, signalAll } from '../support/service-process.ts'
import { signInAgent, signInVisitor, temporaryData } from '../support/service.ts'
import { WireClient, WireSession } from '../support/wire-client.ts'

const data = temporaryData()
let port = 0
let service: ServiceProcess
const url = (): string => `http://127.0.0.1:${port}`
const start = () => ServiceProcess.start(['--port', String(port), '--data', data.folder, '--log-level', 'silent'])

beforeAll(async () => {
  port = await freePort()
  service = await start()
})
afterAll(async () => {
  await service.stop()
  data.remove()
})

/** Two parties who write as fast as they can, whatever happens to the service. */
async function pair(): Promise<{ contact: string; writers: DurableWriter[] }> {
  const { token } = await signInVisitor(url())
  const client = await WireClient.connect(url(), token)
  const { contact } = await client.call('contact.create', { request: 'r', contact: {} })
  const page = new WireSession(client, contact)
  await page.open()
  await page.present()
  const { token: agentToken } = await signInAgent(url(), `Agent of ${contact}`)
  const agent = await WireClient.connect(url(), agentToken)
  await agent.call('agent.presence', { state: 'ready', capacity: 1 })
  await agent.push('agent.distribution', ({ id }) => id === contact).catch(() => {})
  await agent.call('agent.accept', { contact })
  client.close()
  agent.close()
  const writers = [token, agentToken].map((each, index) => new DurableWriter({ url: url(), token: each, contact, name: `${contact}-${index}` }))
  await Promise.all(writers.map((writer) => writer.start()))
  return { contact, writers }
}

/** Pairs under load, a fault in the middle, and then the history as everyone saw it. */
async function survive(fault: () => Promise<void>): Promise<{ readonly backMs: readonly number[]; readonly acknowledged: number }> {
  const pairs = []
  for (let count = 0; count < 4; count += 1) pairs.push(await pair())
  const writers = pairs.flatMap((each) => each.writers)
  await Promise.all(writers.map((writer) => writer.acknowledged(30)))
  await fault()
  const before = performance.now()
  const backMs = await Promise.all(writers.map((writer) => writer.acknowledged(writer.count + 1).then(() => performance.now() - before)))
  await Promise.all(writers.map((writer) => writer.acknowledged(writer.count + 30)))
  await Promise.all(writers.map((writer) => writer.finish()))
  for (const { writers: both } of pairs) await checkHistory(both)
  for (const writer of writers) writer.close()
  return { backMs: backMs.toSorted((a, b) => a - b), acknowledged: writers.reduce((sum, writer) => sum + writer.count, 0) }
}

describe('nothing acknowledged is lost', () => {
  it('LOG-5 SRV-14 SRV-15 when the service is killed under load', async () => {
    const { backMs } = await survive(async () => {
      await service.kill()
      service = await start()
    })
    expect(backMs.at(-1)).toBeLessThan(3_000)
  }, 90_000)

  it('LOG-5 SRV-14 SRV-15 when the database is killed under load', async () => {
    const { backMs } = await survive(async () => {
      process.kill(postmasterOf(data.folder), 'SIGKILL')
    })
    expect(backMs.at(-1)).toBeLessThan(10_000)
  }, 90_000)

  it('SRV-14 while the database stands still calls get offline, and what they were about happens at most once', async () => {
    const { writers } = await pair()
    const postgres = postmasterOf(data.folder)
    signalAll(postgres, 'SIGSTOP')
    const [writer] = writers
    const reply = await writer?.client?.ask('contact.read', { contact: writer.contact })
    signalAll(postgres, 'SIGCONT')
    expect(reply).toMatchObject({ ok: false, error: { code: 'offline' } })
    await Promise.all(writers.map((each) => each.acknowledged(each.count + 10)))
    await Promise.all(writers.map((each) => each.finish()))
    await checkHistory(writers)
    for (const each of writers) each.close()
  }, 90_000)
})
