/** Code of the negotiation that comes when nothing waits for it any more, or fails to load. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { here, later } from '../../../sdk/contact/lazy-modules.ts'
import { initialContactState } from '../../../protocol/index.ts'
import { LateNegotiation } from '../../../sdk/media/late-negotiation.ts'
import type { LateNegotiationOptions } from '../../../sdk/media/late-negotiation.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import type { World } from '../../support/world.ts'
import {
  CALL,
  VOICE,
  answering,
  inCall,
  joined,
  queued,
  record,
  reload,
  required,
  watch,
} from '../../support/contacts.ts'

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

/** Code that comes when the test says so; what is asked for then comes at once. */
function held(): () => Promise<void> {
  let come = (_code: Code): void => {}
  comes = () => new Promise((resolve) => (come = resolve))
  return async () => {
    comes = () => Promise.resolve(loaded)
    come(loaded)
    await settled()
  }
}

const missing = (): Promise<never> => Promise.reject(new Error('404'))

/** Code that fails so many times, and comes then. */
function failing(times: number): void {
  let left = times
  comes = () => (left-- > 0 ? missing() : Promise.resolve(loaded))
}

/** The next agent of a contact that was transferred. */
async function nextAgent(world: World, contact: string) {
  const bea = await world.agent({ id: 'agent-2', nick: 'Bea' }).client.accept(contact)
  await bea.join()
  await settled()
  return bea
}

describe('code of the negotiation that comes when nothing needs it any more', () => {
  it('NEG-2 SND-303 after a transfer, while the next session is announced: both may offer there', async () => {
    const pair = await joined()
    const come = held()
    vi.mocked(later.negotiation).mockImplementationOnce(() => Promise.resolve(loaded))
    watch(pair.agent.offerMedia(VOICE))
    await settled()
    await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await come()
    const bea = await nextAgent(pair.world, pair.visitor.id)
    answering(pair.visitor)
    expect(pair.visitor.mediaState).toBe('idle')
    expect(await bea.offerMedia(VOICE)).toMatchObject({ Voice: CALL })
  })

  it('NEG-2 SND-303 after its limit: the agent who joins then is noticed', async () => {
    const { world, visitor } = await queued()
    const come = held()
    const first = watch(visitor.offerMedia(VOICE))
    await world.clock.advance(31_000)
    await come()
    const agent = await world.agent().client.accept(visitor.id)
    answering(agent)
    await agent.join()
    await settled()
    expect(first.result).toEqual({ code: 'offline' })
    expect(await visitor.offerMedia(VOICE)).toMatchObject({ Voice: CALL })
  })

  it('NEG-2 SND-303 after its limit: the contact goes on after a transfer', async () => {
    const pair = await joined()
    const come = held()
    watch(pair.visitor.offerMedia(VOICE))
    await pair.clock.advance(31_000)
    await come()
    await pair.pages.agent.client.transfer(pair.visitor.id, { toAgent: 'agent-2' })
    await settled()
    const bea = await nextAgent(pair.world, pair.visitor.id)
    answering(bea)
    expect(pair.visitor.mediaState).toBe('idle')
    expect(await pair.visitor.offerMedia(VOICE)).toMatchObject({ Voice: CALL })
  })
})

describe('code of the negotiation that cannot be had', () => {
  /** An offer came, and its code did not. */
  const offered = async () => {
    const pair = await joined()
    const told: string[] = []
    const acks: string[] = []
    pair.visitor.on('text', ({ text }) => void told.push(text))
    pair.agent.on('ack', ({ ref }) => void acks.push(ref))
    vi.mocked(later.negotiation).mockImplementationOnce(() => Promise.resolve(loaded))
    comes = missing
    watch(pair.agent.offerMedia(VOICE))
    await settled()
    return { ...pair, told, acks }
  }

  it('SND-303 LOG-4 keeps no message from the application, however quickly they come', async () => {
    const { agent, clock, told, acks } = await offered()
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) {
      await clock.advance(600)
      ids.push(await agent.sendText(text))
      await settled()
    }
    expect([told, acks]).toEqual([['one', 'two', 'three'], ids])
  })

  it('SND-303 keeps no message either where it neither comes nor fails from then on', async () => {
    const { agent, clock, told } = await offered()
    held()
    await clock.advance(2_000)
    await agent.sendText('one')
    await settled()
    expect(told).toEqual(['one'])
  })

  it('SND-306 is asked for again ever more seldom, and the application is told once', async () => {
    const { visitor, clock } = await offered()
    const errors = record(visitor, 'error')
    const first = asks
    const times: number[] = []
    for (let second = 1; second <= 120; second++) {
      const before = asks
      await clock.advance(1_000)
      if (asks > before) times.push(second)
    }
    expect([first, times, errors.length]).toEqual([1, [2, 6, 14, 30, 60, 90, 120], 0])
  })

  it('SND-306 is not asked for again where nothing waits for it', async () => {
    const { visitor, clock } = await joined()
    comes = missing
    watch(visitor.offerMedia(VOICE))
    await settled()
    await clock.advance(120_000)
    expect(asks).toBe(1)
  })

  it.each(['leave', 'close'] as const)('SND-306 is not asked for again after %s', async (how) => {
    const { visitor, pages, clock } = await offered()
    const before = asks
    await (how === 'leave' ? visitor.leave() : pages.visitor.client.close())
    await clock.advance(120_000)
    expect(asks).toBe(before)
  })

  it('SND-303 is asked for again where something comes to need it right after it failed', async () => {
    const pair = await joined()
    const told: string[] = []
    pair.visitor.on('text', ({ text }) => void told.push(text))
    pair.visitor.on('mediaoffer', () => void told.push('mediaoffer'))
    comes = missing
    watch(pair.visitor.offerMedia(VOICE))
    await settled()
    comes = () => Promise.resolve(loaded)
    watch(pair.agent.offerMedia(VOICE))
    await settled()
    await pair.agent.sendText('one')
    await pair.clock.advance(1_000)
    expect(told).toEqual(['mediaoffer', 'one'])
  })

  it('SND-303 an operation in the handler of its failure asks for it, and ends', async () => {
    const pair = await joined()
    vi.mocked(later.negotiation).mockImplementationOnce(() => Promise.resolve(loaded))
    comes = missing
    let own: ReturnType<typeof watch> | undefined
    pair.visitor.on('error', () => void (own = watch(pair.visitor.offerMedia(VOICE))))
    watch(pair.agent.offerMedia(VOICE))
    await settled()
    expect(own?.result).toEqual({ code: 'offline' })
  })

  it('SND-303 NEG-1 an offer after one that failed goes from where the log is then', async () => {
    const { world, visitor } = await queued()
    comes = missing
    const first = watch(visitor.offerMedia(VOICE))
    await settled()
    const agent = await world.agent().client.accept(visitor.id)
    answering(agent)
    comes = () => Promise.resolve(loaded)
    await agent.join()
    await settled()
    expect(first.result).toEqual({ code: 'offline' })
    expect(await visitor.offerMedia(VOICE)).toMatchObject({ Voice: CALL })
  })
})

describe.each([1, 3])('code of the negotiation that fails %i times', (times) => {
  it('SND-303 RES-2 costs no call that comes back over a page load', async () => {
    const pair = await inCall()
    failing(times)
    const { contact } = await reload(pair)
    await pair.clock.advance(14_000)
    expect(contact.data().mediaState.Voice).toEqual(CALL)
  })

  it('SND-303 SND-16 does not keep the first offer of the contact from being made', async () => {
    failing(times)
    const pair = await joined({ initialOffer: { Voice: required } }, ({ agent }) => answering(agent))
    await pair.clock.advance(14_000)
    expect(pair.visitor.data().mediaState.Voice).toEqual(CALL)
  })
})

describe('what waits for code of the negotiation that does not come', () => {
  const host = { delivery: { place: () => (run: () => void) => run(), batch: (run: () => void) => run() } }

  /** A negotiation whose code comes when the test says so, and the numbers of the entries that it is told. */
  function waiting() {
    const come = held()
    const told: number[] = []
    const shared = initialContactState('visitor', {}).shared
    const options = { ...host, clock: new TestClock(), log: { debug() {}, warn() {} }, shared: () => shared }
    const late = new LateNegotiation(
      { ...options, over: new AbortController().signal } as unknown as LateNegotiationOptions,
      () => ({}) as never,
      () => {},
    )
    late.need()
    const tell = (entry: number, isRepeated: boolean): void =>
      late.tellInPlace(() => void told.push(entry), isRepeated)
    return { late, told, tell, come }
  }

  it('SND-345 is bounded: of what later entries tell again the newest 1,000, and all else', async () => {
    const { told, tell, come } = waiting()
    tell(0, false)
    for (let entry = 1; entry <= 1_500; entry++) tell(entry, true)
    await come()
    expect([told.length, told[0], told[1], told.at(-1)]).toEqual([1_001, 0, 501, 1_500])
  })

  it('SND-345 messages do not wait for it, and push out nothing', async () => {
    const pair = await joined()
    const come = held()
    answering(pair.agent)
    const reads = vi.spyOn(loaded.Negotiation.prototype, 'read')
    const offer = watch(pair.agent.offerMedia(VOICE))
    await settled()
    answering(pair.visitor)
    for (let n = 0; n < 40; n++) await pair.agent.sendText('again')
    await settled()
    await come()
    expect(reads.mock.calls.filter(([{ entry }]) => entry.type === 'text')).toEqual([])
    expect(offer.result).toMatchObject({ value: { Voice: CALL } })
  })
})
