import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { tabHistory } from '../../apps/ui/src/history.ts'
import type { SavedHistory } from '../../apps/ui/src/history.ts'
import { queueText } from '../../apps/ui/src/status.ts'
import { beginsTurn } from '../../apps/ui/src/transcript.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'
import type { TranscriptMessage } from '../../sdk/index.ts'
import { FakeContact } from './fake-contact.ts'

const words = wordsFor(['en'])
const SENDER = { from_id: 'a1', from_nick: 'Ada', agent: true }
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const said = ({ state }: ContactSession): string[] =>
  state.transcript.items.flatMap((item) =>
    item.kind !== 'notice' && item.body.type === 'text' ? [`${item.kind}: ${item.body.text}`] : [],
  )

describe('a page that comes to a contact', () => {
  it('SND-312 RES-5 a tab that has kept nothing shows what the service keeps; one that has kept it asks nobody', async () => {
    const fake = new FakeContact('visitor', {
      state: 'joined',
      agent: { user: 'a1', nick: 'Ada' },
      transcript: { messages: 2 },
    })
    const when = { time: '2026-01-01T09:00:00.000Z', ts: Date.parse('2026-01-01T09:00:00.000Z') }
    fake.stored = [
      { type: 'text', text: 'good day', id: 'm2', contact: 'c1', ...when, ...SENDER },
      { type: 'text', text: 'hello', id: 'm1', contact: 'c1', ...when, from_id: 'v1', agent: false },
    ]
    const session = new ContactSession(fake.contact)
    await settle()
    expect(said(session)).toEqual(['own: hello', 'remote: good day'])
    // Whether the agent has it is not known here.
    expect(session.state.transcript.items[0]).toMatchObject({ delivery: 'stored' })
    fake.emit('ack', { ref: 'm1', ...SENDER })
    expect(session.state.transcript.items[0]).toMatchObject({ delivery: 'delivered' })
    const kept: SavedHistory = { transcript: session.state.transcript }
    const again = new FakeContact('visitor', { state: 'joined', transcript: { messages: 2 } })
    expect(
      said(
        new ContactSession(again.contact, { history: { load: () => kept, save: () => {}, drop: () => {} } }),
      ),
    ).toEqual(['own: hello', 'remote: good day'])
    await settle()
    expect(again.calls.filter(([name]) => name === 'readTranscript')).toEqual([])
  })

  it('SND-312 UI-3 what it shows says how far own messages have come and who joined, as in the tab before', async () => {
    const fake = new FakeContact('visitor', { state: 'joined', transcript: { messages: 4 } })
    const mine = (n: number): TranscriptMessage => ({
      ...{ type: 'text', text: `t${n}`, id: `m${n}`, contact: 'c1', ts: n * 10, from_id: 'v1', agent: false },
      time: new Date(n * 10).toISOString(),
    })
    fake.stored = [mine(4), mine(3), mine(2), mine(1)]
    fake.happened = [
      { type: 'ack', ref: 'm3', agent: true },
      { type: 'ack', ref: 'm4', agent: false },
      { type: 'read', ref: 'm2', agent: true },
      { type: 'joined', user: 'a1', nick: 'Ada', ts: 15 },
    ]
    const session = new ContactSession(fake.contact)
    await settle()
    const items = (): string[] =>
      session.state.transcript.items.map((item) =>
        item.kind === 'notice' ? `${item.notice} ${item.nick}` : item.kind === 'own' ? item.delivery : '',
      )
    expect(items()).toEqual(['read', 'noticeJoined Ada', 'read', 'delivered', 'stored'])
    fake.emit('ack', { ref: 'm4', ...SENDER })
    expect(items().at(-1)).toBe('delivered')
  })

  it('SND-312 what an earlier agent said is not shown to the next one as their own', async () => {
    const fake = new FakeContact('agent', {
      state: 'assigned',
      agent: { user: 'a2', nick: 'Bea' },
      transferredFrom: 'c0',
    })
    const which = (id: string, ts: number): Pick<TranscriptMessage, 'id' | 'ts' | 'time' | 'contact'> => ({
      id,
      ts,
      time: new Date(ts).toISOString(),
      contact: 'c0',
    })
    fake.stored = [
      { type: 'text', text: 'I am back', ...which('m3', 3), from_id: 'a2', from_nick: 'Bea', agent: true },
      { type: 'text', text: 'Bea takes over', ...which('m2', 2), ...SENDER },
      { type: 'text', text: 'hello', ...which('m1', 1), from_id: 'v1', from_nick: 'Robin', agent: false },
    ]
    const session = new ContactSession(fake.contact)
    await settle()
    expect(said(session)).toEqual(['remote: hello', 'remote: Bea takes over', 'own: I am back'])
    const { items } = session.state.transcript
    expect(items.map((item, index) => beginsTurn(item, items[index - 1]))).toEqual([true, true, true])
    expect(items[0] && beginsTurn(items[0], items[0])).toBe(false)
  })

  const stored = (n: number, agent = true, text = `t${n}`): TranscriptMessage => ({
    type: 'text',
    text,
    id: `m${n}`,
    contact: 'c1',
    ts: n,
    time: new Date(n).toISOString(),
    ...(agent ? SENDER : { from_id: 'v1', agent }),
  })

  it.each(['offline', 'forbidden'] as const)(
    'SND-312 shows what was said before, although the first reading failed: %s',
    async (code) => {
      const store = new Map<string, SavedHistory>()
      const history = {
        load: (id: string) => store.get(id) ?? null,
        save: (id: string, kept: SavedHistory) => void store.set(id, kept),
        drop: (id: string) => void store.delete(id),
      }
      const page = (count: number): FakeContact => {
        const fake = new FakeContact('agent', { state: 'joined', transcript: { messages: count } })
        fake.stored = [stored(3, false), stored(2, false), stored(1, false)].slice(-count)
        return fake
      }
      const fake = page(2)
      fake.failures.set('readTranscript', new ContactError(code, 'no'))
      const session = new ContactSession(fake.contact, { history })
      await settle()
      fake.emit('text', { text: 't3', id: 'm3', ts: 3, from_id: 'v1', agent: false })
      // What was not decided is asked again as soon as the connection is back, what was refused by the next page.
      fake.emit('connection', { state: 'online' })
      await settle()
      const all = ['t1', 't2', 't3'].map((text) => `remote: ${text}`)
      expect(said(session)).toEqual(code === 'offline' ? all : all.slice(2))
      session.close()
      const again = page(3)
      const next = new ContactSession(again.contact, { history })
      await settle()
      expect(said(next)).toEqual(all)
      expect(again.calls.filter(([name]) => name === 'readTranscript').length).toBe(
        code === 'offline' ? 0 : 1,
      )
      next.close()
      const last = page(3)
      new ContactSession(last.contact, { history }).close()
      expect(last.calls.filter(([name]) => name === 'readTranscript')).toEqual([])
    },
  )

  it('SND-312 shows the order of the log where something is sent while it is read', async () => {
    const fake = new FakeContact('visitor', {
      state: 'joined',
      agent: { user: 'a1', nick: 'Ada' },
      transcript: { messages: 2 },
    })
    fake.stored = [stored(4, false, 'own'), stored(3), stored(2), stored(1)]
    let store = (_id: string): void => {}
    fake.sendText = () => new Promise((resolve) => (store = resolve))
    const session = new ContactSession(fake.contact)
    fake.emit('text', { text: 't3', id: 'm3', ts: 3, ...SENDER })
    session.send('own')
    await settle()
    store('m4')
    await settle()
    fake.emit('localtext', { text: 'own', id: 'm4', ts: 4 })
    expect(said(session)).toEqual(['remote: t1', 'remote: t2', 'remote: t3', 'own: own'])
  })

  it('SND-312 the place in the queue and the expected wait are told in words', () => {
    const fake = new FakeContact()
    const session = new ContactSession(fake.contact)
    const told = (place: { position: number; expectedWaitMs?: number }): string => {
      fake.emit('queue', place)
      return session.state.queue ? queueText(session.state.queue, words) : ''
    }
    expect([
      told({ position: 3 }),
      told({ position: 2, expectedWaitMs: 61_000 }),
      told({ position: 1, expectedWaitMs: 5_000 }),
    ]).toEqual([
      'Your place in the queue: 3.',
      'Your place in the queue: 2. It takes about 2 minutes.',
      'Your place in the queue: 1. It takes less than a minute.',
    ])
  })

  it('SND-312 what was unread is so after a page load, until somebody looks', () => {
    const store = new Map<string, string>()
    const storage = {
      getItem: (key: string) => store.get(key) ?? null,
      setItem: (key: string, value: string) => void store.set(key, value),
      removeItem: (key: string) => void store.delete(key),
      key: (index: number) => [...store.keys()][index] ?? null,
      length: 0,
    }
    const page = (): { readonly fake: FakeContact; readonly session: ContactSession } => {
      const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
      return { fake, session: new ContactSession(fake.contact, { history: tabHistory(() => storage) }) }
    }
    const before = page()
    before.fake.emit('text', { text: 'hello?', id: 'm1', ts: 1, ...SENDER })
    before.session.close()
    const after = page()
    expect(after.session.state.unread).toBe(1)
    after.session.attend(true)
    after.session.close()
    expect(page().session.state.unread).toBe(0)
    for (const unread of ['1', -1, 1.5, null]) {
      store.set('duolog-shown:c1', JSON.stringify({ transcript: after.session.state.transcript, unread }))
      expect(page().session.state.unread).toBe(0)
    }
  })
})
