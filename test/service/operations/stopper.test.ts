import { afterAll, beforeAll, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { stopper } from '../../../service/src/stopper.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { ServiceProcess } from '../../support/service-process.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInVisitor } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const data = preparedData()
let process: Awaited<ReturnType<typeof ServiceProcess.startIn>>

beforeAll(async () => {
  process = await ServiceProcess.startIn(data.folder, '--drain-wait', '600')
})
afterAll(async () => {
  await process.service.kill()
  data.remove()
})

const turn = () => new Promise((settle) => setImmediate(settle))

/** A service whose stop ends as it is told, and what comes of it. */
function fake(drainWaitMs: number, drainTimeMs = 0) {
  const [clock, done] = [new ManualClock(), [] as (string | number)[]]
  let [resolve, reject] = [(): void => {}, (_why: Error): void => {}]
  const stopped = new Promise<void>((settle, fail) => ([resolve, reject] = [settle, fail]))
  const service = {
    withdraw: () => void done.push('withdraw'),
    stop: (): Promise<void> => {
      done.push('stop')
      return stopped
    },
  }
  const { onSignal: signal, onLost } = stopper({
    service,
    drainWaitMs,
    drainTimeMs,
    clock,
    exit: (code) => void done.push(code),
  })
  return { clock, done, resolve, reject, signal, onLost }
}

it('SND-127 a stop begins when load balancers have noticed it', async () => {
  const { clock, done, resolve, signal } = fake(10_000)
  signal()
  clock.advance(9_999)
  expect(done).toEqual(['withdraw'])
  clock.advance(1)
  expect(done).toEqual(['withdraw', 'stop'])
  resolve()
  await turn()
  expect(done).toEqual(['withdraw', 'stop', 0])
})

it('SND-127 another signal does not wait for them, and a third one changes nothing', () => {
  const { clock, done, signal } = fake(10_000)
  for (let count = 0; count < 3; count += 1) signal()
  clock.advance(10_000)
  expect(done).toEqual(['withdraw', 'withdraw', 'stop', 'withdraw'])
})

it('SND-127 a stop that hangs or fails ends all the same', async () => {
  const hangs = fake(0)
  hangs.signal()
  hangs.clock.advance(20_000)
  expect(hangs.done).toEqual(['withdraw', 'stop', 1])
  const fails = fake(0)
  fails.signal()
  fails.reject(new Error('the store is out'))
  await turn()
  expect(fails.done).toEqual(['withdraw', 'stop', 1])
})

it('CLU-49 a stop in which pages are asked to go has that time besides', () => {
  const { clock, done, signal } = fake(0, 30_000)
  signal()
  clock.advance(49_999)
  expect(done).toEqual(['withdraw', 'stop'])
  clock.advance(1)
  expect(done).toEqual(['withdraw', 'stop', 1])
})

it('SND-106 a service that has lost its database stops at once, also while it waits for load balancers, and ends with 1', async () => {
  for (const [isSignalled, before] of [
    [false, []],
    [true, ['withdraw']],
  ] as const) {
    const { clock, done, resolve, signal, onLost } = fake(10_000)
    if (isSignalled) signal()
    onLost()
    expect(done).toEqual([...before, 'stop'])
    clock.advance(10_000)
    resolve()
    await turn()
    expect(done).toEqual([...before, 'stop', 1])
  }
})

it('SND-127 in production load balancers have 10 s, in local use no time at all', () => {
  const production = [
    '--mode=production',
    '--origin=https://a.example',
    '--agent-jwks=https://b.example/k',
    '--agent-issuer=i',
    '--agent-audience=a',
  ]
  expect([readOptions(production, {})?.drainWaitMs, readOptions([], {})?.drainWaitMs]).toEqual([10_000, 0])
  expect([readOptions(production, {})?.drainTimeMs, readOptions([], {})?.drainTimeMs]).toEqual([30_000, 0])
})

it('SND-127 OPS-4 while it waits for load balancers the process takes who comes, and says that nobody should', async () => {
  const { service, url } = process
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  service.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
  const client = await WireClient.connect(url, (await signInVisitor(url)).token)
  expect(await client.call('contact.create', { request: 'r', contact: {} })).toMatchObject({
    contact: expect.any(String) as string,
  })
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})
