/** What a closed session leaves behind, and what an open one does not hold on to. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { History, SavedHistory } from '../../apps/ui/src/history.ts'
import { tabHistory } from '../../apps/ui/src/history.ts'
import type { MediaOffer } from '../../apps/ui/src/sdk.ts'
import { ContactError } from '../../protocol/index.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const BY = { via: 'net', engine: 'WebRTC' } as const
const VOICE = { tx: true, rx: true, ...BY }
const VOICE_OFFER: MediaOffer = { Voice: { tx: 'required', rx: 'required', ...BY } }
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function joined(history?: History): { fake: FakeContact; session: ContactSession } {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  return { fake, session: new ContactSession(fake.contact, { ...(history && { history }) }) }
}

it('SND-312 an offer that comes while a session is closed leaves no timer', async () => {
  const { fake, session } = joined()
  await settle()
  fake.mediaState = 'offered'
  fake.emit('mediaoffer', { offer: VOICE_OFFER, callback: () => {} })
  session.close()
  fake.hold(false)
  await vi.advanceTimersByTimeAsync(120_000)
  expect([vi.getTimerCount(), fake.handlerCount]).toEqual([0, 0])
})

it('SND-312 a contact that is entered while a session is closed leaves no timer', async () => {
  const fake = new FakeContact('agent', { state: 'assigned' })
  const session = new ContactSession(fake.contact)
  await settle()
  let enter = (): void => {}
  fake.join = () => new Promise<void>((resolve) => (enter = resolve))
  void session.join()
  session.close()
  fake.hold(false)
  enter()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(vi.getTimerCount()).toBe(0)
})

const file = (): File => new File(['x'], 'a.txt', { type: 'text/plain' })

it('SND-306 a file that was discarded is not held on to', async () => {
  const { fake, session } = joined()
  Object.assign(fake, { attach: () => Promise.reject(new ContactError('too_large', 'no')) })
  session.files.send([file()])
  await settle()
  session.discard('m1')
  expect([session.files.retry('m1'), session.state.transcript.items]).toEqual([false, []])
})

it('SND-306 a file that was cancelled is not held on to', async () => {
  const { fake, session } = joined()
  const attach = (_file: File, _description: null, _ref: string, { signal }: { signal: AbortSignal }) =>
    new Promise((_stored, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))))
  Object.assign(fake, { attach })
  session.files.send([file()])
  session.files.cancel('m1')
  await settle()
  expect([session.files.retry('m1'), session.state.transcript.items]).toEqual([false, []])
})

it('SND-306 a file that failed can be tried again as long as it is shown', async () => {
  const { fake, session } = joined()
  const attach = vi.fn(() => Promise.reject(new ContactError('too_large', 'no')))
  Object.assign(fake, { attach })
  session.files.send([file()])
  await settle()
  session.retry('m1')
  expect(attach).toHaveBeenCalledTimes(2)
})

function pages(): { readonly history: History; readonly kept: Map<string, string> } {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size
    },
  }
  return { history: tabHistory(() => storage), kept }
}

const PAGE = { state: 'joined', agent: { user: 'a1', nick: 'Ada' } } as const
const NOTHING = { stopping: null, callSince: null, offer: null, problem: null }

/** A page whose user has ended a call that the contact could not end before the page was gone. */
function loadedWhileStopping(mediaState: FakeContact['mediaState'], media = CHAT) {
  const { history, kept } = pages()
  const before = joined(history)
  before.fake.mediaState = 'transiting'
  before.fake.emit('mediachange', { newMedia: { ...CHAT, Voice: VOICE }, diff: {} as never })
  before.session.calls.hangUp()
  before.session.close()
  const fake = new FakeContact('visitor', PAGE)
  Object.assign(fake, { mediaState, media })
  const session = new ContactSession(fake.contact, { history })
  expect(session.state.stopping?.isCall).toBe(true)
  const idle = async (): Promise<void> => {
    fake.mediaState = 'idle'
    fake.emit('mediastate', { state: 'idle' })
    await settle()
    expect(session.state).toMatchObject(NOTHING)
    expect([...kept.values()].some((value) => value.includes('stopping'))).toBe(false)
    session.close()
  }
  return { fake, session, idle, done: (name: string) => fake.calls.some(([each]) => each === name) }
}

it('SND-312 a hang-up that waits ends, after a page load, the call that is still on', async () => {
  const { done, idle } = loadedWhileStopping('idle', { ...CHAT, Voice: VOICE })
  await settle()
  expect(done('mergeAndTransitMedia')).toBe(true)
  await idle()
})

it('SND-312 a hang-up that waits keeps, after a page load, the call from coming back', async () => {
  const { fake, done, idle } = loadedWhileStopping('offering')
  await settle()
  expect(done('withdrawOffer')).toBe(true)
  fake.emit('restored', { media: CHAT, missing: { Voice: VOICE }, muted: [], held: false, code: 'withdrawn' })
  await idle()
})

it('SND-312 a hang-up that waits rejects, after a page load, the call that the other side brings back', async () => {
  const { fake, session, idle } = loadedWhileStopping('offered')
  const callback = vi.fn<(answer: unknown) => void>()
  fake.emit('mediaoffer', { offer: VOICE_OFFER, callback })
  await settle()
  expect([callback.mock.calls, session.state.offer]).toEqual([[['the call ends']], null])
  await idle()
})

it('SND-312 a hang-up that waits is over, after a page load, when the call is', async () => {
  const { fake, done, idle } = loadedWhileStopping('idle')
  await settle()
  expect(done('mergeAndTransitMedia')).toBe(false)
  fake.emit('restored', { media: CHAT, missing: { Voice: VOICE }, muted: [], held: false, code: 'timeout' })
  await idle()
})

it('SND-312 what a tab has kept of a hang-up and cannot be read counts as none', () => {
  const { history, kept } = pages()
  const transcript = { items: [], made: 0, earlyAcks: [] }
  const load = (stopping: unknown): SavedHistory | null => {
    kept.set('duolog-shown:c1', JSON.stringify({ transcript, stopping }))
    return history.load('c1')
  }
  for (const odd of [
    7,
    {},
    { media: [] },
    { media: { Voice: 'none' }, isCall: true },
    { media: {}, isCall: 1 },
  ])
    expect(load(odd)).toEqual({ transcript })
  const stopping = { media: { Voice: 'both' }, isCall: false }
  expect(load(stopping)).toEqual({ transcript, stopping })
})
