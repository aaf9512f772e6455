import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algebra } from '../../protocol/index.ts'
import type { MediaState } from '../../protocol/index.ts'
import { mediaWithData } from '../support/media-arbitraries.ts'

const { clone, stripData } = algebra

const VOICE = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
const SHARING = { tx: true, rx: true, via: 'net', engine: 'Native' } as const

/** Like a MediaStream: structuredClone refuses it. */
class Stream {
  readonly id = 'stream'
  readonly getTracks = (): string[] => []
}

const state = (data: Record<string, unknown>): MediaState => ({ Sharing: SHARING, Voice: { ...VOICE, data } })
const clonedData = (data: Record<string, unknown>): unknown => clone(state(data), true).Voice?.data

function objectsIn(value: unknown, found: Set<unknown> = new Set()): Set<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const one of Object.values(value)) objectsIn(one, found)
  return found
}

describe('clone', () => {
  it('ALG-9 without includeData leaves data out and is otherwise equal', () => {
    fc.assert(
      fc.property(mediaWithData, (media) => {
        expect(clone(media)).toEqual(stripData(media))
      }),
    )
    expect(clone(state({ level: 1 })).Voice).toEqual(VOICE)
  })

  it('ALG-9 with includeData is equal where all can be cloned', () => {
    fc.assert(
      fc.property(mediaWithData, (media) => {
        expect(clone(media, true)).toEqual(media)
      }),
    )
  })

  it('ALG-9 has data only where the original has it', () => {
    expect(Object.hasOwn(clone(state({}), true).Sharing, 'data')).toBe(false)
  })

  it('ALG-9 shares no object with the original', () => {
    fc.assert(
      fc.property(mediaWithData, fc.boolean(), (media, includeData) => {
        const originals = objectsIn(media)
        for (const one of objectsIn(clone(media, includeData))) expect(originals.has(one)).toBe(false)
      }),
    )
  })

  it('ALG-10 a stream, a function and a symbol become true, also deep inside', () => {
    expect(
      clonedData({
        tx_stream: new Stream(),
        rx_stream: null,
        on: () => {},
        key: Symbol('key'),
        list: [new Stream(), 2, { stop: () => {} }],
        level: 3,
      }),
    ).toEqual({
      tx_stream: true,
      rx_stream: null,
      on: true,
      key: true,
      list: [true, 2, { stop: true }],
      level: 3,
    })
  })

  it('ALG-10 a cycle becomes true where it closes; the same object twice is copied twice', () => {
    const inner: Record<string, unknown> = { level: 1 }
    inner['self'] = inner
    const list: unknown[] = [1]
    list.push(list)
    const shared = { level: 2 }
    expect(clonedData({ inner, list, one: shared, two: shared })).toEqual({
      inner: { level: 1, self: true },
      list: [1, true],
      one: shared,
      two: shared,
    })
  })

  it('ALG-10 what structuredClone takes is cloned by it', () => {
    const data = {
      at: new Date(5),
      bytes: new Uint8Array([1, 2]),
      names: new Map([['a', new Set([1])]]),
      big: 5n,
      none: undefined,
    }
    const copy = clonedData(data)
    expect(copy).toEqual(data)
    expect((copy as typeof data).bytes).not.toBe(data.bytes)
    expect(clonedData({ stops: new Map([['stop', () => {}]]) })).toEqual({ stops: true })
  })

  it('ALG-10 a property that cannot even be read becomes true, and its neighbours stay', () => {
    const closed = {
      level: 1,
      get state(): string {
        throw new Error('closed')
      },
    }
    expect(clonedData({ closed })).toEqual({ closed: { level: 1, state: true } })
  })

  it('ALG-10 data that cannot be cloned as a whole becomes true', () => {
    expect(clonedData(new Stream() as unknown as Record<string, unknown>)).toBe(true)
  })

  it('ALG-10 never throws, and what it gives can be cloned', () => {
    const leaf = fc.oneof(
      fc.constant(new Stream()),
      fc.func(fc.nat()),
      fc.constant(Symbol('x')),
      fc.constant(new WeakMap()),
      fc.bigInt(),
      fc.date(),
      fc.string(),
      fc.constant(undefined),
    )
    const data = fc.dictionary(
      fc.string(),
      fc.letrec((tie) => ({
        node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('node')), fc.dictionary(fc.string(), tie('node'))),
      })).node,
    )
    fc.assert(
      fc.property(data, (one) => {
        expect(() => structuredClone(clone(state(one), true))).not.toThrow()
      }),
    )
  })

  it('ALG-10 never throws, however deep data is', () => {
    let deep: Record<string, unknown> = {}
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep }
    expect(() => clone(state(deep), true)).not.toThrow()
  })
})
