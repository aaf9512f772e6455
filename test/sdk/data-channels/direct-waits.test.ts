import '../../support/loaded-code.ts'
import { afterEach, expect, it, vi } from 'vitest'
import type { MakeDataPipe } from '../../../engines/index.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { DirectPath } from '../../../sdk/data-channels/direct-path.ts'
import type { DirectPathOptions } from '../../../sdk/data-channels/direct-path.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { later } from '../../../sdk/contact/lazy-modules.ts'
import { MemoryService, TestClock, settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'

const idle = {
  isOpen: false,
  bufferedBytes: 0,
  frameBytes: 14,
  connect: () => {},
  receive: () => {},
  send: () => {},
  close: () => {},
}

afterEach(() => vi.restoreAllMocks())

it('SND-303 a direct connection whose code does not come within 30 s cannot be had, and the other side is told', async () => {
  const [clock, service, told] = [new TestClock(), 'http://localhost', [] as string[]]
  const link = new MemoryService(clock)
  link.faults = {
    onMessage: ({ slot }, name, body) => (
      slot === 'visitor' && name === 'relay.send' && told.push(JSON.stringify(body)),
      'pass'
    ),
  }
  const make: MakeDataPipe = (host) => ({ ...idle, connect: () => host.signal('please connect') })
  const visitors = { ...testEnvironment(clock), pipes: (): Promise<never> => new Promise(() => {}) }
  const client = new VisitorClient(
    { service, transport: link.transport({ slot: 'visitor', id: 'visitor-1' }) },
    visitors,
  )
  const desk = new AgentImpl(
    { service, token: 'memory', transport: link.transport({ slot: 'agent', id: 'agent-1' }) },
    { ...testEnvironment(clock), pipes: () => Promise.resolve(make) },
  )
  const visitor = await client.createContact()
  const agent = await desk.accept(visitor.id)
  vi.spyOn(later, 'channels').mockResolvedValue(await later.channels())
  await agent.join()
  await settled()
  agent.getDataChannel('pointer').catch(() => {})
  await clock.advance(29_999)
  expect(told.filter((frame) => frame.includes('unable'))).toEqual([])
  await clock.advance(1)
  expect(told.filter((frame) => frame.includes('unable'))).toHaveLength(1)
})

it('SND-306 128 signals wait for the code of a direct connection, and are handed over in order; what comes then is passed over', async () => {
  const options = { clock: new TestClock(), link: {}, pipes: () => pipes, relay: {} }
  const events = { message: () => {}, drained: () => {}, opened: () => {}, closed: () => {} }
  const path = new DirectPath(options as unknown as DirectPathOptions, events, { answer: () => {} })
  let come: (make: MakeDataPipe) => void = () => {}
  const pipes = new Promise<MakeDataPipe>((resolve) => (come = resolve))
  const heard: unknown[] = []
  for (let index = 0; index < 1_000; index++) path.receive(index)
  come(() => ({ ...idle, receive: (signal) => void heard.push(signal) }))
  await settled()
  expect(heard).toEqual(Array.from({ length: 128 }, (_, index) => index))
  path.receive('next')
  await settled()
  expect(heard.at(-1)).toBe('next')
})
