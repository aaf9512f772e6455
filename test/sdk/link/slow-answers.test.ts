import { expect, it } from 'vitest'
import type { Transport } from '../../../protocol/index.ts'
import { ServiceLink } from '../../../sdk/link/service-link.ts'
import { TestClock, settled } from '../../../testing/index.ts'

it('SND-303 an answer shows that a connection is only slow: the calls behind it wait on, and so does the replay', async () => {
  const clock = new TestClock()
  let connections = 0
  let calls = 0
  const transport: Transport = {
    connect: (onEvent) => {
      connections += 1
      queueMicrotask(() => onEvent({ type: 'up' }))
      return {
        // The line carries one answer in 8 s.
        call: () =>
          new Promise((resolve) => void clock.setTimeout(() => resolve({} as never), (calls += 1) * 8_000)),
        close: () => {},
      }
    },
  }
  const link = new ServiceLink({ transport, clock, random: () => 0 })
  for (const contact of ['a', 'b', 'c'])
    link.onResume(
      async () => void (await link.call('contact.read', { contact })),
      () => {},
    )
  link.start()
  await settled()
  for (let second = 0; second < 25; second++) {
    await clock.advance(1_000)
    await settled()
  }
  expect([link.state, connections, calls]).toEqual(['online', 1, 3])
  link.close()
})
