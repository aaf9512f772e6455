import { describe, expect, it } from 'vitest'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { settled } from '../../testing/test-clock.ts'
import { inCall, inUse, rest } from './calling-pages.ts'
import type { Pages } from './calling-pages.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const ended = ({ mine, theirs }: Pages): unknown[] =>
  [mine, theirs].map(({ state: { callSince, stopping, request, offer, problem } }) => [
    callSince ?? stopping ?? request ?? offer,
    problem?.code,
  ])
const ENDED = [
  [null, undefined],
  [null, undefined],
]
const WITHDRAWN = [
  [null, undefined],
  [null, 'withdrawn'],
]

async function back(pages: Pages): Promise<void> {
  pages.faults.reconnect('visitor')
  await pages.clock.advance(30_000)
  await rest()
}

describe('hanging up while the service is out of reach', () => {
  it('SND-312 gives the devices back at once, shows that the call ends, and ends it when the service is back', async () => {
    const pages = await inCall('video')
    pages.faults.disconnect('visitor')
    await rest()
    pages.mine.calls.hangUp()
    expect(pages.devices.visitor.inUse).toEqual([])
    await rest()
    pages.mine.calls.hangUp()
    await rest()
    expect([pages.mine.state.stopping?.isCall, pages.mine.state.problem]).toEqual([true, null])
    await pages.clock.advance(50_000)
    await back(pages)
    expect([...ended(pages), ...inUse(pages)]).toEqual([...ENDED, [], []])
    expect(pages.mine.state.transcript.items.at(-1)).toMatchObject({ notice: 'noticeCallOff' })
  })

  it('SND-312 a screen that is not shared any more is given back at once, and the call goes on', async () => {
    const pages = await inCall('voice', 'screen')
    pages.faults.disconnect('visitor')
    await rest()
    pages.mine.calls.stopScreen()
    expect(pages.devices.visitor.inUse).toEqual(['Voice'])
    await back(pages)
    expect([pages.theirs.state.media.Screen?.rx ?? false, ...inUse(pages)]).toEqual([
      false,
      ['Voice'],
      ['Voice'],
    ])
    expect([pages.mine.state.stopping, pages.mine.state.problem]).toEqual([null, null])
  })

  it('SND-312 an own question that stands is taken back, and one of the other side that comes meanwhile is rejected', async () => {
    const pages = await inCall('voice')
    pages.mine.calls.call('video')
    await rest()
    pages.faults.disconnect('visitor')
    await rest()
    pages.mine.calls.hangUp()
    expect(pages.devices.visitor.inUse).toEqual([])
    await back(pages)
    expect([...ended(pages), ...inUse(pages)]).toEqual([...WITHDRAWN, [], []])

    const other = await inCall('voice')
    other.faults.disconnect('visitor')
    await rest()
    other.theirs.calls.call('video')
    await rest()
    other.mine.calls.hangUp()
    await back(other)
    expect(other.mine.state).toMatchObject({ callSince: null, stopping: null, offer: null, problem: null })
    expect(inUse(other)).toEqual([[], []])
  })
})

describe('hanging up while an offer stands', () => {
  it('SND-312 an offer of the other side is rejected, and the call ends', async () => {
    const pages = await inCall('voice')
    pages.theirs.calls.call('video')
    await rest()
    expect(pages.mine.state.offer?.status).toBe('asking')
    pages.mine.calls.hangUp()
    expect(pages.devices.visitor.inUse).toEqual([])
    await rest()
    expect(pages.mine.state).toMatchObject({ callSince: null, stopping: null, offer: null, problem: null })
    expect([pages.theirs.state.problem?.code, ...inUse(pages)]).toEqual(['rejected', [], []])
  })

  it.each([false, true])(
    'SND-312 an own offer is taken back, and the call ends; the browser still asks: %s',
    async (asks) => {
      const pages = await inCall('voice')
      if (asks) pages.devices.visitor.hold()
      pages.mine.calls.call('video')
      await rest()
      pages.mine.calls.hangUp()
      expect(pages.devices.visitor.inUse).toEqual([])
      await rest()
      if (asks) pages.devices.visitor.answer()
      await rest()
      expect([...ended(pages), ...inUse(pages)]).toEqual([...(asks ? ENDED : WITHDRAWN), [], []])
    },
  )

  it('SND-312 an answer on its way is waited for, and what it turns on ends with the call', async () => {
    const pages = await inCall('voice')
    pages.theirs.calls.call('video')
    await rest()
    pages.mine.calls.accept({ Video: true })
    pages.mine.calls.hangUp()
    await rest()
    expect(pages.mine.state).toMatchObject({ callSince: null, stopping: null, offer: null })
    expect(inUse(pages)).toEqual([[], []])
  })

  it('SND-312 where the other side is faster, the call ends all the same', async () => {
    const pages = await inCall('voice')
    await pages.faults.glare('visitor', {
      Chat: { tx: 'required', rx: 'required' },
      Voice: { tx: 'required', rx: 'required' },
      Video: { tx: 'required', rx: 'optional' },
    })
    pages.mine.calls.hangUp()
    await rest()
    expect(pages.mine.state).toMatchObject({ callSince: null, stopping: null, offer: null, problem: null })
    expect(inUse(pages)).toEqual([[], []])
  })

  it('SND-312 a screen is given back at once, and the question of the other side stays', async () => {
    const pages = await inCall('voice', 'screen')
    pages.theirs.calls.call('video')
    await rest()
    pages.mine.calls.stopScreen()
    await rest()
    expect([pages.devices.visitor.inUse, pages.mine.state.offer?.status]).toEqual([['Voice'], 'asking'])
    pages.mine.calls.decline()
    await rest()
    expect([pages.theirs.state.media.Screen?.rx ?? false, pages.mine.state.stopping]).toEqual([false, null])
  })

  it('SND-312 video that its user ended does not end what they agree to then, and their camera stays off', async () => {
    const pages = await inCall('video')
    pages.theirs.calls.call('video')
    await rest()
    pages.mine.calls.hangUp(['Video'])
    expect(pages.devices.visitor.inUse).toEqual(['Voice'])
    pages.mine.calls.accept({ Video: true })
    await rest()
    expect([pages.mine.state.media.Video, pages.mine.state.stopping]).toMatchObject([
      { tx: false, rx: true },
      null,
    ])
    expect(pages.devices.visitor.inUse).toEqual(['Voice'])
  })
})

describe('what carries a call', () => {
  const talking = (engine: string) => {
    const Voice = { tx: true, rx: true, via: 'pstn', engine }
    const mediaState = { ...CHAT, Voice }
    const fake = new FakeContact('visitor', {
      state: 'joined',
      agent: { user: 'a1', nick: 'Ada' },
      mediaState,
    })
    fake.media = mediaState
    return { fake, session: new ContactSession(fake.contact) }
  }
  const METHODS = ['hold', 'resume', 'listDevices', 'chosenDevice', 'chooseDevice']
  const withDevices = ({ fake }: ReturnType<typeof talking>): void =>
    void Object.assign(
      fake.engine,
      Object.fromEntries(METHODS.map((name) => [name, () => Promise.resolve([])])),
    )

  it('SND-312 is what mutes and holds it: a call over the telephone is said to be neither', () => {
    const phone = talking('Native')
    withDevices(phone)
    const { calls, devices } = phone.session
    calls.toggleMute('audio')
    devices.toggleHold()
    expect([calls.canMute('audio'), devices.canHold, devices.canChoose]).toEqual([false, false, false])
    expect([phone.session.state.muted.audio, phone.session.state.isHeld]).toEqual([false, false])
    const net = talking('WebRTC')
    withDevices(net)
    expect([
      net.session.calls.canMute('audio'),
      net.session.devices.canHold,
      net.session.devices.canChoose,
    ]).toEqual([true, true, true])
  })

  it('SND-312 an engine that gives no device back is muted until the call is over', async () => {
    const { fake, session } = talking('WebRTC')
    await settled()
    fake.calls.length = 0
    session.calls.hangUp()
    await settled()
    expect(fake.calls.map(([name]) => name)).toEqual([
      'mergeAndTransitMedia',
      'muteLocalAudio',
      'unmuteLocalAudio',
    ])
    expect(session.state).toMatchObject({ muted: { audio: false }, stopping: null, callSince: null })
  })

  it('SND-312 SND-302 a hang-up that fails for another reason is told, and can be tried again', async () => {
    const pages = await inCall('voice')
    const code = 'remote_failed'
    Object.assign(pages.visitor, {
      mergeAndTransitMedia: () => Promise.reject(Object.assign(new Error(code), { code })),
    })
    pages.mine.calls.hangUp()
    await rest()
    expect([pages.mine.state.problem?.code, pages.mine.state.stopping]).toEqual([code, null])
    Reflect.deleteProperty(pages.visitor, 'mergeAndTransitMedia')
    pages.mine.calls.hangUp()
    await rest()
    expect(inUse(pages)).toEqual([[], []])
  })

  it('SND-312 a hang-up is forgotten when the call is in another tab', async () => {
    const { fake, session } = talking('WebRTC')
    fake.mediaState = 'transiting'
    session.calls.hangUp()
    expect(session.state.stopping?.isCall).toBe(true)
    fake.hold(false)
    fake.emit('left', { id: 'c1', vvcu: 'v1', channels: { total: 2, vvcu: 1, user: 1 } } as never)
    fake.hold(true)
    fake.emit('mediastate', { state: 'idle' })
    await settled()
    expect([fake.calls.filter(([name]) => name === 'mergeAndTransitMedia'), session.state.stopping]).toEqual([
      [],
      null,
    ])
    session.close()
  })
})
