import { expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { tabHistory } from '../../apps/ui/src/history.ts'
import type { MediaState } from '../../apps/ui/src/sdk.ts'
import type { TranscriptMessage } from '../../sdk/index.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const MANY = 60

/** A tab's storage, and the most characters that were written at once. */
function storageOf(): { readonly most: () => number; readonly storage: Storage } {
  const map = new Map<string, string>()
  let most = 0
  const storage = {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, text: string) => {
      most = Math.max(most, text.length)
      map.set(key, text)
    },
    removeItem: (key: string) => void map.delete(key),
    key: (index: number) => [...map.keys()][index] ?? null,
    length: 0,
    clear: () => map.clear(),
  }
  return { most: () => most, storage }
}

it.each([
  ['short', 'hello'],
  ['of words', 'lorem i '.repeat(1_024)],
  ['of control characters', '\u0001'.repeat(8_192)],
])(
  'SND-306 SND-312 a page keeps little, and shows everything after a page load: texts %s',
  async (what, text) => {
    const { most, storage } = storageOf()
    const history = tabHistory(() => storage)
    const messages = Array.from({ length: MANY }, (_, n) => ({
      text,
      id: `m${n}`,
      ts: n,
      from_id: 'v1',
      agent: false,
    }))
    const fake = new FakeContact('agent', { state: 'joined' })
    const session = new ContactSession(fake.contact, { history })
    for (const message of messages) fake.emit('text', message)
    session.close()
    expect(most()).toBeLessThan(120_000)
    const again = new FakeContact('agent', { state: 'joined', transcript: { messages: MANY } })
    again.stored = messages
      .map((message): TranscriptMessage => ({ ...message, type: 'text', contact: 'c1', time: '' }))
      .toReversed()
    const next = new ContactSession(again.contact, { history })
    await settle()
    const ids = next.state.transcript.items.map((item) => item.kind === 'remote' && item.id)
    expect(ids).toEqual(messages.map(({ id }) => id))
    const asked = again.calls.filter(([name]) => name === 'readTranscript').length
    expect(asked).toBe(what === 'short' ? 0 : 1)
    next.close()
  },
)

it('SND-312 UI-3 a page says after its load what has become of the call meanwhile, as the other side does', async () => {
  const { storage } = storageOf()
  const history = tabHistory(() => storage)
  const joined = { state: 'joined', agent: { user: 'a1', nick: 'Ada' } } as const
  const on = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
  const page = (
    mediaState: MediaState,
  ): { fake: FakeContact; session: ContactSession; said: () => string[] } => {
    const fake = new FakeContact('visitor', { ...joined, mediaState })
    const session = new ContactSession(fake.contact, { history, now: () => 7 })
    const said = (): string[] =>
      session.state.transcript.items.flatMap((item) => (item.kind === 'notice' ? [item.notice] : []))
    return { fake, session, said }
  }
  const first = page(CHAT)
  first.fake.emit('mediachange', { newMedia: { ...CHAT, Voice: on }, diff: {} as never })
  first.session.close()
  const same = page({ ...CHAT, Voice: on })
  expect(same.said()).toEqual(['noticeVoiceOn'])
  same.session.close()
  const cut = page(CHAT)
  cut.fake.emit('mediachange', { newMedia: { ...CHAT, Voice: on, Video: on }, diff: {} as never })
  cut.session.close()
  const over = page(CHAT)
  expect(over.said()).toEqual(['noticeVoiceOn', 'noticeVoiceOff', 'noticeVideoOn', 'noticeCallOff'])
  over.session.close()
  expect(page(CHAT).said().length).toBe(4)
})
