import { expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { ErrorCode, Transport } from '../../../protocol/index.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { TestClock, settled } from '../../../testing/index.ts'

/** A link whose service answers the question after servers with a code; how often it has connected. */
async function woken(code: ErrorCode): Promise<{ readonly state: string; readonly connections: number }> {
  let connections = 0
  const transport: Transport = {
    connect: (onEvent) => {
      connections += 1
      queueMicrotask(() => onEvent({ type: 'up' }))
      return {
        call: () => Promise.reject(new ContactError(code, 'unable to carry out the call')),
        close: () => {},
      }
    },
  }
  const link = new ServiceLink({ transport, clock: new TestClock(), random: () => 0 })
  link.start()
  await settled()
  link.wake()
  await settled()
  const { state } = link
  link.close()
  return { state, connections }
}

it.each(['rate_limited', 'forbidden', 'not_found'] as const)(
  'SND-123 RES-3 a service that refuses the question with %s is alive',
  async (code) => {
    expect(await woken(code)).toEqual({ state: 'online', connections: 1 })
  },
)

it('SND-123 RES-3 one that does not answer is not', async () => {
  expect((await woken('timeout')).state).toBe('offline')
})
