import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { SessionOptions } from '../../apps/ui/src/contact-session.ts'
import type { History, SavedHistory } from '../../apps/ui/src/history.ts'
import { FakeContact } from './fake-contact.ts'

const SENDER = { ts: 0, from_id: 'a1', from_nick: 'Ada', agent: true }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function joined(options: SessionOptions = {}): {
  fake: FakeContact
  session: ContactSession
  told: () => unknown[]
} {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  const session = new ContactSession(fake.contact, options)
  const told = (): unknown[] => fake.calls.filter(([name]) => name === 'sendRead').map(([, ref]) => ref)
  return { fake, session, told }
}
const say = (fake: FakeContact, ...ids: readonly string[]): void => {
  for (const id of ids) fake.emit('text', { ...SENDER, id, text: `text ${id}` })
}

describe('read receipts', () => {
  it('PRD-193 tell the last message in view while somebody attends, at most once a second', async () => {
    const { fake, session, told } = joined()
    say(fake, 'm1', 'm2')
    session.receipts.inView('m1')
    session.receipts.inView('m2')
    expect(told()).toEqual([])
    session.attend(true)
    expect(told()).toEqual(['m2'])
    say(fake, 'm3', 'm4', 'm5')
    for (const id of ['m3', 'm4', 'm5', 'm5']) session.receipts.inView(id)
    await vi.advanceTimersByTimeAsync(999)
    expect(told()).toEqual(['m2'])
    await vi.advanceTimersByTimeAsync(1)
    expect(told()).toEqual(['m2', 'm5'])
    session.receipts.inView('m3')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(told()).toEqual(['m2', 'm5'])
    session.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('PRD-193 tell nothing where they are off, nor of what nobody attended to, nor after the end', async () => {
    let isOn = false
    const { fake, session, told } = joined({ receipts: () => isOn })
    session.attend(true)
    say(fake, 'm1')
    session.receipts.inView('m1')
    isOn = true
    session.attend(false)
    session.receipts.inView('m1')
    expect(told()).toEqual([])
    fake.emit('cleared', { id: 'c1' })
    session.attend(true)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(told()).toEqual([])
    session.close()
  })

  it('PRD-193 are told of messages of the other side alone, and one that fails is followed by the next', async () => {
    const { fake, session, told } = joined()
    session.attend(true)
    session.send('a')
    await vi.advanceTimersByTimeAsync(0)
    session.receipts.inView('id of a')
    expect(told()).toEqual([])
    fake.failures.set('sendRead', new Error('offline'))
    say(fake, 'm1', 'm2')
    session.receipts.inView('m1')
    await vi.advanceTimersByTimeAsync(1_000)
    session.receipts.inView('m2')
    expect(told()).toEqual(['m1', 'm2'])
    session.close()
  })

  it('PRD-193 what was read stays so when the contact tells of the message afterwards', async () => {
    const { fake, session } = joined()
    session.send('a')
    await vi.advanceTimersByTimeAsync(0)
    fake.emit('read', { ref: 'id of a', from_id: 'a1', agent: true })
    fake.emit('localtext', { id: 'id of a', ts: 0, text: 'a' })
    expect(session.state.transcript.items.map((item) => item.kind === 'own' && item.delivery)).toEqual([
      'read',
    ])
    session.close()
  })

  it('PRD-193 are told once, also over a page load', () => {
    let kept: SavedHistory | null = null
    const history: History = { load: () => kept, save: (_id, saved) => (kept = saved), drop: () => {} }
    const first = joined({ history })
    first.session.attend(true)
    say(first.fake, 'm1')
    first.session.receipts.inView('m1')
    first.session.close()
    const second = joined({ history })
    second.session.attend(true)
    second.session.receipts.inView('m1')
    expect([first.told(), second.told()]).toEqual([['m1'], []])
    second.session.close()
  })

  it('PRD-193 show that an own message, and every one before it, was seen; a late acknowledgement changes nothing', async () => {
    const { fake, session } = joined()
    for (const text of ['a', 'b', 'c']) session.send(text)
    await vi.advanceTimersByTimeAsync(0)
    fake.emit('ack', { ref: 'id of a', from_id: 'a1', agent: true })
    fake.emit('read', { ref: 'id of b', from_id: 'a1', agent: true })
    fake.emit('ack', { ref: 'id of b', from_id: 'a1', agent: true })
    fake.emit('read', { ref: 'unknown', from_id: 'a1', agent: true })
    const deliveries = session.state.transcript.items.map((item) => item.kind === 'own' && item.delivery)
    expect(deliveries).toEqual(['read', 'read', 'sent'])
    session.close()
  })
})
