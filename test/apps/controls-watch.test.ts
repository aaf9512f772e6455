import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { FakeEngine } from '../../testing/index.ts'
import { inCall, rest } from './calling-pages.ts'

const engineOf = (session: ContactSession): FakeEngine => {
  const engine = session.contact.getMediaEngine('WebRTC')
  if (engine instanceof FakeEngine) return engine
  throw new Error('no engine')
}
const shown = ({ state: { muted, isHeld } }: ContactSession): unknown => ({ ...muted, isHeld })

describe('what a site mutes with buttons of its own', () => {
  it('SND-312 is shown as muted or on hold, also on a page that comes later, and what the page mutes is told once', async () => {
    const { mine, visitor } = await inCall('video')
    const engine = engineOf(mine)
    engine.muteLocalAudio()
    engine.setControls({ muted: ['Voice'], held: true })
    await rest()
    expect(shown(mine)).toEqual({ audio: true, video: false, isHeld: true })
    const later = new ContactSession(visitor)
    await rest()
    expect(shown(later)).toEqual({ audio: true, video: false, isHeld: true })
    engine.setControls({ muted: ['Video'], held: false })
    await rest()
    expect([shown(mine), shown(later)]).toEqual([
      { audio: false, video: true, isHeld: false },
      { audio: false, video: true, isHeld: false },
    ])
    mine.calls.toggleMute('video')
    await rest()
    expect([shown(later), engine.controls()]).toEqual([
      { audio: false, video: false, isHeld: false },
      { muted: [], held: false },
    ])
  })

  it('SND-312 a page that is closed hears nothing of it any more', async () => {
    const { mine } = await inCall('voice')
    const engine = engineOf(mine)
    mine.close()
    mine.calls.askMedia()
    await rest()
    engine.muteLocalAudio()
    await rest()
    expect(mine.state.muted.audio).toBe(false)
  })
})
