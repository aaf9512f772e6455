import { describe, expect, it, vi } from 'vitest'
import { isOwnEvent, parseRpc } from '../../../protocol/index.ts'
import type { ContactEventName } from '../../../protocol/index.ts'
import type { RequestCallback } from '../../../sdk/index.ts'
import '../../../sdk/rpc/rpc.ts'
import { settled } from '../../../testing/index.ts'
import { joined, watch } from '../../support/contacts.ts'

const OWN_NAMES = (
  [
    'joined',
    'cleared',
    'mediaoffer',
    'text',
    'data',
    'attachment',
    'datachannel',
    'close',
    'error',
    'capabilities',
    'localleft',
  ] as const
).filter(isOwnEvent)

const CYCLE: Record<string, unknown> = {}
CYCLE['self'] = CYCLE

describe('what a request may carry', () => {
  it.each<[string, unknown]>([
    ['a text', 'no such order'],
    ['an object', { code: 'own_code', details: [1, { deep: true }] }],
    ['a number', 404],
    ['a list', ['a', null]],
    ['true', true],
  ])('RPC-6 %s that is given as the failure arrives as it is', async (_what, error) => {
    const { visitor, agent } = await joined()
    agent.on('Fail', (_data, callback) => callback(error, 'ignored'))
    const failure = await visitor.request('Fail').catch((thrown: unknown) => ({ thrown }))
    expect(failure).toEqual({ thrown: error })
  })

  it('RPC-6 an Error keeps its name, message and members, and neither its stack nor its cause', async () => {
    const { visitor, agent } = await joined()
    const error = Object.assign(new RangeError('too far', { cause: new Error('secret') }), {
      code: 'too_far',
      limit: 7,
    })
    agent.on('Fail', (_data, callback) => callback(error))
    const failure = await visitor.request('Fail').catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).toMatchObject({ name: 'RangeError', message: 'too far', code: 'too_far', limit: 7 })
    expect([(failure as Error).cause, (failure as Error).stack?.includes('rpc.test')]).toEqual([
      undefined,
      false,
    ])
  })

  it('RPC-6 MSG-11 what a handler throws is its failure; only its first word counts', async () => {
    const { visitor, agent } = await joined()
    const reported = vi.fn<(error: unknown) => void>()
    vi.stubGlobal('reportError', reported)
    agent.on('Throw', () => {
      throw new TypeError('not a number')
    })
    agent.on('Twice', (_data, callback) => {
      callback(null, 'first')
      callback('second')
    })
    await expect(visitor.request('Throw')).rejects.toMatchObject({
      name: 'TypeError',
      message: 'not a number',
    })
    await expect(visitor.request('Twice')).resolves.toBe('first')
    expect(reported).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
  })

  it('RPC-8 32 KiB of data pass, and one byte more gives too_large here', async () => {
    const { visitor, agent } = await joined()
    let heard = 0
    agent.on('Big', (data, callback) => {
      heard++
      callback(null, data)
    })
    const largest = 'x'.repeat(32_766)
    expect(await visitor.request('Big', largest)).toBe(largest)
    await expect(visitor.request('Big', `${largest}x`)).rejects.toMatchObject({ code: 'too_large' })
    await expect(visitor.request('Big', 'é'.repeat(20_000))).rejects.toMatchObject({ code: 'too_large' })
    expect(heard).toBe(1)
  })

  it('RPC-8 a result that is too large or no JSON is told as such', async () => {
    const { visitor, agent } = await joined()
    const results: Record<string, unknown> = {
      Large: 'x'.repeat(32_767),
      Function: () => {},
      Cyclic: CYCLE,
      Big: 1n,
      Proto: JSON.parse('{"__proto__":{}}'),
    }
    for (const [name, result] of Object.entries(results))
      agent.on(name, (_data, callback) => callback(null, result as never))
    const codes = await Promise.all(
      Object.keys(results).map((name) => visitor.request(name).catch(({ code }: { code: string }) => code)),
    )
    expect(codes).toEqual([
      'too_large',
      'invalid_argument',
      'invalid_argument',
      'invalid_argument',
      'invalid_argument',
    ])
  })

  it.each<[string, readonly unknown[]]>([
    ['no type', [undefined]],
    ['an empty type', ['']],
    ['a type with a space', ['Get it']],
    ['a type of 129 letters', ['x'.repeat(129)]],
    ['data that is no JSON', ['Any', () => {}]],
    ['data with a cycle', ['Any', CYCLE]],
    ['a key named __proto__', ['Any', JSON.parse('{"__proto__":1}')]],
    ['a timeout of 0', ['Any', 1, 0]],
    ['a timeout that is no number', ['Any', 1, '5']],
    ['an endless timeout', ['Any', 1, Number.POSITIVE_INFINITY]],
    ['a timeout longer than a timer can be', ['Any', 1, 2_147_483_648]],
    ['retries without a timeout', ['Any', 1, undefined, 2]],
    ['half a retry', ['Any', 1, 100, 0.5]],
    ['a negative number of retries', ['Any', 1, 100, -1]],
  ])('RPC-8 %s gives invalid_argument, and nothing is sent', async (_what, args) => {
    const { visitor, link } = await joined()
    let frames = 0
    link.faults = { onMessage: (_party, name) => ((frames += name === 'relay.send' ? 1 : 0), 'pass') }
    await expect(visitor.request(...(args as [string]))).rejects.toMatchObject({
      name: 'ContactError',
      code: 'invalid_argument',
    })
    await settled()
    expect(frames).toBe(0)
  })

  it('RPC-8 more than 512 requests at once give too_large, the others succeed', async () => {
    const { visitor, agent } = await joined()
    agent.on('Any', (data, callback) => callback(null, data))
    const results = await Promise.allSettled(
      Array.from({ length: 600 }, (_, index) => visitor.request('Any', index)),
    )
    const outcomes = results.map((result, index) =>
      result.status === 'fulfilled' ? result.value === index : (result.reason as { code: string }).code,
    )
    expect(outcomes).toEqual(Array.from({ length: 600 }, (_, index) => (index < 512 ? true : 'too_large')))
  })

  it('RPC-2 more than 256 that run at once give rate_limited', async () => {
    const { visitor, agent } = await joined()
    const calls: RequestCallback[] = []
    agent.on('Slow', (_data, callback) => void calls.push(callback))
    const asked = Array.from({ length: 257 }, () => watch(visitor.request('Slow')))
    await settled()
    expect([calls.length, asked.at(-1)?.result]).toEqual([256, { code: 'rate_limited' }])
    for (const callback of calls) callback(null, 1)
    await settled()
    expect(asked.filter(({ result }) => typeof result === 'object' && 'value' in result).length).toBe(256)
  })
})

describe('a hostile remote', () => {
  it.each(OWN_NAMES)(
    'NS-2 a request for %s is answered not_supported and reaches no handler of that event',
    async (name) => {
      const { visitor, agent } = await joined()
      const heard: unknown[] = []
      agent.on(name as ContactEventName, (event) => void heard.push(event))
      await expect(visitor.request(name, { id: 'x', user: 'mallory' })).rejects.toMatchObject({
        code: 'not_supported',
      })
      expect(heard).toEqual([])
    },
  )

  it('NS-2 neither do names that every object has', async () => {
    const { visitor } = await joined()
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      await expect(visitor.request(name)).rejects.toMatchObject({ code: 'not_supported' })
  })

  it('RPC-2 frames that are not of the protocol are passed over', () => {
    const frames = [
      null,
      1,
      'x',
      [],
      {},
      { type: 'request' },
      { type: 'request', id: 'a b', action: 'X' },
      { type: 'refused', id: 'a b', code: 'tampered' },
      { type: 'other', id: 'a' },
    ]
    expect(frames.map(parseRpc)).toEqual(frames.map(() => null))
    expect(parseRpc({ type: 'request', id: 'a', action: 'X', more: 1 })).toEqual({
      type: 'request',
      id: 'a',
      action: 'X',
    })
  })
})
