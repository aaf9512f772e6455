import { beforeEach, describe, expect, it } from 'vitest'
import { createActor, fromPromise } from 'xstate'
import { outboxMachine } from '../../machines/index.ts'
import type { BatchOutcome, OutboxActor } from '../../machines/index.ts'
import { machineClock } from '../../sdk/client/clock.ts'
import { TestClock, settled } from '../../testing/index.ts'

let clock: TestClock
let outbox: OutboxActor
let batches: { readonly done: (outcome: BatchOutcome) => void; readonly failed: () => void }[]

const state = (): string => JSON.stringify(outbox.getSnapshot().value).replaceAll(/[{}"]/g, '')
const done = async (retryAfterMs: number | null = null): Promise<void> => {
  batches.at(-1)?.done({ retryAfterMs })
  await settled()
}
/** The channel is open and a batch is on its way. */
const sending = (): void =>
  [{ type: 'channel.opened' } as const, { type: 'mail.waiting' } as const].forEach((event) =>
    outbox.send(event),
  )

beforeEach(() => {
  clock = new TestClock()
  batches = []
  const send = fromPromise<BatchOutcome>(
    () =>
      new Promise((resolve, reject) =>
        batches.push({ done: resolve, failed: () => reject(new Error('lost')) }),
      ),
  )
  outbox = createActor(outboxMachine.provide({ actors: { send } }), { clock: machineClock(clock) }).start()
})

describe('the outbox machine', () => {
  it('LOG-6 holds everything until the channel is open', () => {
    outbox.send({ type: 'mail.waiting' })
    expect([state(), batches.length]).toEqual(['blocked', 0])
    outbox.send({ type: 'channel.opened' })
    outbox.send({ type: 'mail.waiting' })
    expect([state(), batches.length]).toEqual(['open:sending', 1])
  })

  it('LOG-6 one batch is on its way at a time', async () => {
    sending()
    outbox.send({ type: 'mail.waiting' })
    expect(batches.length).toBe(1)
    await done()
    expect(state()).toBe('open:idle')
    outbox.send({ type: 'mail.waiting' })
    expect([state(), batches.length]).toEqual(['open:sending', 2])
  })

  it('LOG-9 pauses as long as the service wants', async () => {
    sending()
    await done(2_000)
    outbox.send({ type: 'mail.waiting' })
    await clock.advance(1_999)
    expect([state(), batches.length]).toEqual(['open:pausing', 1])
    await clock.advance(1)
    expect([state(), batches.length]).toEqual(['open:sending', 2])
  })

  it('LOG-5 sends again half a second after an outcome that is not known', async () => {
    sending()
    batches[0]?.failed()
    await settled()
    await clock.advance(499)
    expect(batches.length).toBe(1)
    await clock.advance(1)
    expect(batches.length).toBe(2)
  })

  it.each(['sending', 'pausing', 'failing', 'idle'])(
    'LOG-6 is held without a timer when the channel is lost while %s, and sends when it is open again',
    async (when) => {
      sending()
      if (when === 'pausing') await done(2_000)
      if (when === 'idle') await done()
      if (when === 'failing') batches[0]?.failed()
      await settled()
      expect(state()).toBe(`open:${when}`)
      outbox.send({ type: 'channel.lost' })
      expect([state(), clock.pending]).toEqual(['blocked', 0])
      sending()
      expect(state()).toBe('open:sending')
    },
  )

  it('LIFE-20 closed, it is over', async () => {
    sending()
    await done(2_000)
    outbox.send({ type: 'outbox.close' })
    expect([outbox.getSnapshot().status, clock.pending]).toEqual(['done', 0])
  })
})
