import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ContactError, algebra, builtInVia, choicesFor, completeOffer } from '../../protocol/index.ts'
import type { MediaCapabilities, MediaOffer, MediaState } from '../../protocol/index.ts'
import { mirrorMedia } from '../support/mirror.ts'
import { details, media, offer, partial } from '../support/media-arbitraries.ts'

const { asksMoreOfOther, merge, onlyTurnsOff, targetOfDirect, transmitsMore } = algebra

const NATIVE = { tx: true, rx: true, via: 'net', engine: 'Native' } as const
const NET = { via: 'net', engine: 'WebRTC' } as const
const PSTN = { via: 'pstn', engine: 'Native' } as const
const BOTH = { tx: 'required', rx: 'required' } as const
const CHAT: MediaState = { Sharing: NATIVE, Chat: NATIVE }
const CALL: MediaState = {
  ...CHAT,
  Voice: { tx: true, rx: true, ...NET },
  Video: { tx: true, rx: false, ...NET },
}

const engines = (...names: string[]): { Engines: Record<string, boolean> } => ({
  Engines: Object.fromEntries(names.map((name) => [name, true])),
})
const able = (Media: MediaCapabilities['Media']): MediaCapabilities => ({ Media, Mobile: false })

describe('choices', () => {
  const local = able({
    Chat: engines('Native'),
    Voice: engines('Native', 'WebRTC'),
    Video: engines('WebRTC', 'Other'),
    Screen: { Engines: { WebRTC: false } },
  })

  it('ALG-17 are the engines that both parties have', () => {
    const remote = able({
      Chat: engines('Native'),
      Voice: engines('WebRTC'),
      Video: engines('WebRTC', 'Other'),
      Screen: engines('WebRTC'),
    })
    expect(choicesFor('Chat', { local, remote })).toEqual([{ via: 'net', engine: 'Native' }])
    expect(choicesFor('Voice', { local, remote })).toEqual([NET])
    expect(choicesFor('Voice', { local, remote: local })).toEqual([PSTN, NET])
    expect(choicesFor('Screen', { local, remote })).toEqual([])
    expect(choicesFor('Screen', { local: remote, remote: local })).toEqual([])
    expect(choicesFor('Fax', { local, remote })).toEqual([])
    expect(choicesFor('Voice', { local, remote: able({ Voice: {} }) })).toEqual([])
  })

  it('ALG-17 leave out an engine whose via is not known, and ask whoever knows it', () => {
    expect(choicesFor('Video', { local, remote: local })).toEqual([NET])
    expect(
      choicesFor('Video', { local, remote: local, viaOf: (medium, engine) => `${medium} over ${engine}` }),
    ).toEqual([
      { via: 'Video over WebRTC', engine: 'WebRTC' },
      { via: 'Video over Other', engine: 'Other' },
    ])
    expect([
      builtInVia('Voice', 'Native'),
      builtInVia('Chat', 'Native'),
      builtInVia('Voice', 'WebRTC'),
      builtInVia('Voice', 'Other'),
    ]).toEqual(['pstn', 'net', 'net', undefined])
  })

  it('ALG-17 are the same seen from either side', () => {
    const capability = fc
      .dictionary(fc.constantFrom('Native', 'WebRTC', 'constructor', '__proto__'), fc.boolean())
      .map((Engines) => able({ Voice: { Engines } }))
    fc.assert(
      fc.property(capability, capability, (here, there) => {
        const via = (): string => 'net'
        const [mine, theirs] = [
          choicesFor('Voice', { local: here, remote: there, viaOf: via }),
          choicesFor('Voice', { local: there, remote: here, viaOf: via }),
        ]
        expect(mine.map(({ engine }) => engine).toSorted()).toEqual(
          theirs.map(({ engine }) => engine).toSorted(),
        )
        expect(choicesFor('constructor', { local: here, remote: there })).toEqual([])
        expect(choicesFor('__proto__', { local: here, remote: there })).toEqual([])
      }),
    )
  })
})

describe('completing an offer', () => {
  const known = new Map<string, readonly { via: string; engine: string }[]>([
    ['Voice', [PSTN, NET]],
    ['Video', [NET]],
    ['Chat', [{ via: 'net', engine: 'Native' }]],
    ['Screen', []],
  ])
  const choices = (medium: string) => known.get(medium)

  const codeOf = (asked: unknown): string => {
    try {
      completeOffer(asked as MediaOffer, choices)
      return 'completed'
    } catch (error) {
      return error instanceof ContactError ? error.code : 'another error'
    }
  }

  it('ALG-17 fills in via and engine where one choice is left', () => {
    expect(
      completeOffer(
        { Video: BOTH, Chat: { tx: 'optional', rx: 'off', via: 'net' }, Voice: { ...BOTH, via: 'pstn' } },
        choices,
      ),
    ).toEqual({
      Video: { ...BOTH, ...NET },
      Chat: { tx: 'optional', rx: 'off', via: 'net', engine: 'Native' },
      Voice: { ...BOTH, ...PSTN },
    })
    expect(completeOffer({ Voice: { tx: 'off', rx: 'optional', engine: 'WebRTC' } }, choices)).toEqual({
      Voice: { tx: 'off', rx: 'optional', ...NET },
    })
    expect(completeOffer({ Voice: { ...BOTH, ...NET } }, choices)).toEqual({ Voice: { ...BOTH, ...NET } })
  })

  it('ALG-17 needs no choice for what is offered off', () => {
    expect(
      completeOffer({ Screen: { tx: 'off', rx: 'off' }, Voice: { tx: 'off', rx: 'off', ...NET } }, choices),
    ).toEqual({
      Screen: { tx: 'off', rx: 'off' },
      Voice: { tx: 'off', rx: 'off' },
    })
  })

  it.each([
    ['several choices', { Voice: BOTH }],
    ['no choice', { Screen: { tx: 'required', rx: 'off' } }],
    ['another engine', { Video: { ...BOTH, engine: 'Native' } }],
    ['another via', { Video: { ...BOTH, via: 'pstn' } }],
    ['via of one and engine of the other', { Voice: { ...BOTH, via: 'pstn', engine: 'WebRTC' } }],
  ])('ALG-17 %s: invalid_offer', (_what, asked) => {
    expect(codeOf(asked)).toBe('invalid_offer')
  })

  it.each([
    ['Sharing', { Sharing: BOTH }],
    ['Sharing off', { Sharing: { tx: 'off', rx: 'off' } }],
    ['an unknown medium', { Fax: BOTH }],
    ['a medium named like a member of every object', { constructor: BOTH }],
    ['a medium named __proto__', JSON.parse('{"__proto__":{"tx":"off","rx":"off"}}') as unknown],
    ['a wrong word in tx', { Video: { tx: 'yes', rx: 'off' } }],
    ['a boolean in rx', { Video: { tx: 'off', rx: true } }],
    ['no directions', { Video: {} }],
    ['only one direction', { Video: { tx: 'required' } }],
    ['null', { Video: null }],
    ['a word', { Video: 'required' }],
    ['a list', { Video: ['required', 'required'] }],
    ['a direction named like a member of every object', { Video: { tx: 'constructor', rx: 'toString' } }],
  ])('ALG-18 %s: invalid_offer', (_what, asked) => {
    expect(codeOf(asked)).toBe('invalid_offer')
  })

  it('ALG-18 leaves out what is undefined', () => {
    expect(completeOffer({ Voice: undefined, Video: BOTH } as unknown as MediaOffer, choices)).toEqual({
      Video: { ...BOTH, ...NET },
    })
  })

  it('ALG-17 ALG-18 gives a complete offer or invalid_offer, never anything else', () => {
    const directions = fc.constantFrom('required', 'optional', 'off', 'on', true, null)
    const asked = fc.dictionary(
      fc.constantFrom('Voice', 'Video', 'Screen', 'Sharing', 'Fax', '__proto__', 'toString'),
      fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            tx: directions,
            rx: directions,
            via: fc.constantFrom('net', 'pstn', 7),
            engine: fc.constantFrom('WebRTC', 'Native', 'Other'),
          },
          { requiredKeys: ['tx', 'rx'] },
        ),
      ),
      { maxKeys: 3 },
    )
    fc.assert(
      fc.property(asked, (one) => {
        const code = codeOf(one)
        expect(['completed', 'invalid_offer']).toContain(code)
        if (code !== 'completed') return
        const complete = completeOffer(one as unknown as MediaOffer, choices)
        expect(Object.keys(complete)).toEqual(Object.keys(one))
        expect(completeOffer(complete, choices)).toEqual(complete)
        for (const [medium, details] of Object.entries(complete)) {
          const { tx, rx, ...carrier } = details ?? { tx: 'off', rx: 'off', via: '', engine: '' }
          expect(carrier).toEqual(
            tx === 'off' && rx === 'off'
              ? {}
              : choices(medium)?.find(({ engine }) => engine === carrier.engine),
          )
        }
      }),
    )
  })
})

describe('what is asked of the other side', () => {
  it.each([
    ['stopping both ways', { Voice: { tx: false, rx: false } }, false],
    ['muting oneself', { Voice: { tx: false, rx: true, ...NET } }, false],
    ['no longer receiving', { Voice: { tx: true, rx: false, ...NET } }, false],
    ['transmitting more', { Screen: { tx: true, rx: false, ...NET } }, false],
    ['receiving what is not transmitted yet', { Video: { tx: true, rx: true, ...NET } }, true],
    ['receiving a new medium', { Screen: { tx: false, rx: true, ...NET } }, true],
    ['receiving over another engine', { Voice: { tx: true, rx: true, via: 'net', engine: 'Other' } }, true],
    ['receiving over another via', { Voice: { tx: true, rx: true, via: 'pstn', engine: 'WebRTC' } }, true],
    [
      'carrying a transmission of one’s own by another engine',
      { Video: { tx: true, rx: false, via: 'net', engine: 'Other' } },
      false,
    ],
  ] as const)('ALG-19 %s', (_what, changes, more) => {
    expect(asksMoreOfOther(CALL, targetOfDirect(CALL, { ...CALL, ...changes }))).toBe(more)
  })

  it('ALG-19 Sharing is never asked for', () => {
    expect(asksMoreOfOther({ Sharing: { tx: false, rx: false } }, { Sharing: NATIVE })).toBe(false)
    expect(transmitsMore({ Sharing: { tx: false, rx: false } }, { Sharing: NATIVE })).toBe(false)
  })

  it('ALG-19 what is there already, or less of it, never asks more; a new transmission always does', () => {
    fc.assert(
      fc.property(media, partial, details, (state, wanted, one) => {
        expect(asksMoreOfOther(state, state)).toBe(false)
        const less = Object.fromEntries(
          Object.entries(wanted).map(([medium, { tx } = one]) => [
            medium,
            { ...(Object.hasOwn(state, medium) ? state[medium] : one), tx, rx: false },
          ]),
        )
        expect(asksMoreOfOther(state, merge(state, less))).toBe(false)
        const idle: MediaState = { ...state, ...Object.fromEntries([['__proto__', { ...one, rx: false }]]) }
        expect(
          asksMoreOfOther(idle, { ...idle, ...Object.fromEntries([['__proto__', { ...one, rx: true }]]) }),
        ).toBe(true)
      }),
    )
  })

  it('ALG-19 is what the other side, seeing it, would newly transmit', () => {
    fc.assert(
      fc.property(media, partial, (state, wanted) => {
        expect(asksMoreOfOther(state, wanted)).toBe(transmitsMore(mirrorMedia(state), mirrorMedia(wanted)))
      }),
    )
  })
})

describe('an offer that only turns off', () => {
  it.each([
    ['nothing at all', {}, true],
    [
      'what is on, as it is',
      { Voice: { ...BOTH, ...NET }, Video: { tx: 'required', rx: 'off', ...NET } },
      true,
    ],
    ['one direction less', { Voice: { tx: 'off', rx: 'required', ...NET } }, true],
    ['optional of what is on', { Voice: { tx: 'optional', rx: 'optional', ...NET } }, true],
    ['optional of what is off for me', { Video: { tx: 'required', rx: 'optional', ...NET } }, false],
    ['optional of what is off for the other', { Screen: { tx: 'optional', rx: 'off', ...NET } }, false],
    ['required of what is off', { Screen: { tx: 'off', rx: 'required', ...NET } }, false],
    ['the same over another engine', { Voice: { ...BOTH, via: 'net', engine: 'Other' } }, false],
  ] as const)('ALG-19 MED-10 %s', (_what, offered, only) => {
    expect(onlyTurnsOff(CALL, offered)).toBe(only)
  })

  it('ALG-19 MED-10 whatever is answered, nothing new is on', () => {
    fc.assert(
      fc.property(media, offer, (state, offered) => {
        const more = Object.entries(offered).some(([medium, one]) => {
          const now = Object.hasOwn(state, medium) ? state[medium] : undefined
          const other = one?.via !== now?.via || one?.engine !== now?.engine
          return (one?.tx !== 'off' && (other || !now?.tx)) || (one?.rx !== 'off' && (other || !now?.rx))
        })
        expect(onlyTurnsOff(state, offered)).toBe(!more)
      }),
    )
  })
})
