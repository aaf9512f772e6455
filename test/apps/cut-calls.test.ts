/** A call that a page load interrupts, on the pages of both sides. */
import { describe, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { History, SavedHistory } from '../../apps/ui/src/history.ts'
import { inCall, rest } from './calling-pages.ts'
import { FakeContact } from './fake-contact.ts'

const CHAT = { Sharing: { tx: true, rx: true, engine: 'Native' } } as const
const VOICE = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
const CALL = { ...CHAT, Voice: VOICE }
const DIFF = {} as never

const said = ({ state }: ContactSession): string[] =>
  state.transcript.items.flatMap((item) => (item.kind === 'notice' ? [item.notice] : []))

function keeping(): History {
  const store = new Map<string, SavedHistory>()
  return {
    load: (id) => store.get(id) ?? null,
    save: (id, kept) => void store.set(id, JSON.parse(JSON.stringify(kept)) as SavedHistory),
    drop: (id) => void store.delete(id),
  }
}

/** A page in a call since 1,000 ms, and what it is told. */
function inVoiceCall(history = keeping()) {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  let now = 1_000
  const session = new ContactSession(fake.contact, { history, now: () => now })
  fake.emit('mediachange', { newMedia: CALL, diff: DIFF })
  const at = (ms: number): void => void (now = ms)
  const cut = (): void => fake.emit('mediachange', { newMedia: CHAT, diff: DIFF, interrupted: true })
  return { fake, session, history, at, cut }
}

describe('a call that a page load interrupts', () => {
  it.each(['visitor', 'agent'] as const)(
    'SND-312 UI-3 goes on as the same call on both sides, whoever loads the page: %s',
    async (who) => {
      const { reload, mine, theirs } = await inCall('voice')
      const [gone, other] = who === 'visitor' ? [mine, theirs] : [theirs, mine]
      const since = other.state.callSince
      const changes: unknown[] = []
      other.contact.on('mediachange', ({ interrupted, newMedia }) =>
        changes.push([newMedia.Voice?.tx ?? false, interrupted]),
      )
      gone.close()
      const history = keeping()
      const { transcript } = gone.state
      history.save(gone.contact.id, { transcript, call: { on: ['Voice'], since: 7 } })
      const sessions: ContactSession[] = []
      await reload(who, (contact) => sessions.push(new ContactSession(contact, { history })))
      await rest()
      const [back] = sessions
      if (!back) throw new Error('there is no new page')
      expect(changes).toEqual([
        [false, true],
        [true, undefined],
      ])
      expect([back.state.media.Voice?.tx, back.state.callSince, other.state.callSince]).toEqual([
        true,
        7,
        since,
      ])
      expect(said(back)).toEqual(said(gone))
      for (const page of [back, other])
        expect(said(page).filter((notice) => notice.startsWith('noticeVoice'))).toEqual(['noticeVoiceOn'])
      for (const session of [back, other]) session.close()
    },
  )

  it('SND-312 UI-3 is said to be over when it has not come back in time', () => {
    vi.useFakeTimers()
    const { session, cut } = inVoiceCall()
    cut()
    vi.advanceTimersByTime(14_999)
    expect([said(session), session.state.callSince]).toEqual([['noticeVoiceOn'], null])
    vi.advanceTimersByTime(1)
    expect([said(session), session.state.cut]).toEqual([['noticeVoiceOn', 'noticeVoiceOff'], null])
    session.close()
    vi.useRealTimers()
  })

  it('SND-312 UI-3 is said to be over where the contact says that it does not come back, or the other side leaves', () => {
    const none = { media: CHAT, missing: { Voice: VOICE }, muted: [], held: false, code: 'rejected' } as const
    const ends: readonly ((fake: FakeContact) => void)[] = [
      (fake) => fake.emit('restored', none),
      (fake) => fake.emit('left', { id: 'c', user: 'a1', reason: 'closed', channels: { total: 0 } } as never),
    ]
    for (const end of ends) {
      const { fake, session, cut } = inVoiceCall()
      cut()
      end(fake)
      expect(said(session).slice(0, 2)).toEqual(['noticeVoiceOn', 'noticeVoiceOff'])
      session.close()
    }
  })

  it('SND-312 UI-3 is over at once where somebody has hung up', () => {
    const { fake, session } = inVoiceCall()
    fake.emit('mediachange', { newMedia: CHAT, diff: DIFF })
    expect(said(session)).toEqual(['noticeVoiceOn', 'noticeVoiceOff'])
    session.close()
  })

  it('SND-312 UI-3 says what has not come back with it', () => {
    const { fake, session, cut, at } = inVoiceCall()
    fake.emit('mediachange', { newMedia: { ...CALL, Video: VOICE }, diff: DIFF })
    cut()
    at(3_000)
    fake.emit('mediachange', { newMedia: CALL, diff: DIFF })
    expect([said(session), session.state.callSince]).toEqual([
      ['noticeVoiceOn', 'noticeVideoOn', 'noticeVideoOff'],
      1_000,
    ])
    session.close()
  })

  it('SND-312 UI-3 stays the same call over a page that is left before it came back', () => {
    const first = inVoiceCall()
    first.cut()
    first.session.close()
    const load = (now: number): ContactSession => {
      const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
      return new ContactSession(fake.contact, { history: first.history, now: () => now })
    }
    const soon = load(5_000)
    expect([said(soon), soon.state.cut?.since]).toEqual([['noticeVoiceOn'], 1_000])
    soon.close()
    const late = load(17_000)
    expect([said(late), late.state.cut]).toEqual([['noticeVoiceOn', 'noticeVoiceOff'], null])
    late.close()
  })
})
