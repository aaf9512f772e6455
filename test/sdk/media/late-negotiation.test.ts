import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { here, later } from '../../../sdk/contact/lazy-modules.ts'
import { FakeEngine, createTestContact, settled } from '../../../testing/index.ts'
import {
  CALL,
  OFF,
  START,
  VOICE,
  answering,
  inCall,
  joined,
  openTab,
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import { problemsOf, ways } from '../../support/walks.ts'

const loaded = await later.negotiation()
type Code = typeof loaded

/** How the code comes: nothing has loaded it before. */
let comes: () => Promise<Code>
let asks = 0

beforeEach(() => {
  asks = 0
  comes = () => Promise.resolve(loaded)
  Object.defineProperty(here, 'negotiation', { configurable: true, get: () => null, set: () => {} })
  vi.spyOn(later, 'negotiation').mockImplementation(() => {
    asks++
    return comes()
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  Object.defineProperty(here, 'negotiation', { configurable: true, writable: true, value: loaded })
})

/** Code that comes, or fails, when the test says so. */
function held(): { come: () => Promise<void>; fail: () => Promise<void> } {
  const asked: { readonly resolve: (code: Code) => void; readonly reject: (error: Error) => void }[] = []
  comes = () => new Promise((resolve, reject) => asked.push({ resolve, reject }))
  return {
    come: async () => {
      comes = () => Promise.resolve(loaded)
      for (const { resolve } of asked.splice(0)) resolve(loaded)
      await settled()
    },
    fail: async () => {
      for (const { reject } of asked.splice(0)) reject(new Error('no network'))
      await settled()
    },
  }
}

describe('a contact in which nothing is negotiated', () => {
  it('PKG-2 PKG-15 loads no code for it, through texts, a cut line, a transfer and its end', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'text', 'error')
    const states: string[] = []
    pair.visitor.on('mediastate', ({ state }) => void states.push(state))
    await pair.agent.sendText('Good morning')
    pair.link.cut('visitor')
    await pair.clock.advance(5_000)
    await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const next = await pair.world.agent({ id: 'agent-2', nick: 'Bea' }).client.accept(pair.visitor.id)
    await next.join()
    await next.sendText('Good afternoon')
    await settled()
    expect([pair.visitor.mediaState, next.mediaState]).toEqual(['idle', 'idle'])
    expect(await pair.visitor.getMedia()).toEqual(START)
    await pair.visitor.leave()
    await settled()
    expect(told.map(([name]) => name)).toEqual(['text', 'text'])
    expect(states).toEqual(['init', 'idle', 'init'])
    expect([asks, pair.visitor.mediaState, await pair.visitor.getMedia()]).toEqual([
      0,
      'init',
      { Sharing: OFF },
    ])
  })

  it('RES-1 a session that was declared absent is back by itself', async () => {
    const { visitor, agent, link, clock } = await joined()
    link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    link.cut('visitor')
    await clock.advance(61_000)
    link.faults = {}
    await clock.advance(30_000)
    expect([visitor.mediaState, agent.mediaState, asks]).toEqual(['idle', 'idle', 1])
    const text = record(visitor, 'text')
    await agent.sendText('There you are')
    await settled()
    expect(text).toHaveLength(1)
  })
})

describe('an own operation before the code is there', () => {
  it('SND-303 MED-1 waits for it, with the arguments as they were given', async () => {
    const { visitor, agent } = await joined()
    const { come } = held()
    answering(agent)
    const offer = { ...VOICE }
    const offering = watch(visitor.offerMedia(offer))
    delete (offer as { Voice?: unknown }).Voice
    await settled()
    expect([offering.result, asks]).toEqual(['pending', 1])
    await come()
    expect(offering.result).toMatchObject({ value: { Voice: CALL } })
    expect(visitor.data().mediaState.Voice).toEqual(CALL)
  })

  it('MED-1 MED-36 shows at once where it leads, and says so once', async () => {
    const { visitor, agent } = await joined()
    const { come, fail } = held()
    answering(agent)
    const states = record(visitor, 'mediastate')
    const failing = watch(visitor.offerMedia(VOICE))
    expect(visitor.mediaState).toBe('offering')
    await fail()
    expect([failing.result, visitor.mediaState]).toEqual([{ code: 'offline' }, 'idle'])
    const offering = watch(visitor.offerMedia(VOICE))
    expect(visitor.mediaState).toBe('offering')
    await come()
    expect([offering.result, visitor.mediaState]).toMatchObject([{ value: { Voice: CALL } }, 'idle'])
    expect(states).toEqual(
      ['offering', 'idle', 'offering', 'transiting', 'idle'].map((state) => ['mediastate', { state }]),
    )
  })

  it('SND-303 fails with offline where it does not come for 30 s; the next one asks again', async () => {
    const { visitor, agent, clock } = await joined()
    const errors = record(visitor, 'error')
    held()
    answering(agent)
    const first = watch(visitor.offerMedia(VOICE))
    await clock.advance(29_999)
    expect(first.result).toBe('pending')
    await clock.advance(1)
    expect(first.result).toEqual({ code: 'offline' })
    comes = () => Promise.resolve(loaded)
    expect(await visitor.offerMedia(VOICE)).toMatchObject({ Voice: CALL })
    expect([asks, errors]).toEqual([3, []])
  })

  it('SND-303 ERR-1 every operation that needs it has offline where it does not come', async () => {
    const { visitor, clock } = await joined()
    held()
    const media = await visitor.getMedia()
    const operations = [
      visitor.registerMediaEngine(new FakeEngine({ id: 'Late', media: ['Smell'] })),
      visitor.acceptOffer(VOICE),
      visitor.rejectOffer(VOICE),
      visitor.transitMedia(media, { ...media, Voice: OFF }),
      visitor.mergeAndTransitMedia({ Voice: OFF }),
      visitor.mergeMedia({ Voice: OFF }),
    ].map((operation) => watch<unknown>(operation))
    await clock.advance(30_000)
    expect(operations.map(({ result }) => result)).toEqual(operations.map(() => ({ code: 'offline' })))
  })

  it('SND-303 ERR-1 a call is not taken over where the code for it does not come', async () => {
    const pair = await inCall()
    held()
    const { contact } = await openTab(pair)
    const taking = watch(contact.takeOver())
    await pair.clock.advance(30_000)
    expect(taking.result).toEqual({ code: 'offline' })
  })

  it('SND-303 LIFE-19 ends with left when the contact is left meanwhile', async () => {
    const { visitor } = await joined()
    held()
    const offering = watch(visitor.offerMedia(VOICE))
    await visitor.leave()
    await settled()
    expect([offering.result, visitor.mediaState]).toEqual([{ code: 'left' }, 'init'])
  })

  it('MED-1 two offers at once are one, and the other finds the media not idle; withdrawing takes the first back', async () => {
    const { visitor } = await joined()
    const { come } = held()
    const [first, second] = [watch(visitor.offerMedia(VOICE)), watch(visitor.offerMedia(VOICE))]
    visitor.withdrawOffer()
    await come()
    expect([first.result, second.result]).toEqual([{ code: 'withdrawn' }, { code: 'invalid_state' }])
  })
})

describe('an offer of the remote before the code is there', () => {
  /** The agent has the code at once, the visitor when the test says so. */
  const offered = async () => {
    const pair = await joined()
    const code = held()
    vi.mocked(later.negotiation).mockImplementationOnce(() => Promise.resolve(loaded))
    const told: string[] = []
    pair.visitor.on('text', ({ text }) => void told.push(text))
    pair.visitor.on('mediastate', ({ state }) => void told.push(state))
    pair.visitor.on('mediaoffer', () => void told.push('mediaoffer'))
    pair.visitor.on('error', (error) => void told.push(error.code))
    await pair.agent.sendText('one')
    const offering = watch(pair.agent.offerMedia(VOICE))
    await settled()
    await pair.agent.sendText('two')
    await settled()
    return { ...pair, ...code, told, offering }
  }

  it('LOG-4 MED-3 its event keeps its place among those that follow', async () => {
    const { told, come, visitor, offering, clock } = await offered()
    expect(told).toEqual(['one'])
    await come()
    expect(told).toEqual(['one', 'mediaoffer', 'offered', 'two'])
    await visitor.leave()
    await clock.advance(0)
    expect(offering.result).toEqual({ code: 'peer_left' })
  })

  it('SND-303 where the code fails that is told, the rest goes on, and the next entry asks again: no entry is lost', async () => {
    const { told, fail, visitor, agent, offering, clock } = await offered()
    await fail()
    expect(told).toEqual(['one', 'two', 'offline'])
    await clock.advance(1_000)
    comes = () => Promise.resolve(loaded)
    answering(visitor)
    await agent.sendText('three')
    await settled()
    expect(told).toEqual(['one', 'two', 'offline', 'three', 'mediaoffer', 'offered', 'transiting', 'idle'])
    expect(offering.result).toMatchObject({ value: { Voice: CALL } })
  })

  it('SND-303 where it never comes the rest goes on after 30 s', async () => {
    const { told, clock } = await offered()
    await clock.advance(29_999)
    expect(told).toEqual(['one'])
    await clock.advance(1)
    expect(told).toEqual(['one', 'two', 'offline'])
  })

  it('LIFE-19 where the contact ends meanwhile all that was to be told before is told', async () => {
    const { told, visitor, agent } = await offered()
    const cleared = record(agent, 'left')
    await visitor.leave()
    await settled()
    expect([told, cleared.length]).toEqual([['one', 'two', 'init'], 1])
  })
})

describe('a page whose code is late', () => {
  it('RES-2 brings back the call of the page before it, and has its present in the log before that', async () => {
    const { visitor, agent, reload, link } = await createTestContact()
    answering(agent)
    await visitor.offerMedia(VOICE)
    await settled()
    const { come } = held()
    const back = await reload('visitor')
    const entries = (): readonly string[] =>
      [...link.contacts.values()][0]?.entries.map(({ type }) => type) ?? []
    const presents = entries().filter((type) => type === 'present').length
    expect([presents, back.data().mediaState.Voice, back.mediaState]).toEqual([3, undefined, 'init'])
    const restored = record(back, 'restored')
    await come()
    expect([back.data().mediaState.Voice, restored.length]).toEqual([CALL, 1])
  })

  it('RES-6 follows another tab that holds the slot, and takes it over when the user wants', async () => {
    const pair = await joined()
    const { come } = held()
    const second = await openTab(pair)
    expect([second.contact.mediaState, pair.visitor.mediaState]).toEqual(['init', 'idle'])
    const taking = watch(second.contact.takeOver())
    await come()
    expect([taking.result, second.contact.mediaState]).toEqual([{ value: undefined }, 'idle'])
    expect(pair.visitor.mediaState).toBe('init')
  })

  it('SND-16 makes the first offer of the contact', async () => {
    const { come } = held()
    const { visitor } = await joined({ initialOffer: { Voice: required } }, ({ agent }) => answering(agent))
    expect(visitor.data().mediaState.Voice).toBeUndefined()
    await come()
    expect(visitor.data().mediaState.Voice).toEqual(CALL)
  })

  const RUNS = 40
  it(`NEG-1 NEG-2 NEG-3 NEG-4 LIFE-20 ${RUNS} random walks end as with code that is there`, async () => {
    comes = () => new Promise((resolve) => setTimeout(() => resolve(loaded)))
    const property = fc.asyncProperty(ways, async (way) => {
      expect(await problemsOf(way)).toEqual([])
    })
    await fc.assert(property, { numRuns: RUNS, seed: 12 })
  }, 120_000)
})
