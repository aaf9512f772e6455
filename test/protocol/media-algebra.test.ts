import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algebra } from '../../protocol/index.ts'
import type {
  MediaState,
  MediaStateDiff,
  MediaStateDiffDetails,
  PartialMediaState,
} from '../../protocol/index.ts'
import { media, mediaWithData, offer, partial } from '../support/media-arbitraries.ts'

const { diff, merge, stripData, swap, swapOffer } = algebra

const NATIVE = { tx: true, rx: true, via: 'net', engine: 'Native' } as const
const WEBRTC = { tx: true, rx: true, via: 'net', engine: 'WebRTC' } as const
const CHAT: MediaState = { Sharing: NATIVE, Chat: NATIVE }

/** Turns on, off and over only what the diff names, with the details of the target. */
function apply(
  before: MediaState,
  { added, removed, changed }: MediaStateDiff,
  target: MediaState,
): PartialMediaState {
  const gone = new Set(Object.keys(removed.media))
  const taken = [...Object.keys(added.media), ...Object.keys(changed.media)].map((medium) => [
    medium,
    target[medium],
  ])
  return Object.fromEntries([...Object.entries(before).filter(([medium]) => !gone.has(medium)), ...taken])
}

const on = (state: PartialMediaState): PartialMediaState =>
  Object.fromEntries(Object.entries(state).filter(([, one]) => one && (one.tx || one.rx)))

describe('swap', () => {
  it('ALG-1 exchanges tx and rx and keeps via and engine', () => {
    expect(
      swap({
        Sharing: NATIVE,
        Voice: { tx: true, rx: false, via: 'pstn', engine: 'Native' },
        Video: { tx: false, rx: true, via: 'net', engine: 'WebRTC' },
      }),
    ).toEqual({
      Sharing: NATIVE,
      Voice: { tx: false, rx: true, via: 'pstn', engine: 'Native' },
      Video: { tx: true, rx: false, via: 'net', engine: 'WebRTC' },
    })
  })

  it('ALG-1 twice is the identity', () => {
    fc.assert(
      fc.property(media, (state) => {
        expect(swap(swap(state))).toEqual(state)
      }),
    )
  })

  it('ALG-1 turns every medium around, whatever its name', () => {
    fc.assert(
      fc.property(partial, (state) => {
        const swapped = swap(state)
        expect(Object.keys(swapped)).toEqual(Object.keys(state))
        for (const medium of Object.keys(state))
          expect(swapped[medium]).toEqual({ ...state[medium], tx: state[medium]?.rx, rx: state[medium]?.tx })
      }),
    )
  })

  it('ALG-2 drops data, as stripData does without turning', () => {
    fc.assert(
      fc.property(mediaWithData, (state) => {
        for (const one of [...Object.values(swap(state)), ...Object.values(stripData(state))])
          expect(Object.keys(one ?? {}).toSorted()).toEqual(['engine', 'rx', 'tx', 'via'])
        expect(swap(swap(state))).toEqual(stripData(state))
      }),
    )
  })

  it('ALG-3 of an offer exchanges tx and rx, and twice is the identity', () => {
    expect(
      swapOffer({
        Video: { tx: 'required', rx: 'off', via: 'net', engine: 'WebRTC' },
        Voice: { tx: 'optional', rx: 'required' },
      }),
    ).toEqual({
      Video: { tx: 'off', rx: 'required', via: 'net', engine: 'WebRTC' },
      Voice: { tx: 'required', rx: 'optional' },
    })
    fc.assert(
      fc.property(offer, (offered) => {
        expect(swapOffer(swapOffer(offered))).toEqual(offered)
      }),
    )
  })
})

describe('merge', () => {
  it('ALG-4 takes what the changes name and keeps the rest', () => {
    const state = { ...CHAT, Voice: WEBRTC, Video: WEBRTC }
    expect(
      merge(state, {
        Video: { tx: false, rx: false },
        Voice: { tx: false, rx: true },
        Screen: { ...WEBRTC, rx: false },
      }),
    ).toEqual({
      ...CHAT,
      Voice: { ...WEBRTC, tx: false },
      Screen: { ...WEBRTC, rx: false },
    })
  })

  it('ALG-4 is idempotent, also with changes that were merged before', () => {
    fc.assert(
      fc.property(media, partial, (base, changes) => {
        const once = merge(base, changes)
        expect(merge(once, changes)).toEqual(once)
        expect(merge(once, once)).toEqual(once)
      }),
    )
  })

  it('ALG-4 has of every medium what the changes say, else what the base says, and nothing that is off', () => {
    fc.assert(
      fc.property(media, partial, (base, changes) => {
        const { Sharing: _sharing, ...merged } = merge(base, changes)
        const { Sharing: _base, ...wanted } = Object.fromEntries([
          ...Object.entries(base),
          ...Object.entries(changes),
        ])
        expect(merged).toEqual(on(wanted))
      }),
    )
  })

  it('ALG-4 leaves its arguments alone', () => {
    fc.assert(
      fc.property(media, partial, (base, changes) => {
        const copies = structuredClone([base, changes])
        merge(base, changes)
        expect([base, changes]).toEqual(copies)
      }),
    )
  })

  it('ALG-5 never touches Sharing', () => {
    const off = { tx: false, rx: false }
    expect(merge(CHAT, { Sharing: off })).toEqual(CHAT)
    expect(merge({ Sharing: off, Chat: NATIVE }, { Sharing: NATIVE })).toEqual({ Sharing: off, Chat: NATIVE })
    fc.assert(
      fc.property(media, partial, (base, changes) => {
        expect(merge(base, changes).Sharing).toEqual(base.Sharing)
      }),
    )
  })
})

describe('diff', () => {
  it('ALG-6 has always three groups with media and engine', () => {
    const nothing = { media: {}, engine: {} }
    expect(diff(CHAT, CHAT)).toEqual({ added: nothing, removed: nothing, changed: nothing })
    fc.assert(
      fc.property(mediaWithData, mediaWithData, (before, after) => {
        const groups = diff(before, after)
        expect(Object.keys(groups)).toEqual(['added', 'removed', 'changed'])
        for (const group of Object.values(groups)) expect(Object.keys(group)).toEqual(['media', 'engine'])
      }),
    )
  })

  it('ALG-7 activating a WebRTC audio session', () => {
    const { added, removed, changed } = diff(CHAT, { ...CHAT, Voice: WEBRTC })
    expect(added).toEqual({ media: { Voice: 'WebRTC' }, engine: { WebRTC: ['Voice'] } })
    expect([removed, changed]).toEqual([
      { media: {}, engine: {} },
      { media: {}, engine: {} },
    ])
  })

  it('ALG-7 a chat ending removes Sharing and Chat, both of the engine Native', () => {
    const { added, removed } = diff(CHAT, { Sharing: { tx: false, rx: false } })
    expect(removed).toEqual({
      media: { Sharing: 'Native', Chat: 'Native' },
      engine: { Native: ['Sharing', 'Chat'] },
    })
    expect(added).toEqual({ media: {}, engine: {} })
  })

  it('ALG-7 only data has changed', () => {
    const before = { ...CHAT, Voice: { ...WEBRTC, data: { level: 1 } } }
    expect(diff(before, { ...CHAT, Voice: { ...WEBRTC, data: { level: 2 } } }).changed).toEqual({
      media: { Voice: 'WebRTC' },
      engine: { WebRTC: ['Voice'] },
    })
    expect(diff(before, { ...CHAT, Voice: { ...WEBRTC, data: { level: 1 } } }).changed).toEqual({
      media: {},
      engine: {},
    })
  })

  it('ALG-7 another direction or engine is a change under the new engine; going off counts for the old one', () => {
    const before = { ...CHAT, Voice: WEBRTC, Video: WEBRTC, Screen: WEBRTC }
    const after = {
      ...CHAT,
      Voice: { ...WEBRTC, via: 'pstn', engine: 'Native' },
      Video: { ...WEBRTC, rx: false },
      Screen: { tx: false, rx: false, via: 'net', engine: 'Native' },
    }
    expect(diff(before, after)).toEqual({
      added: { media: {}, engine: {} },
      removed: { media: { Screen: 'WebRTC' }, engine: { WebRTC: ['Screen'] } },
      changed: {
        media: { Voice: 'Native', Video: 'WebRTC' },
        engine: { Native: ['Voice'], WebRTC: ['Video'] },
      },
    })
  })

  it('ALG-7 groups by engine exactly what it lists by medium', () => {
    fc.assert(
      fc.property(mediaWithData, mediaWithData, (before, after) => {
        for (const group of Object.values(diff(before, after)) as MediaStateDiffDetails[]) {
          const byEngine = Object.entries(group.engine).flatMap(([engine, names]) =>
            names.map((medium) => [medium, engine]),
          )
          expect(Object.fromEntries(byEngine)).toEqual(group.media)
          expect(byEngine).toHaveLength(Object.keys(group.media).length)
        }
      }),
    )
  })

  it('ALG-8 applied to the state before gives the target', () => {
    fc.assert(
      fc.property(mediaWithData, mediaWithData, (before, target) => {
        expect(on(apply(before, diff(before, target), target))).toEqual(on(target))
      }),
    )
  })

  it('ALG-8 turned around adds what was removed and removes what was added', () => {
    fc.assert(
      fc.property(media, media, (before, after) => {
        const [there, back] = [diff(before, after), diff(after, before)]
        expect(new Set(Object.keys(back.added.media))).toEqual(new Set(Object.keys(there.removed.media)))
        expect(new Set(Object.keys(back.removed.media))).toEqual(new Set(Object.keys(there.added.media)))
        expect(new Set(Object.keys(back.changed.media))).toEqual(new Set(Object.keys(there.changed.media)))
      }),
    )
  })
})
