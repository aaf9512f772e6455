import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { settled } from '../../testing/test-clock.ts'
import { FakeContact } from './fake-contact.ts'

const VOICE = { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } as const

async function offered(): Promise<{ fake: FakeContact; session: ContactSession }> {
  const fake = new FakeContact('visitor', { state: 'joined', agent: { user: 'a1', nick: 'Ada' } })
  const session = new ContactSession(fake.contact)
  fake.mediaState = 'offered'
  fake.emit('mediaoffer', { offer: { Voice: VOICE }, callback: () => {} })
  await settled()
  return { fake, session }
}

function become(fake: FakeContact, state: FakeContact['mediaState']): void {
  fake.mediaState = state
  fake.emit('mediastate', { state })
}

describe('an offer that is shown', () => {
  it('SND-312 stays while the page announces its engines anew, and goes at once when it is over', async () => {
    const { fake, session } = await offered()
    become(fake, 'init')
    expect(session.state.offer?.status).toBe('asking')
    become(fake, 'offered')
    expect(session.state.offer?.status).toBe('asking')
    become(fake, 'idle')
    expect([session.state.offer, session.state.problem?.code]).toEqual([null, 'withdrawn'])
    session.close()
  })

  it('SND-312 can be answered again where that has failed meanwhile', async () => {
    const { fake, session } = await offered()
    fake.failures.set('acceptOffer', Object.assign(new Error('over'), { code: 'invalid_state' }))
    session.calls.accept({})
    become(fake, 'init')
    await settled()
    expect([session.state.offer?.status, session.state.problem?.code]).toEqual(['asking', 'invalid_state'])
    session.close()
  })
})
