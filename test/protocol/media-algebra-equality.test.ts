import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algebra } from '../../protocol/index.ts'
import type { MediaState } from '../../protocol/index.ts'
import { details, mediaWithData } from '../support/media-arbitraries.ts'

const { diff, isOn, mediaOn, normalize, sameMedia, sameValue, stripData } = algebra

const NATIVE = { tx: true, rx: true, via: 'net', engine: 'Native' } as const
const WEBRTC = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
const CHAT: MediaState = { Sharing: NATIVE, Chat: NATIVE }

describe('equality', () => {
  it('ALG-21 what is off and data do not count, all else does', () => {
    fc.assert(
      fc.property(
        mediaWithData,
        fc.constantFrom('Chat', 'Voice', '__proto__'),
        details,
        (state, medium, one) => {
          const changed: MediaState = { ...state, ...Object.fromEntries([[medium, one]]) }
          const old = Object.hasOwn(state, medium) ? state[medium] : undefined
          const [was, is] = [isOn(old), isOn(one)]
          const same =
            was === is &&
            (!is ||
              (one.tx === old?.tx && one.rx === old.rx && one.via === old.via && one.engine === old.engine))
          expect(sameMedia(state, changed)).toBe(same)
          expect(sameMedia(state, { ...stripData(state), Sharing: state.Sharing })).toBe(true)
        },
      ),
    )
  })

  it('ALG-21 Sharing counts, and is on where it is left out', () => {
    expect(sameMedia({ Sharing: { tx: false, rx: false } }, {})).toBe(false)
    expect(sameMedia(CHAT, { Chat: NATIVE })).toBe(true)
  })

  it('ALG-21 a normal state names what is on and Sharing', () => {
    expect(
      normalize({
        Sharing: { tx: false, rx: false },
        Chat: NATIVE,
        Voice: { ...WEBRTC, tx: false, rx: false },
      }),
    ).toEqual({ Sharing: { tx: false, rx: false }, Chat: NATIVE })
    expect(normalize({ Voice: { ...WEBRTC, tx: false } })).toEqual({
      Sharing: NATIVE,
      Voice: { ...WEBRTC, tx: false },
    })
    expect(
      mediaOn({
        Sharing: { tx: false, rx: false },
        Chat: NATIVE,
        Voice: { tx: false, rx: true },
        Video: { tx: true, rx: false },
      }),
    ).toEqual(['Chat', 'Voice', 'Video'])
  })

  it('ALG-21 values are alike by content, live objects by identity', () => {
    const stream = new WeakMap()
    expect(sameValue({ a: [1, { b: stream }] }, { a: [1, { b: stream }] })).toBe(true)
    expect(sameValue({ a: stream }, { a: new WeakMap() })).toBe(false)
    expect(sameValue({ a: 1 }, { a: 1, b: 2 })).toBe(false)
    expect(sameValue([1], { 0: 1 })).toBe(false)
    expect(sameValue(Number.NaN, Number.NaN)).toBe(true)
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameValue(a, b)).toBe(a === b || canonical(a) === canonical(b))
      }),
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sameValue(value, structuredClone(value))).toBe(true)
      }),
    )
  })

  it('ALG-7 ends on data with cycles', () => {
    const ring = (level: number): { readonly data: Record<string, unknown> } => {
      const data: Record<string, unknown> = { level }
      data['self'] = data
      return { data }
    }
    const voice = (level: number): MediaState => ({ ...CHAT, Voice: { ...WEBRTC, ...ring(level) } })
    expect(diff(voice(1), voice(1)).changed.media).toEqual({})
    expect(diff(voice(1), voice(2)).changed.media).toEqual({ Voice: 'WebRTC' })
  })
})

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
