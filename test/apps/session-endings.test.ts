/** What belongs to an offer, to a wait or to an id ends with it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { History, SavedHistory } from '../../apps/ui/src/history.ts'
import type { MediaOffer } from '../../apps/ui/src/sdk.ts'
import { endingText, statusText } from '../../apps/ui/src/status.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'
import { FakeContact } from './fake-contact.ts'

const BY = { via: 'net', engine: 'WebRTC' } as const
const VIDEO_OFFER: MediaOffer = {
  Chat: { tx: 'required', rx: 'required' },
  Voice: { tx: 'required', rx: 'required', ...BY },
  Video: { tx: 'optional', rx: 'required', ...BY },
}
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
const SENDER = { id: 'm1', ts: 0, from_id: 'a1', from_nick: 'Ada', agent: true }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function joined(): { fake: FakeContact; session: ContactSession } {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  return { fake, session: new ContactSession(fake.contact) }
}

describe('what ends with what it belongs to', () => {
  it('SND-312 the place of the first wait is not shown in the next one', () => {
    const fake = new FakeContact()
    const session = new ContactSession(fake.contact)
    const places: unknown[] = []
    fake.emit('queue', { position: 4 })
    fake.emit('assigned', { id: 'c1', user: 'a1', nick: 'Ada' })
    places.push(session.state.queue)
    fake.emit('joined', { id: 'c1', user: 'a1', nick: 'Ada' })
    fake.emit('queue', { position: 4 })
    fake.emit('transferred', { id: 'c1', to: { toId: 'c2' } })
    expect([...places, session.state.queue]).toEqual([null, null])
  })

  it.each(['visitor', 'agent'] as const)(
    'SND-312 nothing stays of a conversation that went on under another id and has ended (%s)',
    (role) => {
      const store = new Map<string, SavedHistory>()
      const history: History = {
        load: (id) => store.get(id) ?? null,
        save: (id, kept) => void store.set(id, kept),
        drop: (id) => void store.delete(id),
      }
      const fake = new FakeContact(role, { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
      const session = new ContactSession(fake.contact, { history })
      fake.emit('text', { text: 'secret', ...SENDER })
      expect([...store.keys()]).toEqual(['c1'])
      fake.emit('transferred', { id: 'c1', to: { toId: 'c2' } })
      expect([...store.keys()]).toEqual(role === 'visitor' ? ['c2'] : [])
      fake.emit('cleared', { id: 'c2', reason: 'user' })
      expect([...store.keys()]).toEqual([])
      session.close()
    },
  )

  it('UI-6 an agent who has passed a contact on reads that, not that the chat has ended', () => {
    const fake = new FakeContact('agent', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
    const session = new ContactSession(fake.contact)
    fake.emit('transferred', { id: 'c1', to: { toId: 'c2' } })
    const words = wordsFor(['en'])
    const notices = session.state.transcript.items.flatMap((item) =>
      item.kind === 'notice' ? [words.t(item.notice)] : [],
    )
    expect([statusText(session.state, words), notices]).toEqual(['Passed on', ['Passed on']])
    expect(endingText(session.state, words)).toBe('This contact has been passed on.')
    session.close()
  })

  it('SND-312 SND-310 an offer that still stands goes on asking while its party is away for a moment', async () => {
    const { fake, session } = joined()
    fake.mediaState = 'offered'
    fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
    await settle()
    fake.emit('peeraway', { away: true })
    vi.advanceTimersByTime(1000)
    fake.emit('peeraway', { away: false })
    vi.advanceTimersByTime(1000)
    expect(session.state.offer?.status).toBe('asking')
    fake.emit('left', { id: 'c1', user: 'a1', reason: 'user', channels: { total: 1, vvcu: 1, user: 0 } })
    expect(session.state.offer).toBeNull()
    session.close()
  })

  it.each(['peeraway', 'elsewhere', 'transferred'] as const)(
    'SND-312 an offer that is over after %s while its devices are asked for is told as over, not as a failure',
    async (how) => {
      const { fake, session } = joined()
      fake.mediaState = 'offered'
      let refuse = (_over: Error): void => {}
      fake.acceptOffer = () => new Promise((_answer, reject) => (refuse = reject))
      fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
      await settle()
      session.calls.accept({})
      if (how === 'peeraway') fake.emit('peeraway', { away: true })
      if (how === 'elsewhere') fake.hold(false)
      if (how === 'elsewhere')
        fake.emit('left', { id: 'c1', vvcu: 'v1', channels: { total: 2, vvcu: 1, user: 1 } })
      if (how === 'transferred') fake.emit('transferred', { id: 'c1', to: { toId: 'c2' } })
      fake.hold(true)
      refuse(new ContactError('invalid_state', 'unable to answer the offer; it is over'))
      await settle()
      await vi.advanceTimersByTimeAsync(1000)
      expect([session.state.offer, session.state.problem?.code]).toEqual([
        null,
        how === 'peeraway' ? 'withdrawn' : undefined,
      ])
      session.close()
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('SND-311 an agent who comes when the contact is over is told so, instead of connecting for ever', async () => {
    const fake = new FakeContact('agent', { state: 'assigned' })
    fake.failures.set('join', new ContactError('left', 'unable to join; the contact is over'))
    const session = new ContactSession(fake.contact)
    await session.join()
    expect(session.state.stage).toBe('ended')
    session.close()
  })

  it('SND-312 what is told of a call that was withdrawn ends with the next call', async () => {
    const { fake, session } = joined()
    fake.mediaState = 'offered'
    fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
    await settle()
    fake.mediaState = 'idle'
    fake.emit('mediastate', 'idle' as never)
    await vi.advanceTimersByTimeAsync(1000)
    expect(session.state.problem?.code).toBe('withdrawn')
    fake.mediaState = 'offered'
    fake.emit('mediaoffer', { offer: { ...VIDEO_OFFER }, callback: () => {} })
    await settle()
    expect([session.state.offer?.status, session.state.problem]).toEqual(['asking', null])
    session.close()
  })
})

describe('a visitor whom the service no longer knows', () => {
  const refuse = (fake: FakeContact): void => {
    fake.emit('error', new ContactError('unauthorized', 'the service does not accept the token'))
    fake.emit('connection', { state: 'offline' })
  }

  it('SND-312 reads that the session has ended, and nothing else; the call of the page ends', () => {
    const { fake, session } = joined()
    refuse(fake)
    const { stage, ending, problem } = session.state
    expect([stage, ending, problem]).toEqual(['ended', 'refused', null])
    expect(endingText(session.state, wordsFor(['en']))).toBe('Your session has ended. Please start again.')
    expect(fake.calls).toContainEqual(['leave', null])
    session.close()
  })

  it('SND-312 stays in the contact where the site names the visitor, as an agent does', () => {
    const named = { id: 'v1', identified: true }
    for (const fake of [
      new FakeContact('agent', { state: 'joined' }),
      new FakeContact('visitor', { state: 'joined', visitor: named }),
    ]) {
      const session = new ContactSession(fake.contact)
      refuse(fake)
      expect(session.state.stage).not.toBe('ended')
      expect(session.state.problem?.code).toBe('unauthorized')
      session.close()
    }
  })
})
