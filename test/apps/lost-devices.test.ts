import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { settled } from '../../testing/test-clock.ts'
import { inCall, rest } from './calling-pages.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const BY = { via: 'net', engine: 'WebRTC' } as const

describe('devices that a call loses', () => {
  const notices = ({ state }: ContactSession): unknown[] =>
    state.transcript.items.flatMap((item) => (item.kind === 'notice' ? [item.notice] : []))

  it('SND-312 who is not heard any more is told, and can be heard again', async () => {
    const pages = await inCall('voice')
    pages.faults.unplug('microphone')
    await rest()
    expect(notices(pages.mine)).toContain('noticeVoiceUnsent')
    expect(notices(pages.theirs)).not.toContain('noticeVoiceUnsent')
    pages.mine.calls.call('voice')
    await rest()
    pages.theirs.calls.accept({})
    await rest()
    expect([pages.mine.state.media.Voice?.tx, pages.devices.visitor.inUse]).toEqual([true, ['Voice']])
  })

  it('SND-312 video can be added where the other side has lost its microphone', async () => {
    const pages = await inCall('voice')
    pages.faults.unplug('microphone')
    await rest()
    pages.faults.remove('microphone')
    pages.theirs.calls.call('video')
    await rest()
    pages.mine.calls.accept({ Video: false })
    await rest()
    expect([pages.mine.state.problem, pages.mine.state.media.Video?.rx]).toEqual([null, true])
  })

  it('SND-312 ENG-16 a microphone that the system has taken is told until it is back, and asked for again inside a click', async () => {
    const { fake, session } = ((): { fake: FakeContact; session: ContactSession } => {
      const media = { ...CHAT, Voice: { tx: true, rx: true, ...BY } }
      const contact = new FakeContact('visitor', { state: 'joined', mediaState: media })
      return { fake: contact, session: new ContactSession(contact.contact) }
    })()
    Object.assign(fake.engine, {
      resumeCapture: (medium: string) => {
        fake.calls.push(['resumeCapture', medium])
        return Promise.reject(Object.assign(new Error('busy'), { code: 'media_in_use' }))
      },
    })
    fake.emit('interruption', { engine: 'WebRTC', medium: 'Voice', on: true })
    expect([session.state.interrupted, session.calls.canResume('Voice')]).toEqual([['Voice'], true])
    session.calls.resumeCapture('Voice')
    await settled()
    expect([fake.calls.at(-1), session.state.problem?.code]).toEqual([
      ['resumeCapture', 'Voice'],
      'media_in_use',
    ])
    fake.emit('interruption', { engine: 'WebRTC', medium: 'Voice', on: false })
    expect(session.state.interrupted).toEqual([])
  })

  it.each([
    ['media_in_use', 'media_in_use'],
    [undefined, 'rejected'],
  ] as const)('SND-312 what of a call did not come back is told, with the code %s', (code, told) => {
    const fake = new FakeContact('visitor', { state: 'joined' })
    const session = new ContactSession(fake.contact)
    const restored = { media: CHAT, missing: { Voice: { tx: true, rx: false } }, muted: [], held: false }
    fake.emit('restored', { ...restored, ...(code && { code }) })
    expect(session.state.problem).toEqual({ code: told, what: 'restore' })
    session.dismissProblem()
    fake.emit('restored', { ...restored, missing: {} })
    expect(session.state.problem).toBe(null)
  })
})
