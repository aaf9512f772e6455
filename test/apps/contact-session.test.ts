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
const words = wordsFor(['en'])
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
const error = (code: ContactError['code']): ContactError => new ContactError(code, 'unable')
const SENDER = { id: 'm1', ts: 0, from_id: 'a1', from_nick: 'Ada', agent: true }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function joined(role: 'visitor' | 'agent' = 'visitor'): { fake: FakeContact; session: ContactSession } {
  const fake = new FakeContact(role, { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  return { fake, session: new ContactSession(fake.contact) }
}

const said = ({ state }: ContactSession): string[] =>
  state.transcript.items.map((item) =>
    item.kind === 'notice'
      ? item.notice
      : `${item.kind}: ${item.body.type === 'text' ? item.body.text : item.body.type === 'link' ? item.body.url : item.body.name}`,
  )

describe('where a conversation is', () => {
  it('goes from waiting to assigned to talking to ended, in words', () => {
    const fake = new FakeContact()
    const session = new ContactSession(fake.contact)
    const seen = [statusText(session.state, words)]
    fake.emit('assigned', { id: 'c1', user: 'a1', nick: 'Ada' })
    seen.push(statusText(session.state, words))
    fake.emit('joined', { id: 'c1', user: 'a1', nick: 'Ada' })
    seen.push(statusText(session.state, words))
    fake.emit('cleared', { id: 'c1', reason: 'user' })
    seen.push(statusText(session.state, words), endingText(session.state, words))
    expect(seen).toEqual([
      'Waiting for an agent…',
      'Ada is about to join…',
      'Connected',
      'The chat has ended',
      'The agent has ended the chat.',
    ])
    expect(said(session)).toEqual(['noticeJoined', 'noticeEnded'])
  })

  it('waits again when the agent declines', () => {
    const fake = new FakeContact()
    const session = new ContactSession(fake.contact)
    fake.emit('assigned', { id: 'c1', user: 'a1', nick: 'Ada' })
    fake.emit('declined', { id: 'c1', user: 'a1', nick: 'Ada' })
    expect([session.state.stage, session.state.peer]).toEqual(['waiting', null])
  })

  it('tells a lost connection from leaving, and a returning party from a lost one', () => {
    const { fake, session } = joined()
    fake.emit('left', { id: 'c1', user: 'a1', channels: { total: 2, vvcu: 1, user: 1 } })
    expect(session.state.peer?.presence).toBe('here')
    fake.emit('left', { id: 'c1', user: 'a1', reason: 'timeout', channels: { total: 1, vvcu: 1, user: 0 } })
    expect(session.state.peer?.presence).toBe('away')
    fake.emit('text', { text: 'I am back', ...SENDER })
    expect(session.state.peer?.presence).toBe('here')
    fake.emit('left', { id: 'c1', user: 'a1', reason: 'user', channels: { total: 1, vvcu: 1, user: 0 } })
    expect(statusText(session.state, words)).toBe('Ada has left')
  })

  it('says when another tab has it, and when it is back', () => {
    const { fake, session } = joined()
    fake.hold(false)
    fake.emit('left', { id: 'c1', vvcu: 'v1', channels: { total: 3, vvcu: 2, user: 1 } })
    expect(session.state.isElsewhere).toBe(true)
    fake.hold(true)
    vi.advanceTimersByTime(1000)
    expect(session.state.isElsewhere).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('SND-309 a page beside a tab that has the call says so from the start, and takes it over when asked', () => {
    const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
    fake.hold(false)
    const session = new ContactSession(fake.contact)
    expect(session.state.isElsewhere).toBe(true)
    session.takeOver()
    fake.hold(true)
    fake.emit('mediastate', { state: 'idle' })
    expect([session.state.isElsewhere, fake.calls.map(([name]) => name).includes('takeOver')]).toEqual([
      false,
      true,
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('SND-310 says at once that no page of the other side is there, and when one is back', () => {
    const { fake, session } = joined()
    fake.emit('peeraway', { away: true })
    expect(session.state.peer?.presence).toBe('away')
    fake.emit('peeraway', { away: false })
    expect(session.state.peer?.presence).toBe('here')
  })

  it('leaves no timer and no handler behind', () => {
    const { fake, session } = joined()
    fake.emit('iswriting', SENDER)
    fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
    session.close()
    expect([vi.getTimerCount(), fake.handlerCount]).toEqual([0, 0])
  })
})

describe('messages', () => {
  it('UI-5 a send that fails stays in the list with its reason, and can be tried again', async () => {
    const { fake, session } = joined()
    fake.failures.set('sendText', error('rate_limited'))
    session.send('hello')
    await settle()
    expect(session.state.transcript.items).toMatchObject([
      { key: 'm1', delivery: 'failed', failure: 'rate_limited' },
    ])
    session.retry('m1')
    await settle()
    expect(session.state.transcript.items).toMatchObject([{ key: 'm1', delivery: 'sent', id: 'id of hello' }])
    fake.emit('ack', { ref: 'id of hello', ...SENDER })
    expect(session.state.transcript.items).toMatchObject([{ key: 'm1', delivery: 'delivered' }])
  })

  it('are counted while nobody looks', () => {
    const { fake, session } = joined()
    fake.emit('text', { text: 'one', ...SENDER })
    fake.emit('link', { url: 'https://example.org/', ...SENDER, id: 'm2' })
    expect(session.state.unread).toBe(2)
    session.attend(true)
    fake.emit('text', { text: 'three', ...SENDER, id: 'm3' })
    expect(session.state.unread).toBe(0)
  })

  it('SND-312 one that is told again is not counted again', () => {
    const { fake, session } = joined()
    fake.emit('text', { text: 'one', ...SENDER })
    fake.emit('text', { text: 'one', ...SENDER })
    expect([session.state.transcript.items.length, session.state.unread]).toEqual([1, 1])
  })

  it('typing shows for 10 s, and not after the message has come', () => {
    const { fake, session } = joined()
    fake.emit('iswriting', SENDER)
    vi.advanceTimersByTime(9_000)
    fake.emit('iswriting', SENDER)
    vi.advanceTimersByTime(9_999)
    expect(session.state.isPeerTyping).toBe(true)
    vi.advanceTimersByTime(1)
    expect(session.state.isPeerTyping).toBe(false)
    fake.emit('iswriting', SENDER)
    fake.emit('text', { text: 'done', ...SENDER })
    expect(session.state.isPeerTyping).toBe(false)
  })

  it('of this tab come back after a reload, and are forgotten with the contact', async () => {
    const store = new Map<string, SavedHistory>()
    const history: History = {
      load: (id) => store.get(id) ?? null,
      save: (id, kept) => void store.set(id, kept),
      drop: (id) => void store.delete(id),
    }
    const record = { state: 'joined', agent: { user: 'a1', nick: 'Ada' } } as const
    const before = new ContactSession(new FakeContact('visitor', record).contact, { history })
    before.send('hello')
    await settle()
    before.close()
    const fake = new FakeContact('visitor', record)
    const after = new ContactSession(fake.contact, { history })
    expect(said(after)).toEqual(['own: hello'])
    fake.emit('cleared', { id: 'c1' })
    expect(store.size).toBe(0)
  })
})
