import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import type { SavedHistory } from '../../apps/ui/src/history.ts'
import { emptyTranscript } from '../../apps/ui/src/transcript.ts'
import { settled } from '../../testing/index.ts'
import type { MediaTransitionState } from '../../protocol/index.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const Voice = { tx: true, rx: true, via: 'net', engine: 'WebRTC' }
const BOTH = { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } as const
const JOINED = { state: 'joined', agent: { user: 'a1', nick: 'Ada' } } as const

/** A page that is loaded after its user had ended the call, in a contact whose media are idle and off. */
async function loaded(saved: SavedHistory | null = null, state: MediaTransitionState = 'idle') {
  const fake = new FakeContact('visitor', JOINED)
  fake.mediaState = state
  const both = { Voice: 'both', Video: 'both', Screen: 'both' } as const
  let kept: SavedHistory = saved ?? {
    transcript: emptyTranscript,
    stopping: { media: both, isCall: true },
  }
  const time = { now: 1_000_000 }
  const session = new ContactSession(fake.contact, {
    history: { load: () => kept, save: (_id, next) => void (kept = next), drop: () => {} },
    now: () => time.now,
  })
  const is = async (state: MediaTransitionState): Promise<void> => {
    fake.mediaState = state
    fake.emit('mediastate', { state })
    await settled()
  }
  const restored = async (): Promise<void> => {
    fake.media = { ...CHAT, Voice }
    fake.emit('mediachange', { newMedia: fake.media, diff: {} as never })
    await is('idle')
  }
  await settled()
  return { fake, session, time, is, restored, kept: () => kept }
}

const names = ({ calls }: FakeContact): unknown[] =>
  calls.map(([name]) => name).filter((name) => name === 'withdrawOffer' || name === 'mergeAndTransitMedia')

describe('a hang-up that was kept over a page load', () => {
  it('SND-312 stands while the code of the negotiation is on its way, and refuses the offer of before', async () => {
    const { fake, session, is } = await loaded(null, 'init')
    expect([session.state.isElsewhere, session.state.stopping?.isCall]).toEqual([false, true])
    const answers: unknown[] = []
    fake.emit('mediaoffer', { offer: { Voice: BOTH }, callback: (answer) => void answers.push(answer) })
    await is('offered')
    expect([answers, session.state.offer]).toEqual([['the call ends'], null])
  })

  it('SND-312 stands while the call may come back, though nothing is on: the offer that brings it back is taken back', async () => {
    const { fake, is, session } = await loaded()
    await is('offering')
    expect(names(fake)).toEqual(['withdrawOffer'])
    await is('idle')
    fake.emit('restored', { media: CHAT, missing: { Voice }, muted: [], held: false, code: 'withdrawn' })
    expect([session.state.stopping, session.state.problem]).toEqual([null, null])
  })

  it('SND-312 ends a call that came back nevertheless', async () => {
    const { fake, restored, session } = await loaded()
    await restored()
    expect([names(fake), session.state.stopping, session.state.callSince]).toEqual([
      ['mergeAndTransitMedia'],
      null,
      null,
    ])
  })

  it('SND-312 stands over another page load, and is over after a minute', async () => {
    const first = await loaded()
    first.session.close()
    const again = await loaded(first.kept())
    await again.is('offering')
    expect(names(again.fake)).toEqual(['withdrawOffer'])
    const late = await loaded(first.kept())
    late.time.now += 60_001
    await late.is('offering')
    await late.restored()
    expect([names(late.fake), late.session.state.stopping]).toEqual([[], null])
  })

  it('SND-312 lets its user call, and be asked, meanwhile', async () => {
    const calling = await loaded()
    calling.session.calls.call('voice')
    await calling.is('offering')
    expect(calling.fake.calls.filter(([name]) => name === 'offerMedia')).toHaveLength(1)
    expect(names(calling.fake)).toEqual([])
    const asked = await loaded()
    await asked.is('offered')
    const required = { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } as const
    asked.fake.emit('mediaoffer', {
      offer: { Voice: required },
      callback: () => expect.unreachable('it is rejected'),
    })
    await settled()
    expect(asked.session.state.offer?.status).toBe('asking')
    asked.session.calls.accept({ Voice: true })
    await asked.restored()
    expect([names(asked.fake), asked.session.state.media.Voice?.tx]).toEqual([[], true])
  })
})
