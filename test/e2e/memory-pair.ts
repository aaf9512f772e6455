/** Runs in a page: both parties of a contact there, without a service. */
import { NativeEngine, WebRtcEngine } from '../../engines/index.ts'
import type { MediaEngine } from '../../engines/index.ts'
import type { Connection, Transport } from '../../protocol/index.ts'
import { AgentImpl } from '../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../sdk/client/create-client.ts'
import type { Environment } from '../../sdk/client/environment.ts'
import type { Contact } from '../../sdk/index.ts'
import { pageClock } from '../../sdk/client/clock.ts'
import { MemoryService } from '../../testing/memory-service.ts'
import { TestClock } from '../../testing/test-clock.ts'
import { testEnvironment } from '../../testing/test-contact.ts'

const wait = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))

/** Half of the way on each side of the service. */
function slow(transport: Transport, oneWayMs: number): Transport {
  return {
    connect: (onEvent) => {
      const connection = transport.connect((event) => void wait(oneWayMs / 2).then(() => onEvent(event)))
      const call: Connection['call'] = async (...args) => {
        await wait(oneWayMs / 2)
        const result = await connection.call(...args)
        await wait(oneWayMs / 2)
        return result
      }
      return { call, close: () => connection.close() }
    },
  }
}

/** A visitor and an agent who have joined. */
export interface MemoryPair {
  readonly visitor: Contact
  readonly agent: Contact
  /** Both leave, and their pages give everything back. */
  readonly close: () => Promise<void>
}

/**
 * Two parties in this page, with the browser's own WebRTC, over a service in memory of which each is half of
 * `oneWayMs` away.
 */
export async function openPair(oneWayMs: number): Promise<MemoryPair> {
  // Its time stands still: what it would do later keeps nothing alive.
  const link = new MemoryService(new TestClock())
  const engines = (): readonly MediaEngine[] => [new NativeEngine(), new WebRtcEngine()]
  const environment = (): Environment => ({ ...testEnvironment(new TestClock(), engines), clock: pageClock })
  const service = 'http://localhost'
  const client = new VisitorClient(
    { service, transport: slow(link.transport({ slot: 'visitor', id: 'visitor-1' }), oneWayMs) },
    environment(),
  )
  const desk = new AgentImpl(
    { service, token: 'memory', transport: slow(link.transport({ slot: 'agent', id: 'agent-1' }), oneWayMs) },
    environment(),
  )
  const visitor = await client.createContact()
  const agent = await desk.accept(visitor.id)
  const joined = new Promise((resolve) => visitor.once('joined', resolve))
  await agent.join()
  await joined
  const close = async (): Promise<void> => {
    await Promise.all([visitor.leave(), agent.leave()])
    await Promise.all([client.close(), desk.close()])
  }
  return { visitor, agent, close }
}
