import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DurableWriter, checkHistory } from './durable-writer.ts'
import { freePort } from '../../support/free-port.ts'
import { machineDelays } from '../../support/machine-delays.ts'
import { ServiceProcess, postmasterOf, signalAll } from '../../support/service-process.ts'
import { signInAgent, signInVisitor } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import { SmallDisk } from './small-disk.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

/** Room for the database, its log and the load of these tests. */
const DISK_MB = 400
/** A full disk needs a file system of its own: where the tests may not mount one, that test is skipped. */
const disk = SmallDisk.make(DISK_MB)
const temporary = disk ? null : temporaryData()
const folder = disk?.folder ?? temporary?.folder ?? ''
let port = 0
let service: ServiceProcess
const url = (): string => `http://127.0.0.1:${port}`
const start = (...more: string[]) =>
  ServiceProcess.start(['--port', String(port), '--data', folder, '--log-level', 'silent', ...more])

/** Waits until the service says that it can work. */
async function ready(): Promise<void> {
  while ((await fetch(`${url()}/readyz`).catch(() => null))?.status !== 200) await delay(20)
}

/** The service has started the database anew: until then it may answer that it is ready, since it has not noticed. */
async function replaced(killed: number): Promise<void> {
  const current = (): number => {
    try {
      return postmasterOf(folder)
    } catch {
      return killed
    }
  }
  while (current() === killed) await delay(20)
}

beforeAll(async () => {
  port = await freePort()
  service = await start()
})
afterAll(async () => {
  await service.stop()
  temporary?.remove()
  disk?.remove()
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
  const writers = [token, agentToken].map(
    (each, index) => new DurableWriter({ url: url(), token: each, contact, name: `${contact}-${index}` }),
  )
  await Promise.all(writers.map((writer) => writer.start()))
  return { contact, writers }
}

/**
 * Pairs under load, a fault in the middle, and then the history as everyone saw it; and how long after the
 * end of the fault the last was back, without what the machine itself held up meanwhile.
 */
async function survive(fault: (writers: readonly DurableWriter[]) => Promise<void>): Promise<number> {
  const pairs = []
  for (let count = 0; count < 4; count += 1) pairs.push(await pair())
  const writers = pairs.flatMap((each) => each.writers)
  await Promise.all(writers.map((writer) => writer.acknowledged(30)))
  await fault(writers)
  const before = performance.now()
  const back = (writer: DurableWriter): Promise<number> =>
    writer.acknowledged(writer.count + 1).then(() => performance.now() - before)
  const [backMs, delayMs] = await machineDelays(tmpdir(), () => Promise.all(writers.map(back)))
  await Promise.all(writers.map((writer) => writer.acknowledged(writer.count + 30)))
  await Promise.all(writers.map((writer) => writer.finish()))
  for (const { writers: both } of pairs) await checkHistory(both)
  for (const writer of writers) writer.close()
  return Math.max(...backMs) - delayMs
}

describe('nothing acknowledged is lost', () => {
  it('LOG-5 SRV-14 SRV-15 when the service is killed under load', async () => {
    const backMs = await survive(async () => {
      await service.kill()
      service = await start()
    })
    expect(backMs).toBeLessThan(3_000)
  }, 90_000)

  it('LOG-5 SRV-14 SRV-15 when the database is killed under load', async () => {
    const backMs = await survive(async () => {
      const killed = postmasterOf(folder)
      process.kill(killed, 'SIGKILL')
      await replaced(killed)
      await ready()
    })
    expect(backMs).toBeLessThan(3_000)
  }, 90_000)

  it.skipIf(disk === null)(
    'LOG-5 SRV-14 SRV-15 when the disk is full for a while',
    async () => {
      const backMs = await survive(async (writers) => {
        disk?.fill()
        await Promise.all(writers.map((writer) => writer.failed(writer.failures + 3)))
        disk?.free()
        await ready()
      })
      expect(backMs).toBeLessThan(3_000)
    },
    90_000,
  )

  it('SRV-14 while the database stands still calls get offline, and what they were about happens at most once', async () => {
    const { writers } = await pair()
    const postgres = postmasterOf(folder)
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

  it('SRV-13 a time limit that passes while the service is dead holds when it is back', async () => {
    await service.stop()
    service = await start('--max-wait', '1')
    const { token } = await signInVisitor(url())
    const before = await WireClient.connect(url(), token)
    const { contact } = await before.call('contact.create', { request: 'r', contact: {} })
    const session = new WireSession(before, contact)
    await session.open()
    await session.present()
    await service.kill()
    service = await start('--max-wait', '1')
    const after = await WireClient.connect(url(), token)
    await new WireSession(after, contact, session.id).open()
    expect((await after.entry(contact, 'cleared')).body).toEqual({ reason: 'dissuasion' })
    after.close()
  })
})
