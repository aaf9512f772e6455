/** Calls as the pages show them. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { peerSigns } from '../../apps/ui/src/elements/peer-signs.ts'
import type { MediaOffer, MediaState } from '../../apps/ui/src/sdk.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const BY = { via: 'net', engine: 'WebRTC' } as const
const CALL = { tx: true, rx: true, ...BY }
const VOICE: MediaState = { ...CHAT, Voice: CALL }
const VIDEO_OFFER: MediaOffer = {
  Chat: { tx: 'required', rx: 'required' },
  Voice: { tx: 'required', rx: 'required', ...BY },
  Video: { tx: 'optional', rx: 'required', ...BY },
}
const DEVICES = {
  listDevices: () => Promise.resolve([]),
  chosenDevice: () => null,
  chooseDevice: () => Promise.resolve(),
}
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
const error = (code: ContactError['code']): ContactError => new ContactError(code, 'unable')

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

describe('calls', () => {
  it('a failed call is told by its code, and a withdrawn one is not', async () => {
    const { fake, session } = joined()
    fake.failures.set('offerMedia', error('media_denied'))
    session.calls.call('video')
    expect(session.state.request).toBe('video')
    await settle()
    expect([session.state.request, session.state.problem]).toEqual([
      null,
      { code: 'media_denied', what: 'call', kind: 'video' },
    ])
    fake.failures.set('offerMedia', error('withdrawn'))
    session.calls.call('voice')
    session.calls.cancel()
    await settle()
    expect([session.state.request, session.state.problem]).toEqual([null, null])
    expect(fake.calls).toContainEqual(['withdrawOffer'])
  })

  it('an offer waits for an answer; where a device is refused, less of it can be accepted', async () => {
    const { fake, session } = joined()
    fake.mediaState = 'offered'
    fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
    await settle()
    expect(session.state.offer?.status).toBe('asking')
    fake.failures.set('acceptOffer', error('media_not_found'))
    session.calls.accept({ Video: true })
    expect(session.state.offer?.status).toBe('preparing')
    await settle()
    expect([session.state.offer?.status, session.state.problem]).toEqual([
      'asking',
      { code: 'media_not_found', what: 'answer', kind: 'video' },
    ])
    session.calls.accept({ Video: false })
    await settle()
    expect(session.state.offer?.status).toBe('answered')
    expect(fake.calls.filter(([name]) => name === 'acceptOffer')).toEqual([
      ['acceptOffer', { Chat: true, Voice: true, Video: true }],
      ['acceptOffer', { Chat: true, Voice: true, Video: 'receive' }],
    ])
    fake.media = VOICE
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    expect([session.state.offer, said(session)]).toEqual([null, ['noticeVoiceOn']])
  })

  it('an offer that is declined is rejected', async () => {
    const { fake, session } = joined()
    fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
    await settle()
    session.calls.decline()
    expect([session.state.offer, fake.calls.at(-1), vi.getTimerCount()]).toEqual([
      null,
      ['rejectOffer', 'declined by the user'],
      0,
    ])
  })

  it('an offer that is over goes away by itself', async () => {
    const { fake, session } = joined()
    fake.mediaState = 'offered'
    fake.emit('mediaoffer', { offer: VIDEO_OFFER, callback: () => {} })
    await settle()
    vi.advanceTimersByTime(5_000)
    expect(session.state.offer?.status).toBe('asking')
    fake.mediaState = 'idle'
    vi.advanceTimersByTime(500)
    expect([session.state.offer, session.state.problem?.code, vi.getTimerCount()]).toEqual([
      null,
      'withdrawn',
      0,
    ])
  })

  it('an offer that only turns things off is answered without a question', async () => {
    const { fake, session } = joined()
    fake.media = VOICE
    fake.emit('mediaoffer', { offer: { Chat: { tx: 'required', rx: 'required' } }, callback: () => {} })
    await settle()
    expect([session.state.offer, fake.calls.filter(([name]) => name === 'acceptOffer')]).toEqual([
      null,
      [['acceptOffer', undefined]],
    ])
  })

  it('SND-10 a call that comes back after a page load is shown muted and on hold as the contact says', () => {
    const { fake, session } = joined()
    fake.emit('restored', { media: VOICE, missing: {}, muted: ['Voice'], held: true })
    expect([session.state.muted, session.state.isHeld]).toEqual([{ audio: true, video: false }, true])
    session.calls.toggleMute('audio')
    session.devices.toggleHold()
    expect([session.state.muted.audio, session.state.isHeld]).toEqual([false, false])
  })

  it('muting stays when the other side hangs up, and ends when this side does', async () => {
    const { fake, session } = joined()
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    fake.media = VOICE
    session.calls.toggleMute('audio')
    fake.emit('mediachange', { newMedia: CHAT, diff: {} as never })
    expect(session.state.muted.audio).toBe(true)
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    session.calls.hangUp()
    await settle()
    expect([session.state.muted.audio, fake.calls.at(-1)]).toEqual([false, ['unmuteLocalAudio']])
  })

  it('ENG-24 a hold outlasts a call that is cut and comes back, and ends when the next one is asked for', async () => {
    const { fake, session } = joined('agent')
    Object.assign(fake.engine, DEVICES, {
      hold: () => fake.calls.push(['hold']),
      resume: () => fake.calls.push(['resume']),
    })
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    session.devices.toggleHold()
    fake.emit('mediachange', { newMedia: CHAT, diff: {} as never })
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    expect([session.state.isHeld, fake.calls.at(-1)]).toEqual([true, ['hold']])
    fake.emit('mediachange', { newMedia: CHAT, diff: {} as never })
    session.calls.call('voice')
    expect([session.state.isHeld, fake.calls.at(-1)]).toEqual([false, ['resume']])
    await settle()
  })

  it('ENG-24 that the other side holds a call is known before the call is on', () => {
    const { fake, session } = joined()
    fake.emit('remotehold', { engine: 'WebRTC', on: true })
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    expect(session.state.isHeldByPeer).toBe(true)
    fake.emit('mediachange', { newMedia: CHAT, diff: {} as never })
    expect(session.state.isHeldByPeer).toBe(false)
  })

  it('UI-11 ENG-27 what the other side has muted is known before the call is on, shown of what comes, and forgotten with the call', () => {
    const { fake, session } = joined()
    const english = wordsFor(['en'])
    const signs = (): string[] => peerSigns(session.state, english, 'Ada').map(({ text }) => text)
    fake.emit('remotemute', { engine: 'WebRTC', muted: ['Voice', 'Video'] })
    expect(signs()).toEqual([])
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    expect(signs()).toEqual(['Ada has muted the microphone'])
    fake.emit('mediachange', { newMedia: { ...VOICE, Video: CALL }, diff: {} as never })
    expect(signs()).toEqual(['Ada has muted the microphone', 'The camera of Ada is off'])
    fake.emit('mediachange', { newMedia: { ...VOICE, Video: { ...CALL, rx: false } }, diff: {} as never })
    expect(signs()).toEqual(['Ada has muted the microphone'])
    fake.emit('remotemute', { engine: 'WebRTC', muted: ['Video'] })
    expect(signs()).toEqual([])
    fake.emit('mediachange', { newMedia: CHAT, diff: {} as never })
    fake.emit('mediachange', { newMedia: { ...VOICE, Video: CALL }, diff: {} as never })
    expect(signs()).toEqual([])
  })

  it('RES-6 a visitor who has left one tab and goes on in another one is here again', () => {
    const { fake, session } = joined('agent')
    fake.emit('left', { id: 'c1', vvcu: 'v1', reason: 'vvcu', channels: { total: 1, vvcu: 0, user: 1 } })
    expect(session.state.peer?.presence).toBe('gone')
    fake.emit('text', { text: 'still here', id: 'm2', ts: 0, from_id: 'v1', agent: false })
    expect(session.state.peer?.presence).toBe('here')
  })

  it('RES-6 SND-312 a visitor who has left and comes with another page is here again', () => {
    const { fake, session } = joined('agent')
    fake.emit('left', { id: 'c1', vvcu: 'v1', reason: 'vvcu', channels: { total: 1, vvcu: 0, user: 1 } })
    fake.emit('peeraway', { away: false })
    expect(session.state.peer?.presence).toBe('gone')
    fake.emit('capabilities', { Mobile: false, Media: {} })
    expect(session.state.peer?.presence).toBe('here')
  })

  it('nothing is left of a call when the contact ends', () => {
    const { fake, session } = joined('agent')
    fake.emit('mediachange', { newMedia: VOICE, diff: {} as never })
    expect(session.state.callSince).not.toBeNull()
    fake.emit('localleft', { reason: 'user' })
    expect([session.state.callSince, session.state.offer, session.state.stage]).toEqual([null, null, 'ended'])
  })
})
