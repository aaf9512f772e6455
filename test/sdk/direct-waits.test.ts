import { expect, it } from 'vitest'
import type { MakeDataPipe } from '../../engines/index.ts'
import { DirectPath } from '../../sdk/channels/direct-path.ts'
import type { DataChannelsOptions } from '../../sdk/data-channels.ts'
import { TestClock, settled } from '../../testing/index.ts'

/** A direct path whose code comes when the test wants it. */
function waiting() {
  const [clock, events, signals] = [new TestClock(), [] as string[], [] as unknown[]]
  let come: (make: MakeDataPipe | null) => void = () => {}
  const pipes = new Promise<MakeDataPipe | null>((resolve) => (come = resolve))
  const note = (event: string) => () => void events.push(event)
  const options = { slot: 'visitor', clock, link: {}, pipes: () => pipes, lane: { trySend: (_kind: string, signal: unknown) => signals.push(signal) } }
  const path = new DirectPath(options as unknown as DataChannelsOptions, { message: note('message'), drained: note('drained'), opened: note('opened'), closed: note('closed') })
  return { clock, events, signals, path, come }
}

it('SND-303 a direct connection whose code does not come within 30 s cannot be had, and the other side is told', async () => {
  const { clock, events, signals, path } = waiting()
  path.want()
  path.receive({ attempt: 'x' })
  await clock.advance(29_999)
  expect([path.state, events, signals]).toEqual(['connecting', [], []])
  await clock.advance(1)
  expect([path.state, events, signals, clock.pending]).toEqual(['none', ['closed'], [{ type: 'unable' }], 0])
})

it('SND-306 128 signals wait for the code of a direct connection, and are handed over in order; what comes then is passed over', async () => {
  const { path, come } = waiting()
  const heard: unknown[] = []
  for (let index = 0; index < 1_000; index++) path.receive(index)
  const pipe = { isOpen: false, bufferedBytes: 0, frameBytes: 1, connect: () => {}, receive: (signal: unknown) => heard.push(signal), send: () => {}, close: () => {} }
  come(() => pipe as unknown as ReturnType<MakeDataPipe>)
  await settled()
  expect(heard).toEqual(Array.from({ length: 128 }, (_, index) => index))
  path.receive('next')
  await settled()
  expect(heard.at(-1)).toBe('next')
})
