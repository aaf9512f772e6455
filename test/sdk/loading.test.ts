import { expect, it, vi } from 'vitest'
import { settled } from '../../testing/index.ts'
import { joined, watch } from '../support/contacts.ts'

// A network that swallows what it is asked for: the code never comes, and never fails.
vi.mock('../../sdk/rpc/index.ts', () => new Promise(() => {}))
vi.mock('../../sdk/transcript.ts', () => new Promise(() => {}))
vi.mock('../../sdk/attachments/attach.ts', () => new Promise(() => {}))

it('SND-303 a request ends at its time-out although its code is never there', async () => {
  const { visitor, clock } = await joined()
  const request = watch(visitor.request('Ask', null, 1_000))
  await clock.advance(999)
  expect(request.result).toBe('pending')
  await clock.advance(1)
  expect(request.result).toEqual({ code: 'timeout' })
})

it('SND-303 what waits for its code ends with the contact', async () => {
  const { visitor } = await joined()
  const waiting = [
    visitor.request('Ask'),
    visitor.request('Ask', null, 60_000),
    visitor.readTranscript(),
    visitor.transcript()[Symbol.asyncIterator]().next(),
    visitor.attach(new File(['x'], 'x.txt')),
    visitor.attachmentUrl('file'),
  ].map((each) => watch<unknown>(each))
  await settled()
  expect(waiting.map(({ result }) => result)).toEqual(waiting.map(() => 'pending'))
  await visitor.leave()
  await settled()
  expect(waiting.map(({ result }) => result)).toEqual(waiting.map(() => ({ code: 'left' })))
})
