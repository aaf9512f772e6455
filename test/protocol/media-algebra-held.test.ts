import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algebra } from '../../protocol/index.ts'
import type { MediaState, PartialMediaState } from '../../protocol/index.ts'
import { media } from '../support/media-arbitraries.ts'

const { holdsOf, meet, nativeOnly, normalize, startingMedia } = algebra

const NATIVE = { tx: true, rx: true, via: 'net', engine: 'Native' } as const
const WEBRTC = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
const CHAT: MediaState = { Sharing: NATIVE, Chat: NATIVE }

const on = (state: PartialMediaState): PartialMediaState =>
  Object.fromEntries(Object.entries(state).filter(([, one]) => one && (one.tx || one.rx)))

describe('meet', () => {
  it('ALG-11 turns off what is not held with the same engine, in both directions', () => {
    const state = { ...CHAT, Voice: WEBRTC, Video: { ...WEBRTC, rx: false }, Screen: WEBRTC }
    expect(meet(state, { Chat: 'Native', Voice: 'WebRTC', Video: 'Other' })).toEqual({
      ...CHAT,
      Voice: WEBRTC,
    })
  })

  it('ALG-11 does not take a medium without engine for held', () => {
    expect(meet({ Sharing: NATIVE, Chat: { tx: true, rx: true } }, {})).toEqual({ Sharing: NATIVE })
  })

  it('ALG-11 keeps a held medium as it was, and a state meets what it holds unchanged', () => {
    fc.assert(
      fc.property(
        media,
        fc.dictionary(
          fc.constantFrom('Chat', 'Voice', 'Video', 'toString'),
          fc.constantFrom('Native', 'WebRTC'),
        ),
        (state, holds) => {
          const kept = Object.fromEntries(
            Object.entries(on(state)).filter(
              ([medium, one]) =>
                medium === 'Sharing' ||
                (Object.keys(holds).includes(medium) && holds[medium] === one?.engine),
            ),
          )
          expect(meet(state, holds)).toEqual({ ...kept, Sharing: state.Sharing })
          expect(meet(state, holdsOf(state))).toEqual(normalize(state))
        },
      ),
    )
  })

  it('ALG-11 media that need no remote are those of Native', () => {
    fc.assert(
      fc.property(media, (state) => {
        expect(nativeOnly(state)).toEqual({
          ...Object.fromEntries(Object.entries(on(state)).filter(([, one]) => one?.engine === 'Native')),
          Sharing: state.Sharing,
        })
        expect(nativeOnly(state)).toEqual(
          meet(state, Object.fromEntries(Object.keys(state).map((medium) => [medium, 'Native']))),
        )
      }),
    )
  })

  it('ALG-11 a session holds what is on, by its engine', () => {
    expect(holdsOf({ ...CHAT, Voice: WEBRTC, Video: { ...WEBRTC, tx: false, rx: false } })).toEqual({
      Sharing: 'Native',
      Chat: 'Native',
      Voice: 'WebRTC',
    })
  })
})

describe('start', () => {
  it('ALG-20 Sharing and Chat both ways by default', () => {
    expect(startingMedia(undefined)).toEqual(CHAT)
  })

  it('ALG-20 Chat as the initial offer says, over net by Native, and nothing else', () => {
    expect(
      startingMedia({
        Chat: { tx: 'required', rx: 'off', via: 'other', engine: 'Other' },
        Voice: { tx: 'required', rx: 'required' },
      }),
    ).toEqual({
      Sharing: NATIVE,
      Chat: { ...NATIVE, rx: false },
    })
    expect(startingMedia({ Chat: { tx: 'off', rx: 'optional' } })).toEqual({
      Sharing: NATIVE,
      Chat: { ...NATIVE, tx: false },
    })
    expect(startingMedia({ Chat: { tx: 'off', rx: 'off' } })).toEqual({ Sharing: NATIVE })
    expect(startingMedia({ Voice: { tx: 'required', rx: 'required' } })).toEqual({ Sharing: NATIVE })
  })
})
