import { describe, expect, it } from 'vitest'
import { levelOf, withScore, withSilence } from '../../apps/ui/src/call-quality.ts'
import type { CallQuality } from '../../apps/ui/src/call-quality.ts'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { FakeContact } from './fake-contact.ts'

const after = (...scores: readonly number[]): CallQuality =>
  scores.reduce<CallQuality | null>((quality, score) => withScore(quality, { score }), null) ?? {
    score: 1,
    silent: [],
    isGivenUp: false,
  }
const VOICE = { tx: true, rx: true, via: 'net', engine: 'WebRTC' }

describe('what is shown of the quality of a call', () => {
  it('UI-7 one bad second alarms nobody, several do', () => {
    expect(
      [
        after(4.4),
        after(4.4, 2.6),
        after(4.4, 2.6, 2.6, 2.6),
        after(4.4, 1, 1, 1, 4.4, 4.4, 4.4, 4.4, 4.4),
      ].map(levelOf),
    ).toEqual(['good', 'fair', 'fair', 'good'])
    expect(levelOf(after(4.4, 2, 2, 2, 2, 2))).toBe('poor')
  })

  it('UI-7 ENG-9 what does not arrive is said at once, whatever the score, until it does', () => {
    const silent = withSilence(after(4.4), { silent: ['Voice'], step: 'ice_restart' })
    expect([levelOf(silent), silent.isGivenUp]).toEqual(['silent', false])
    expect(withSilence(silent, { silent: ['Voice'], step: 'tell_user' }).isGivenUp).toBe(true)
    expect(levelOf(withSilence(silent, { silent: [], step: null }))).toBe('good')
  })

  it('UI-7 nothing is shown before and after a call', () => {
    const contact = new FakeContact('visitor', { state: 'joined' })
    const session = new ContactSession(contact.contact)
    const none = {
      added: { media: {}, engine: {} },
      removed: { media: {}, engine: {} },
      changed: { media: {}, engine: {} },
    }
    const qualities: unknown[] = []
    const tell = (): void => contact.emit('statistics', { engine: 'WebRTC', media: {}, score: 4.4 })
    const note = (): void => void qualities.push(session.state.quality && levelOf(session.state.quality))
    tell()
    note()
    contact.emit('mediachange', { newMedia: { ...contact.media, Voice: VOICE }, diff: none })
    tell()
    note()
    contact.emit('mediachange', { newMedia: contact.media, diff: none })
    note()
    expect(qualities).toEqual([null, 'good', null])
    session.close()
  })
})
