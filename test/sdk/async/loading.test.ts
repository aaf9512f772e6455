import { afterEach, describe, expect, it, vi } from 'vitest'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { later } from '../../../sdk/contact/lazy-modules.ts'
import { LazyModule } from '../../../sdk/async/lazy-module.ts'
import { MemoryService, TestClock, settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { joined, watch } from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

/** A network that swallows what it is asked for: the code never comes, and never fails. */
const never = (): Promise<never> => new Promise(() => {})

/**
 * The modules are not mocked: a second import of one whose mock has not settled is taken for a circular one,
 * and gets the module itself.
 */
const swallow = (...names: readonly (keyof typeof later)[]): void => {
  for (const name of names) vi.spyOn(later, name).mockImplementation(never)
}

const OPERATIONS: Readonly<Record<string, (pair: Pair) => Promise<unknown>>> = {
  request: ({ visitor }) => visitor.request('Ask'),
  'request with a time-out': ({ visitor }) => visitor.request('Ask', null, 60_000),
  readTranscript: ({ visitor }) => visitor.readTranscript(),
  transcript: ({ visitor }) => visitor.transcript()[Symbol.asyncIterator]().next(),
  attach: ({ visitor }) => visitor.attach(new File(['x'], 'x.txt')),
  attachmentUrl: ({ visitor }) => visitor.attachmentUrl('file'),
  openAttachment: ({ visitor }) => visitor.openAttachment('file'),
  getDataChannel: ({ visitor }) => visitor.getDataChannel('pointer'),
}

afterEach(() => vi.restoreAllMocks())

describe('what waits for code that never comes', () => {
  it.each(Object.entries(OPERATIONS))('SND-303 %s ends with the contact', async (_name, begin) => {
    swallow('attach', 'channels', 'rpc', 'transcript')
    const pair = await joined()
    const waiting = watch(begin(pair))
    await settled()
    expect(waiting.result).toBe('pending')
    await pair.visitor.leave()
    await settled()
    expect(waiting.result).toEqual({ code: 'left' })
  })

  it.each(Object.entries(OPERATIONS))('SND-303 %s ends with offline after 30 s', async (_name, begin) => {
    swallow('attach', 'channels', 'rpc', 'transcript')
    const pair = await joined()
    const [before, waiting] = [pair.clock.pending, watch(begin(pair))]
    await pair.clock.advance(29_999)
    expect(waiting.result).toBe('pending')
    await pair.clock.advance(1)
    expect([waiting.result, pair.clock.pending]).toEqual([{ code: 'offline' }, before])
  })

  it('SND-303 RPC-3 a request ends at its time-out, all tries together, and is not made when the code comes after it', async () => {
    const code = await later.rpc()
    let come: (loaded: typeof code) => void = () => {}
    vi.spyOn(later, 'rpc').mockReturnValueOnce(new Promise((resolve) => (come = resolve)))
    const { visitor, agent, clock } = await joined()
    let asked = 0
    agent.on('Ask', () => asked++)
    const [once, again] = [
      watch(visitor.request('Ask', null, 1_000)),
      watch(visitor.request('Ask', null, 1_000, 2)),
    ]
    await clock.advance(999)
    expect([once.result, again.result]).toEqual(['pending', 'pending'])
    await clock.advance(1)
    expect([once.result, again.result]).toEqual([{ code: 'timeout' }, 'pending'])
    await clock.advance(2_000)
    expect(again.result).toEqual({ code: 'timeout' })
    come(code)
    await clock.advance(1_000)
    expect(asked).toBe(0)
  })

  it('SND-303 RPC-3 the time-out of a request counts from the call where the code comes before it', async () => {
    const code = await later.rpc()
    let come: (loaded: typeof code) => void = () => {}
    vi.spyOn(later, 'rpc').mockReturnValueOnce(new Promise((resolve) => (come = resolve)))
    const { visitor, agent, clock } = await joined()
    agent.on('Ask', () => {})
    const request = watch(visitor.request('Ask', null, 1_000))
    await clock.advance(600)
    come(code)
    await clock.advance(399)
    expect(request.result).toBe('pending')
    await clock.advance(1)
    expect(request.result).toEqual({ code: 'timeout' })
  })

  it('SND-303 createContact and accept end with offline after 30 s where the code of the engines does not come', async () => {
    const [clock, visitor, desk] = [
      new TestClock(),
      { slot: 'visitor', id: 'visitor-1' } as const,
      { slot: 'agent', id: 'agent-1', nick: 'Ada' } as const,
    ]
    const [link, service] = [new MemoryService(clock), 'http://localhost']
    const sound = new VisitorClient({ service, transport: link.transport(visitor) }, testEnvironment(clock))
    const { id } = await sound.createContact()
    const engines = never
    const client = new VisitorClient(
      { service, transport: link.transport({ ...visitor, id: 'visitor-2' }) },
      { ...testEnvironment(clock), engines },
    )
    const agent = new AgentImpl(
      { service, token: 'memory', transport: link.transport(desk) },
      { ...testEnvironment(clock), engines },
    )
    const opening = [watch<unknown>(client.createContact()), watch<unknown>(agent.accept(id))]
    await clock.advance(29_999)
    expect(opening.map(({ result }) => result)).toEqual(['pending', 'pending'])
    await clock.advance(1)
    expect(opening.map(({ result }) => result)).toEqual([{ code: 'offline' }, { code: 'offline' }])
  })
})

describe('code that could not be loaded once', () => {
  it('SND-303 CHAN-3 keeps no data from the application that came meanwhile', async () => {
    const code = await later.channels()
    const { visitor, agent, clock } = await joined()
    vi.spyOn(later, 'channels')
      .mockResolvedValue(code)
      .mockResolvedValueOnce(code)
      .mockRejectedValueOnce(new Error('no network'))
    const told: unknown[] = []
    visitor.on('data', ({ data }) => void told.push(data))
    await agent.sendData('c', 1, undefined, 'sio')
    await settled()
    expect(told).toEqual([])
    await clock.advance(2_000)
    expect(told).toEqual([1])
  })
})

describe('a part that is loaded when it is needed', () => {
  const made = () => {
    const loads: ((part: string) => void)[] = []
    const [clock, warnings] = [new TestClock(), [] as string[]]
    const log = { debug: () => {}, warn: (message: string) => void warnings.push(message) }
    const part = new LazyModule<string>({
      load: () => new Promise((resolve) => loads.push(resolve)),
      operation: 'do it',
      clock,
      log,
    })
    return { clock, warnings, part, loads }
  }

  it('SND-303 is tried again after its limit, and code that comes late is used: by all the same', async () => {
    const { clock, part, loads } = made()
    const first = watch(part.get())
    await clock.advance(30_000)
    expect(first.result).toEqual({ code: 'offline' })
    const second = watch(part.get())
    loads[0]?.('late')
    await settled()
    loads[1]?.('later')
    await settled()
    expect([part.now, second.result, loads.length]).toEqual(['late', { value: 'late' }, 2])
  })

  it('SND-306 512 wait for it and run in order; what comes then is refused with too_large', async () => {
    const { part, loads } = made()
    const ran: number[] = []
    for (let index = 0; index < 512; index++) part.with(() => void ran.push(index))
    expect(() => part.with(() => void ran.push(512))).toThrow(
      expect.objectContaining({ code: 'too_large' }) as Error,
    )
    loads[0]?.('part')
    await settled()
    expect(ran).toEqual(Array.from({ length: 512 }, (_, index) => index))
    part.with(() => void ran.push(513))
    expect(ran.at(-1)).toBe(513)
  })
})

describe('code that cannot be loaded', () => {
  /** A part whose code is not there: how often it was asked for, and what ran. */
  function missing(isFleeting: boolean) {
    const clock = new TestClock()
    const seen = { loads: 0, runs: 0, works: false }
    const part = new LazyModule({
      ...{ clock, isFleeting, operation: 'test', log: { debug: () => {}, warn: () => {} } },
      load: () => {
        seen.loads++
        return seen.works ? Promise.resolve({}) : Promise.reject(new Error('404'))
      },
    })
    return { clock, seen, part }
  }

  it.each([true, false])(
    'SND-306 is not asked for with every frame of the remote, only after a while (fleeting: %s)',
    async (isFleeting) => {
      const { clock, seen, part } = missing(isFleeting)
      for (let frame = 0; frame < 20; frame++) {
        part.with(() => seen.runs++)
        await settled()
      }
      expect(seen.loads).toBe(1)
      seen.works = true
      await clock.advance(1_000)
      part.with(() => seen.runs++)
      await settled()
      expect([seen.loads, seen.runs]).toEqual([2, isFleeting ? 1 : 21])
    },
  )

  it('SND-303 SND-306 is asked for again for what waits, ever more seldom', async () => {
    const { clock, seen, part } = missing(false)
    part.with(() => seen.runs++)
    await settled()
    const times: number[] = []
    for (let second = 1; second <= 60; second++) {
      const before = seen.loads
      await clock.advance(1_000)
      if (seen.loads > before) times.push(second)
    }
    seen.works = true
    await clock.advance(30_000)
    expect([times, seen.runs, clock.pending]).toEqual([[2, 6, 14, 30, 60], 1, 0])
  })

  it('SND-303 is asked for again where something comes to wait right after it failed', async () => {
    const { clock, seen, part } = missing(false)
    await expect(part.get()).rejects.toMatchObject({ code: 'offline' })
    seen.works = true
    part.with(() => seen.runs++)
    await clock.advance(999)
    expect([seen.loads, seen.runs]).toEqual([1, 0])
    await clock.advance(1)
    expect([seen.loads, seen.runs]).toEqual([2, 1])
  })

  it('SND-306 is not asked for again where nothing waits', async () => {
    const { clock, seen, part } = missing(true)
    part.with(() => seen.runs++)
    await settled()
    const other = missing(false)
    other.part.with(() => other.seen.runs++)
    await settled()
    other.part.forgetWaiting()
    await clock.advance(60_000)
    await other.clock.advance(60_000)
    expect([seen.loads, other.seen.loads]).toEqual([1, 1])
  })

  it('SND-306 is asked for at once where the application needs it', async () => {
    const { seen, part } = missing(false)
    part.with(() => seen.runs++)
    await settled()
    seen.works = true
    await part.get()
    expect([seen.loads, seen.runs]).toEqual([2, 1])
  })
})
