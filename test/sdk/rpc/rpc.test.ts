import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { RequestCallback, RequestHandler } from '../../../sdk/index.ts'
import '../../../sdk/rpc/rpc.ts'
import { settled } from '../../../testing/index.ts'
import { endCleanly, joined, leaveBoth, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A procedure that ends when the test says so. */
function slow(): { readonly handler: RequestHandler; readonly calls: RequestCallback[] } {
  const calls: RequestCallback[] = []
  return { calls, handler: (_data, callback) => void calls.push(callback) }
}

afterEach(() => vi.unstubAllGlobals())

describe('request', () => {
  it('RPC-1 runs the handler of the other side with the data, and resolves to its result, both ways', async () => {
    const pair = await joined()
    pair.agent.on('AddUp', (data, callback) =>
      callback(null, { sum: (data as number[]).reduce((a, b) => a + b), by: 'agent' }),
    )
    pair.visitor.on('GetTitle', (data, callback) => callback(null, data === undefined ? 'no data' : 'data'))
    await expect(pair.visitor.request('AddUp', [1, 2, 3])).resolves.toEqual({ sum: 6, by: 'agent' })
    await expect(pair.agent.request('GetTitle')).resolves.toBe('no data')
    await endCleanly(pair)
  })

  it('RPC-1 a result may be left out, be null or be false', async () => {
    const { visitor, agent } = await joined()
    for (const result of [undefined, null, false, 0, '']) {
      agent.off('Echo')
      agent.on('Echo', (_data, callback) => callback(null, result))
      expect(await visitor.request('Echo')).toBe(result)
    }
  })

  it('RPC-1 ERR-3 ERR-4 calls back, and the Promise then never rejects', async () => {
    const { visitor, agent } = await joined()
    agent.on('Echo', (data, callback) => callback(null, data))
    const results: unknown[] = []
    await visitor.request('Echo', 1, null, null, (error, result) => void results.push([error, result]))
    await visitor.request(
      'Nothing',
      1,
      500,
      0,
      (error) => void results.push((error as { code?: string }).code),
    )
    expect(results).toEqual([[null, 1], 'not_supported'])
  })

  it('RPC-6 what an async handler rejects with is the failure of the request, and its page is told as of any uncaught error', async () => {
    const reported = vi.fn<(thrown: unknown) => void>()
    vi.stubGlobal('reportError', reported)
    const { visitor, agent } = await joined()
    const failure = new RangeError('no such product')
    const find: RequestHandler = async () => {
      await settled()
      throw failure
    }
    agent.on('Find', find)
    await expect(visitor.request('Find')).rejects.toMatchObject({
      name: 'RangeError',
      message: 'no such product',
    })
    expect(reported.mock.calls).toEqual([[failure]])
  })

  it('RPC-2 gives not_supported where nobody has registered a handler, or not any more', async () => {
    const { visitor, agent } = await joined()
    const { handler } = slow()
    const answer: RequestHandler = (_data, callback) => callback(null, true)
    agent.on('Hold', handler)
    agent.off('Hold', handler)
    agent.once('Once', answer)
    await expect(visitor.request('Hold')).rejects.toMatchObject({
      name: 'ContactError',
      code: 'not_supported',
      retryable: false,
    })
    await expect(visitor.request('Once')).resolves.toBe(true)
    await expect(visitor.request('Once')).rejects.toMatchObject({ code: 'not_supported' })
  })

  it('RPC-3 gives timeout when no answer came in any attempt, and drops a later one', async () => {
    const pair = await joined()
    const { handler, calls } = slow()
    pair.agent.on('Slow', handler)
    const asked = watch(pair.visitor.request('Slow', null, 1_000, 2))
    await pair.clock.advance(2_999)
    expect(asked.result).toBe('pending')
    await pair.clock.advance(1)
    expect(asked.result).toEqual({ code: 'timeout' })
    calls[0]?.(null, 'too late')
    await settled()
    expect([calls.length, asked.result]).toEqual([1, { code: 'timeout' }])
    await endCleanly(pair)
  })

  it('RPC-4 RPC-5 waits without a limit, also over a cut, and the procedure runs once', async () => {
    const { visitor, agent, clock, link } = await joined()
    const { handler, calls } = slow()
    agent.on('Slow', handler)
    const asked = watch(visitor.request('Slow'))
    await settled()
    link.cut('visitor')
    link.cut('agent')
    await clock.advance(20_000)
    expect(asked.result).toBe('pending')
    calls[0]?.(null, 'done')
    await settled()
    expect([calls.length, asked.result]).toEqual([1, { value: 'done' }])
  })

  it.each(['visitor', 'agent'] as const)(
    'RPC-4 LIFE-19 the %s who leaves settles what waits with left',
    async (slot) => {
      const pair = await joined()
      const [asking, other] = slot === 'visitor' ? [pair.visitor, pair.agent] : [pair.agent, pair.visitor]
      other.on('Slow', slow().handler)
      const waiting = [watch(asking.request('Slow')), watch(asking.request('Slow', null, 50_000, 3))]
      await settled()
      await asking.leave()
      expect(waiting.map(({ result }) => result)).toEqual([{ code: 'left' }, { code: 'left' }])
      await expect(asking.request('Slow')).rejects.toMatchObject({ code: 'left' })
      await leaveBoth(pair)
      expect(pair.clock.pending).toBe(0)
    },
  )

  it('RPC-4 gives peer_left when the other side leaves or stays away, and where nobody is there', async () => {
    const { visitor, agent } = await joined()
    visitor.on('Slow', slow().handler)
    const waiting = watch(agent.request('Slow'))
    await settled()
    await visitor.leave()
    await settled()
    expect(waiting.result).toEqual({ code: 'peer_left' })
    await expect(agent.request('Slow')).rejects.toMatchObject({ code: 'peer_left' })
    const cut = await joined()
    cut.agent.on('Slow', slow().handler)
    const lost = watch(cut.visitor.request('Slow'))
    await settled()
    cut.link.faults = { onConnect: ({ slot }) => (slot === 'agent' ? 'drop' : 'pass') }
    cut.link.cut('agent')
    await cut.clock.advance(61_000)
    expect(lost.result).toEqual({ code: 'peer_left' })
  })

  it('RPC-4 LIFE-22 gives not_joined to an agent who has not joined', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await expect(agent.request('Any')).rejects.toMatchObject({ code: 'not_joined' })
    await expect(visitor.request('Any')).rejects.toMatchObject({ code: 'peer_left' })
  })

  it('RPC-5 a retry does not run the procedure again, while it runs and after it has ended', async () => {
    const { visitor, agent, clock, link } = await joined()
    const { handler, calls } = slow()
    agent.on('Slow', handler)
    const asked = watch(visitor.request('Slow', null, 1_000, 9))
    await clock.advance(3_000)
    expect(calls.length).toBe(1)
    link.faults = {
      onMessage: ({ slot }, name) => (slot === 'agent' && name === 'relay.send' ? 'drop' : 'pass'),
    }
    calls[0]?.(null, 'done')
    await clock.advance(1_500)
    link.faults = {}
    await clock.advance(4_000)
    expect([calls.length, asked.result]).toEqual([1, { value: 'done' }])
  })

  it('RPC-5 a page that is loaded anew does not run what the page before may have run', async () => {
    const { world, visitor, agent, clock, link, pages, tab } = await joined()
    const { handler, calls } = slow()
    visitor.on('Slow', handler)
    link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'relay.send' ? 'drop' : 'pass'),
    }
    const asked = watch(agent.request('Slow', null, 30_000, 3))
    await settled()
    expect(calls.length).toBe(1)
    await pages.visitor.client.close()
    link.faults = {}
    const { contact } = await world.visitor({ tab }).client.resumeContact()
    contact?.on('Slow', handler)
    await clock.advance(10_000)
    expect([visitor.id === contact?.id, calls.length, asked.result]).toEqual([true, 1, { code: 'peer_left' }])
  })

  it('RPC-5 a tab that takes over does not run what the other tab may have run, and runs what it has not', async () => {
    const { world, visitor, agent, clock, link } = await joined()
    const { handler, calls } = slow()
    visitor.on('Slow', handler)
    link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'relay.send' ? 'drop' : 'pass'),
    }
    const first = watch(agent.request('Slow'))
    await settled()
    expect(calls.length).toBe(1)
    link.faults = {
      onMessage: ({ slot }, name) => (slot === 'visitor' && name === 'relay.frame' ? 'drop' : 'pass'),
      onConnect: () => 'pass',
    }
    const second = watch(agent.request('Fresh'))
    await settled()
    link.faults = {}
    const { contact } = await world.visitor({ tab: memoryStore() }).client.resumeContact()
    contact?.on('Slow', handler)
    contact?.on('Fresh', (_data, callback) => callback(null, 'run'))
    await clock.advance(20_000)
    expect([calls.length, first.result, second.result]).toEqual([1, { code: 'peer_left' }, { value: 'run' }])
  })

  it('RPC-5 what a page has run is remembered apart for each contact, and erased with it', async () => {
    const pair = await joined()
    pair.visitor.on('Any', (_data, callback) => callback(null, 1))
    await pair.agent.request('Any')
    expect(pair.world.store.getItem(`duolog:http://localhost:${pair.visitor.id}:requests`)).not.toBeNull()
    await leaveBoth(pair)
    expect(pair.world.store.getItem(`duolog:http://localhost:${pair.visitor.id}:requests`)).toBeNull()
  })
})
