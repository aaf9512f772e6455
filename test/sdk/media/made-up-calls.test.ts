/** Logs in which a service has made up a call: what a page does to bring it back. */
import { describe, expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { FakeDevices, FakeEngine, settled } from '../../../testing/index.ts'
import type { Pair } from '../../support/contacts.ts'
import { CALL, OFF, VOICE, answering, joined, openTab, record, reload } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const BOTH = { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } as const

/** A contact in which nothing but Chat runs, the devices of its pages, and a service that makes up entries. */
async function chatting() {
  const devices = new FakeDevices()
  const world = new World({
    engines: () => [new NativeEngine(), new FakeEngine({ id: 'WebRTC', media: ['Voice'], devices })],
  })
  const pair = await joined({}, ({ agent }) => answering(agent), world)
  const { shared } = world.contact.state
  const sessions = { visitor: String(shared.session.visitor), agent: String(shared.session.agent) }
  const counters = { visitor: 500, agent: 500 }
  const make = (slot: 'agent' | 'visitor', type: string, body: object): number => {
    const { entries } = world.contact
    const own = entries.filter((each) => 'session' in each && each.session === sessions[slot])
    counters[slot] = Math.max(...own.map((each) => ('counter' in each ? each.counter : 0))) + 1
    const draft = {
      id: `made-up-${entries.length}`,
      session: sessions[slot],
      counter: counters[slot],
      type,
      body,
    }
    const [stored] = world.contact.append(slot, sessions[slot], [draft])
    if (!stored || 'error' in stored) throw new Error(JSON.stringify(stored))
    return stored.seq
  }
  const makeCall = (): void => {
    const ref = make('agent', 'offer', {
      offer: { Chat: { ...BOTH, engine: 'Native' }, Voice: BOTH },
      restore: false,
    })
    make('visitor', 'answer', { ref, answer: { Chat: { ...CALL, engine: 'Native' }, Voice: CALL } })
    for (const slot of ['visitor', 'agent'] as const) make(slot, 'ready', { ref })
    expect(world.contact.state.shared.media.Voice).toMatchObject(CALL)
  }
  return { world, pair, devices, make, makeCall }
}

describe('a call that a service has made up', () => {
  it('SND-346 does not come back on the next page of the tab: no device starts, and what is missing is told', async () => {
    const { pair, devices, makeCall } = await chatting()
    await pair.pages.visitor.client.close()
    makeCall()
    const { contact } = await pair.world.visitor({ tab: pair.tab }).client.resumeContact()
    if (!contact) throw new Error('there is no contact')
    const told = record(contact, 'restored')
    await settled()
    await pair.clock.advance(5_000)
    expect(devices.captures.filter(({ isLive }) => isLive).length).toBeLessThanOrEqual(1)
    expect(contact.data().mediaState.Voice?.tx ?? false).toBe(false)
    expect(told).toMatchObject([['restored', { missing: { Voice: { tx: true } } }]])
  })

  it('SND-346 nor in another tab that takes the slot, nor after the user has hung up', async () => {
    const { pair, makeCall } = await chatting()
    await pair.visitor.offerMedia(VOICE)
    await settled()
    await pair.visitor.mergeAndTransitMedia({ Voice: OFF })
    await settled()
    await pair.pages.visitor.client.close()
    makeCall()
    const { contact } = await openTab(pair, memoryStore())
    await pair.clock.advance(90_000)
    expect(contact.data().mediaState.Voice?.tx ?? false).toBe(false)
  })

  it('SND-346 is not taken for what runs: an offer that brings it back is asked about', async () => {
    const { pair, makeCall, make } = await chatting()
    const offers: unknown[] = []
    pair.visitor.on('mediaoffer', ({ offer }) => void offers.push(offer))
    makeCall()
    make('agent', 'offer', { offer: { Chat: { ...BOTH, engine: 'Native' }, Voice: BOTH }, restore: true })
    pair.link.cut('visitor')
    await pair.clock.advance(5_000)
    const answers = pair.world.contact.entries.filter(
      ({ type, id }) => type === 'answer' && !id.startsWith('made-up'),
    )
    expect([offers.length, answers.length]).toEqual([1, 0])
  })
})

describe('a call that its user has agreed to', () => {
  const called = async (): Promise<Pair> => {
    const { pair } = await chatting()
    await pair.visitor.offerMedia(VOICE)
    await settled()
    return pair
  }

  it('SND-346 comes back over two quick page loads', async () => {
    const pair = await called()
    const first = pair.world.visitor({ tab: pair.tab })
    await pair.pages.visitor.client.close()
    first.client.resumeContact().catch(() => {})
    await Promise.resolve()
    await first.client.close()
    const { contact } = await reload(pair)
    await settled()
    expect(contact.data().mediaState.Voice).toEqual(CALL)
  })

  it('SND-346 comes back in another browser where the user moves it there; where the page was lost it sends nothing', async () => {
    for (const isMoved of [true, false]) {
      const pair = await called()
      const page = pair.world.agent()
      const [other] = await page.client.contacts()
      if (!other) throw new Error('there is no contact')
      const told = record(other, 'restored')
      await other.join()
      await settled()
      if (isMoved) await other.takeOver()
      else await pair.pages.agent.client.close()
      await pair.clock.advance(5_000)
      expect([other.data().mediaState.Voice, told]).toMatchObject([
        { tx: isMoved, rx: true },
        [['restored', { missing: isMoved ? {} : { Voice: { tx: true, rx: false } } }]],
      ])
      await pair.visitor.leave()
    }
  })
})
