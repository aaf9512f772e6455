import { describe, expect, it } from 'vitest'
import { createActor, fromPromise } from 'xstate'
import { uploadMachine } from '../../../machines/upload/index.ts'
import type { StoredFile } from '../../../machines/upload/index.ts'
import { ContactError } from '../../../protocol/index.ts'
import type { UploadPlace } from '../../../protocol/index.ts'
import { actorOptions } from '../../../sdk/client/clock.ts'
import { TestClock } from '../../../testing/index.ts'

const SIZE = 200_000
const PLACE = { id: 'f', state: 'open', path: '/p', token: 't', expiresInMs: 1e6 } as const

/** A line of 32 kbit/s on which `fails` says at how many bytes an attempt is cut; what it sent is lost then. */
function upload(
  fails: (attempt: number) => { readonly at: number; readonly code: 'offline' | 'timeout' } | null,
) {
  const clock = new TestClock()
  const seen = { attempts: 0, isStored: false }
  const send = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const fault = fails(++seen.attempts)
      let sentBytes = 0
      const step = (): void => {
        if (signal.aborted) return
        if (fault && sentBytes >= fault.at) return reject(new ContactError(fault.code, 'it was cut'))
        sentBytes += 4_000
        actor.send({ type: 'upload.progress', sentBytes })
        seen.isStored = sentBytes >= SIZE
        if (seen.isStored) resolve()
        else clock.setTimeout(step, 1_000)
      }
      step()
    })
  const actor = createActor(
    uploadMachine.provide({
      actors: {
        open: fromPromise<UploadPlace | (StoredFile & { readonly state: 'stored' })>(() =>
          Promise.resolve(seen.isStored ? { state: 'stored', id: 'f', url: 'u' } : PLACE),
        ),
        send: fromPromise(({ signal }) => send(signal)),
      },
    }),
    actorOptions({ clock }),
  )
  actor.start()
  return { clock, seen, actor }
}

describe('an upload whose bytes have to be sent again', () => {
  it('SND-303 is not taken for silent while bytes go out', async () => {
    const { clock, seen, actor } = upload((attempt) =>
      attempt === 1 ? { at: 160_000, code: 'offline' } : null,
    )
    await clock.advance(200_000)
    expect([seen.attempts, actor.getSnapshot().value]).toEqual([2, 'stored'])
  })

  it('SND-306 is given up after eight failures, although each attempt sends some', async () => {
    const { clock, seen, actor } = upload(() => ({ at: 8_000, code: 'timeout' }))
    await clock.advance(600_000)
    expect([seen.attempts, actor.getSnapshot().value]).toEqual([8, 'refused'])
  })
})
