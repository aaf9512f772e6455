/** What the service hears of an upload that its sender cancels. */
import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { AttachHost } from '../../../sdk/attachments/attach-host.ts'
import { uploaded } from '../../../sdk/attachments/upload.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { watch } from '../../support/contacts.ts'

const PLACE = {
  id: 'f-1',
  state: 'open',
  path: '/v1/uploads/f-1',
  token: 't',
  expiresInMs: 3_600_000,
} as const
const failed = new ContactError('offline', 'the connection was cut')

/** An upload whose announcement and attempts the test ends. */
function upload() {
  const clock = new TestClock()
  const abort = new AbortController()
  const opened: { readonly answer: (value: unknown) => void; readonly fail: (error: Error) => void }[] = []
  const attempts: { readonly fail: (error: Error) => void }[] = []
  const givenUp: string[] = []
  const states = new Set<(state: string) => void>()
  const link = {
    state: 'online',
    call: () => new Promise((answer, fail) => opened.push({ answer, fail })),
    onState: (handler: (state: string) => void) => {
      states.add(handler)
      return () => states.delete(handler)
    },
  }
  const host = {
    ...{ id: 'c-1', session: 's-1', service: 'https://service.example', clock, link },
    membership: { isOver: () => false },
    over: new AbortController().signal,
    upload: (_source: unknown, { url, cancelled }: { url: string; cancelled: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        const giveUp = (): void => void givenUp.push(url)
        if (cancelled.aborted) return giveUp()
        cancelled.addEventListener('abort', giveUp)
        attempts.push({
          fail: (error) => {
            cancelled.removeEventListener('abort', giveUp)
            reject(error)
          },
        })
      }),
  }
  const announced = { request: 'r', name: 'a', mimetype: 'a/b', size: 5 }
  const attaching = watch(
    uploaded(
      host as unknown as AttachHost,
      { source: new Blob(['hello']), announced, tell: () => {} },
      abort.signal,
    ),
  )
  const goes = (state: 'offline' | 'online'): void => {
    link.state = state
    for (const tell of states) tell(state)
  }
  return { clock, abort, opened, attempts, givenUp, goes, attaching, states }
}

const GIVEN_UP = ['https://service.example/v1/uploads/f-1']

describe('an upload that is cancelled', () => {
  it('SND-341 while it is sent: the service hears so once', async () => {
    const { abort, opened, givenUp, attaching } = upload()
    opened[0]?.answer(PLACE)
    await settled()
    abort.abort()
    await settled()
    expect([attaching.result, givenUp]).toEqual([{ code: 'withdrawn' }, GIVEN_UP])
  })

  it('SND-341 while it waits for its next attempt: the service hears so at once', async () => {
    const { abort, opened, attempts, givenUp, attaching, clock } = upload()
    opened[0]?.answer(PLACE)
    await settled()
    attempts[0]?.fail(failed)
    await settled()
    abort.abort()
    await settled()
    expect([attaching.result, givenUp]).toEqual([{ code: 'withdrawn' }, GIVEN_UP])
    await clock.advance(120_000)
    expect([attempts.length, givenUp.length]).toEqual([1, 1])
  })

  it('SND-341 while it is announced: the service hears so when its place is known', async () => {
    const { abort, opened, givenUp, attaching } = upload()
    abort.abort()
    await settled()
    expect([attaching.result, givenUp]).toEqual([{ code: 'withdrawn' }, []])
    opened[0]?.answer(PLACE)
    await settled()
    expect(givenUp).toEqual(GIVEN_UP)
  })

  it('SND-341 without a connection: the service hears so with the next one', async () => {
    const { abort, opened, attempts, givenUp, goes, states } = upload()
    opened[0]?.answer(PLACE)
    await settled()
    goes('offline')
    attempts[0]?.fail(failed)
    await settled()
    abort.abort()
    await settled()
    expect(givenUp).toEqual([])
    goes('online')
    await settled()
    expect([givenUp, states.size]).toEqual([GIVEN_UP, 0])
  })

  it('SND-341 of a file that is stored meanwhile, or was refused, nothing is given up', async () => {
    for (const end of ['stored', 'refused'] as const) {
      const { abort, opened, givenUp } = upload()
      abort.abort()
      if (end === 'stored') opened[0]?.answer({ id: 'f-1', state: 'stored', seq: 1, url: '/f' })
      else opened[0]?.fail(new ContactError('too_large', 'unable to attach the file; it is too large'))
      await settled()
      expect(givenUp).toEqual([])
    }
  })
})
