import { describe, expect, it } from 'vitest'
import { createTestContact, settled } from '../../testing/index.ts'
import { LIMITS } from '../../protocol/index.ts'
import type { MediaOffer } from '../../sdk/index.ts'
import { answering, watch } from '../support/contacts.ts'

const both = { tx: 'required', rx: 'required' } as const
const VOICE: MediaOffer = { Chat: both, Voice: both }

/** Moves time until nothing is to be done any more. */
const LONG_MS = 60_000

describe('fault scripts', () => {
  it('PKG-12 drop the third message: it is sent again, once and in order', async () => {
    const { visitor, agent, faults, clock } = await createTestContact()
    const heard: string[] = []
    agent.on('text', ({ text }) => void heard.push(text))
    for (const answerOnly of [false, true]) {
      faults.dropMessage({ nth: 3, answerOnly })
      for (const text of ['1', '2', '3', '4']) {
        const sent = visitor.sendText(text)
        await settled()
        if (text === '3') expect(watch(sent).result).toBe('pending')
        await clock.advance(text === '3' ? LONG_MS : 0)
        await sent
      }
    }
    expect(heard).toEqual(['1', '2', '3', '4', '1', '2', '3', '4'])
  })

  it('PKG-12 the third message is the third text, link or action: of those that go in one call as well, and acknowledgements do not count', async () => {
    const { visitor, agent, faults, clock } = await createTestContact()
    const heard: string[] = []
    agent.on('text', ({ text }) => void heard.push(text))
    agent.on('action', ({ action_code }) => void heard.push(action_code))
    visitor.on('text', () => {})
    faults.dropMessage({ nth: 3 })
    for (const text of ['a', 'b', 'c']) await agent.sendText(text)
    await settled()
    await visitor.sendText('1')
    const sent = ['2', '3'].map((code) => visitor.sendAction(code))
    await settled()
    expect([heard.includes('3'), watch(sent[1] as Promise<string>).result]).toEqual([false, 'pending'])
    await clock.advance(LONG_MS)
    await Promise.all(sent)
    expect(heard).toEqual(['1', '2', '3'])
  })

  it('PKG-12 SRV-7 LOG-6 a call that does not fit in a frame ends the connection, as with the real service; the SDK makes none', async () => {
    const { visitor, agent, link } = await createTestContact()
    const [texts, states]: [string[], string[]] = [[], []]
    agent.on('text', ({ text }) => void texts.push(text.slice(0, 2)))
    visitor.on('connection', ({ state }) => void states.push(state))
    const numbers = Array.from({ length: 40 }, (_, index) => String(index).padStart(2, '0'))
    await Promise.all(numbers.map((number) => visitor.sendText(number + 'x'.repeat(8_000))))
    expect([texts, states]).toEqual([numbers, []])
    const down = new Promise<string>((resolve) => {
      const connection = link.transport({ slot: 'visitor', id: 'visitor-2' }).connect(({ type }) => {
        if (type === 'down') resolve(type)
        if (type === 'up')
          connection.call('contact.read', { contact: 'x'.repeat(LIMITS.frameBytes) }).catch(() => {})
      })
    })
    expect(await down).toBe('down')
  })

  it('PKG-12 deny the microphone: the offer fails, chat goes on, and the next question may be answered', async () => {
    const { visitor, agent, faults, devices } = await createTestContact()
    answering(agent)
    faults.deny('microphone')
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'media_denied' })
    faults.dismiss('microphone')
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'media_dismissed' })
    faults.remove('camera')
    await expect(visitor.offerMedia({ ...VOICE, Video: both })).rejects.toMatchObject({
      code: 'media_not_found',
    })
    expect([visitor.mediaState, devices.visitor.inUse]).toEqual(['idle', []])
    await visitor.offerMedia(VOICE)
    await settled()
    expect([devices.visitor.inUse, devices.agent.inUse]).toEqual([['Voice'], ['Voice']])
  })

  it('PKG-12 deny the microphone of the other side: remote_failed, and nobody transmits', async () => {
    const { visitor, agent, faults, devices } = await createTestContact()
    answering(agent)
    faults.deny('microphone', 'agent')
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'remote_failed' })
    expect([devices.visitor.inUse, devices.agent.inUse]).toEqual([[], []])
  })

  it('PKG-12 glare: the offer of the other side was first', async () => {
    const { visitor, agent, faults } = await createTestContact()
    const offers: MediaOffer[] = []
    visitor.on('mediaoffer', ({ offer, callback }) => {
      offers.push(offer)
      callback(null, { Chat: { tx: true, rx: true }, Voice: { tx: true, rx: true } })
    })
    await faults.glare()
    expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'offering'])
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'glare' })
    await settled()
    expect([offers.length, visitor.data().mediaState.Voice, visitor.mediaState]).toMatchObject([
      1,
      { tx: true, rx: true },
      'idle',
    ])
  })

  it('PKG-12 unplug the headset: what it transmitted is off on both sides', async () => {
    const { visitor, agent, faults } = await createTestContact()
    answering(agent)
    await visitor.offerMedia(VOICE)
    await settled()
    faults.unplug('microphone')
    await settled()
    expect([visitor.data().mediaState.Voice, agent.data().mediaState.Voice]).toMatchObject([
      { tx: false, rx: true },
      { tx: true, rx: false },
    ])
  })

  it('PKG-12 disconnect: what is written waits, and comes when the connection is back', async () => {
    const { visitor, agent, faults, clock } = await createTestContact()
    const states: string[] = []
    const heard: string[] = []
    visitor.on('connection', ({ state }) => void states.push(state))
    agent.on('text', ({ text }) => void heard.push(text))
    faults.disconnect()
    const sent = visitor.sendText('later')
    await clock.advance(LONG_MS)
    expect([watch(sent).result, heard, states.at(-1)]).toEqual(['pending', [], 'offline'])
    faults.reconnect()
    await clock.advance(LONG_MS)
    await sent
    expect([heard, states.at(-1)]).toEqual([['later'], 'online'])
  })

  it('PKG-12 what goes wrong is that of the page that is loaded now', async () => {
    const { reload, agent, faults } = await createTestContact()
    const visitor = await reload('visitor')
    answering(visitor)
    await faults.glare('agent')
    await expect(agent.offerMedia(VOICE)).rejects.toMatchObject({ code: 'glare' })
    expect(visitor.mediaState).not.toBe('init')
  })
})
