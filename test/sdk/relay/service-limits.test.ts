import { expect, it } from 'vitest'
import { PRODUCTION_RATES, RateLimits } from '../../../service/src/limits/rate-limits.ts'
import { SessionRelay } from '../../../sdk/relay/session-relay.ts'
import { TestClock } from '../../../testing/index.ts'

const ROUND_TRIP_MS = 20
const PRINCIPAL = { use: 'agent', id: 'agent-1' } as never

/** A relay of an agent's page to a service with the limits of production; the remote acknowledges where told. */
function relayed(acknowledges: boolean) {
  const clock = new TestClock()
  const limits = new RateLimits(PRODUCTION_RATES, clock as never)
  const seen = { calls: 0, taken: 0, isCutOff: false }
  const relay = new SessionRelay({
    clock,
    onLost: () => {},
    send: async (_to, frame) => {
      seen.calls++
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, ROUND_TRIP_MS))
      try {
        limits.count(PRINCIPAL, 'relay.send', { frame } as never)
      } catch (error) {
        seen.isCutOff ||= limits.isAbuse('agent-1')
        throw error
      }
      if (!acknowledges || frame.n !== seen.taken + 1) return
      relay.receive('remote', { n: 0, ack: ++seen.taken, kind: 'ack' })
    },
  })
  relay.bind('remote')
  return { clock, relay, seen }
}

it('SND-306 LOG-12 a remote that asks again and again for frames, and acknowledges none, does not have this page cut off', async () => {
  const { clock, relay, seen } = relayed(false)
  for (let n = 0; n < 4; n++) relay.send('signal', n)
  for (let n = 0; n < 500; n++) {
    relay.receive('remote', { n: 0, ack: 0, kind: 'resume' })
    await clock.advance(10)
  }
  expect(seen.calls).toBeLessThanOrEqual(7 * 4)
  expect(seen.isCutOff).toBe(false)
  relay.bind(null)
  expect(clock.pending).toBeLessThanOrEqual(4)
})

it('SND-306 LOG-12 frames that were missing are sent again after the second time that they are asked for, too', async () => {
  const { clock, relay, seen } = relayed(false)
  relay.send('signal', 1)
  const ask = (): void => relay.receive('remote', { n: 0, ack: 0, kind: 'resume' })
  ask()
  ask()
  expect(seen.calls).toBe(2)
  await clock.advance(1_000)
  expect(seen.calls).toBe(3)
  relay.bind(null)
})

it('SND-306 LOG-12 SRV-8 who sends as much as the relay takes uses the rate of the service, and is not cut off', async () => {
  const { clock, relay, seen } = relayed(true)
  for (let ms = 0, n = 0; ms < 4_000; ms += ROUND_TRIP_MS) {
    while (n - seen.taken < 64) relay.send('data', ++n)
    await clock.advance(ROUND_TRIP_MS)
  }
  expect(seen.isCutOff).toBe(false)
  expect(seen.taken).toBeGreaterThan(0.9 * (400 + 4 * 200))
  relay.bind(null)
})
