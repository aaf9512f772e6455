import { expect, it } from 'vitest'
import { LONGEST_MS, VoiceRecorder } from '../../apps/ui/src/voice-recorder.ts'
import type { RecorderWorld } from '../../apps/ui/src/voice-recorder.ts'

/** A recorder that hands out what it has with its stop. */
class FakeRecorder extends EventTarget {
  state = 'inactive'
  start = (): void => void (this.state = 'recording')
  stop = (): void => {
    this.state = 'inactive'
    queueMicrotask(() => {
      this.dispatchEvent(Object.assign(new Event('dataavailable'), { data: new Blob(['sound']) }))
      this.dispatchEvent(new Event('stop'))
    })
  }
}

function scene(more: Partial<RecorderWorld> = {}) {
  const open = { microphone: 0, meter: 0 }
  const clock = { now: 1_000 }
  const world: RecorderWorld = {
    open: () => {
      open.microphone += 1
      return Promise.resolve({ getTracks: () => [{ stop: () => void (open.microphone -= 1) }] } as never)
    },
    recorder: () => new FakeRecorder() as never,
    isTypeSupported: (type) => type === 'audio/mp4',
    meter: () => {
      open.meter += 1
      return { level: () => 0.4, close: () => void (open.meter -= 1) }
    },
    now: () => clock.now,
    ...more,
  }
  return { open, clock, recorder: new VoiceRecorder(world) }
}
const CLOSED = { microphone: 0, meter: 0 }

it('PRD-195 a recording is a file of the type that the browser has; the microphone is given back at its end', async () => {
  const { open, clock, recorder } = scene()
  await recorder.start()
  clock.now += 2_500
  expect([recorder.phase, recorder.lastsMs, recorder.level, open.microphone]).toEqual([
    'recording',
    2_500,
    0.4,
    1,
  ])
  const ended = recorder.finish()
  expect([open, recorder.lastsMs]).toEqual([CLOSED, 2_500])
  const file = await ended
  expect([file?.name, file?.type, await file?.text()]).toEqual(['voice-note.m4a', 'audio/mp4', 'sound'])
})

it('PRD-195 one that is cancelled leaves nothing, also while the browser asks', async () => {
  const { open, recorder } = scene()
  await recorder.start()
  recorder.cancel()
  expect([open, recorder.phase, await recorder.finish()]).toEqual([CLOSED, 'over', null])
  const early = scene()
  const starting = early.recorder.start()
  early.recorder.cancel()
  await starting
  expect([early.open, early.recorder.phase]).toEqual([CLOSED, 'over'])
})

it('PRD-195 the longest one stops by itself and can be sent', async () => {
  const { open, clock, recorder } = scene()
  await recorder.start()
  clock.now += LONGEST_MS - 1
  recorder.tick(true)
  expect(recorder.phase).toBe('recording')
  clock.now += 1
  recorder.tick(true)
  expect([recorder.phase, open, recorder.lastsMs]).toEqual(['full', CLOSED, LONGEST_MS])
  expect((await recorder.finish())?.size).toBe(5)
})

it('PRD-274 one that is not seen any more gives the microphone back, and can be sent', async () => {
  const { open, clock, recorder } = scene()
  const starting = recorder.start()
  recorder.tick(true)
  await starting
  clock.now += 700
  recorder.tick(false)
  expect([recorder.phase, open, recorder.lastsMs]).toEqual(['full', CLOSED, 700])
  expect((await recorder.finish())?.size).toBe(5)
})

it('PRD-274 one that nobody sees any more when the browser allows the microphone does not begin', async () => {
  const { open, recorder } = scene()
  const starting = recorder.start()
  recorder.tick(false)
  await starting
  expect([recorder.phase, open]).toEqual(['over', CLOSED])
})

it.each([
  ['NotAllowedError', 'media_denied'],
  ['NotFoundError', 'media_not_found'],
  ['NotReadableError', 'media_in_use'],
  ['AbortError', 'media_failed'],
])('PRD-195 %s is said as %s', async (name, code) => {
  const { open, recorder } = scene({ open: () => Promise.reject(new DOMException('no', name)) })
  await recorder.start()
  expect([recorder.phase, recorder.failure, open]).toEqual(['failed', code, CLOSED])
  expect(await recorder.finish()).toBeNull()
})

it('PRD-195 a browser that cannot record gives the microphone back', async () => {
  const { open, recorder } = scene({
    recorder: () => {
      throw new DOMException('no', 'NotSupportedError')
    },
  })
  await recorder.start()
  expect([recorder.failure, open]).toEqual(['media_failed', CLOSED])
})
