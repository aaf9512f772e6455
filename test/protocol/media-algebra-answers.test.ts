import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algebra } from '../../protocol/index.ts'
import type { MediaOffer, MediaState, OfferedDirection, PartialMediaState } from '../../protocol/index.ts'
import {
  details,
  media,
  offer,
  offerAndAcceptance,
  offerDetails,
  partial,
} from '../support/media-arbitraries.ts'

const {
  answerFromState,
  completeAnswer,
  isOn,
  judgeAnswer,
  mostOf,
  offerFromState,
  sameMedia,
  satisfies,
  targetOfAnswer,
  targetOfDirect,
} = algebra

const NATIVE = { tx: true, rx: true, via: 'net', engine: 'Native' } as const
const NET = { via: 'net', engine: 'WebRTC' } as const
const CHAT: MediaState = { Sharing: NATIVE, Chat: NATIVE }
const OFF = { tx: false, rx: false }

const DIRECTIONS: readonly OfferedDirection[] = ['required', 'optional', 'off']
/** Every direction offered with every direction given. */
const PAIRS = DIRECTIONS.flatMap((offered) => [true, false].map((given) => [offered, given] as const))
const verdictOf = (offered: OfferedDirection, given: boolean): 'accepted' | 'refused' | 'invalid' => {
  if (offered === 'off') return given ? 'invalid' : 'accepted'
  return offered === 'required' && !given ? 'refused' : 'accepted'
}

describe('an offer from a state', () => {
  it('ALG-12 says required for on and off for off, keeps via and engine, has no Sharing', () => {
    expect(
      offerFromState({
        ...CHAT,
        Voice: { tx: true, rx: false, via: 'pstn', engine: 'Native', data: { level: 1 } },
        Video: { tx: false, rx: false, ...NET },
        Screen: OFF,
      }),
    ).toEqual({
      Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' },
      Voice: { tx: 'required', rx: 'off', via: 'pstn', engine: 'Native' },
      Video: { tx: 'off', rx: 'off', ...NET },
      Screen: { tx: 'off', rx: 'off' },
    })
  })

  it('ALG-12 is satisfied by that state alone, and leads back to it', () => {
    fc.assert(
      fc.property(media, media, (state, other) => {
        const offered = offerFromState(state)
        expect(Object.keys(offered)).toEqual(Object.keys(state).filter((medium) => medium !== 'Sharing'))
        expect(judgeAnswer(offered, state)).toBe('accepted')
        expect(sameMedia(targetOfAnswer(state, offered, state), state)).toBe(true)
        expect(satisfies(offered, other)).toBe(sameMedia(state, { ...other, Sharing: state.Sharing }))
      }),
    )
  })
})

describe('the verdict on an answer', () => {
  it.each(PAIRS)('ALG-13 ALG-15 %s answered with %s, in either direction', (offered, given) => {
    const verdict = verdictOf(offered, given)
    expect(
      judgeAnswer(
        { Voice: { tx: offered, rx: 'optional', ...NET } },
        { Voice: { tx: given, rx: true, ...NET } },
      ),
    ).toBe(verdict)
    expect(
      judgeAnswer(
        { Voice: { tx: 'optional', rx: offered, ...NET } },
        { Voice: { tx: true, rx: given, ...NET } },
      ),
    ).toBe(verdict)
    expect(
      judgeAnswer({ Voice: { tx: offered, rx: 'optional', ...NET } }, { Voice: { tx: given, rx: false } }),
    ).toBe(verdict)
  })

  it('ALG-13 accepts whatever keeps required and off, with any choice of optional', () => {
    fc.assert(
      fc.property(offerAndAcceptance, ({ offer: offered, answer }) => {
        expect(judgeAnswer(offered, answer)).toBe('accepted')
        expect(satisfies(offered, answer)).toBe(true)
      }),
    )
  })

  it('ALG-13 ALG-15 is the worst of the verdicts on every direction, via and engine', () => {
    const medium = fc.constantFrom('Voice', 'Video', 'constructor', '__proto__')
    const members = fc.uniqueArray(fc.tuple(medium, offerDetails, details), {
      selector: ([name]) => name,
      maxLength: 4,
    })
    fc.assert(
      fc.property(members, (all) => {
        const verdicts = all.flatMap(([, offered, given]) => {
          const elsewhere =
            (given.tx || given.rx) && (given.via !== offered.via || given.engine !== offered.engine)
          return [
            verdictOf(offered.tx, given.tx),
            verdictOf(offered.rx, given.rx),
            elsewhere ? 'invalid' : 'accepted',
          ]
        })
        const worst =
          ['invalid', 'refused', 'accepted'].find((verdict) => verdicts.includes(verdict)) ?? 'accepted'
        const offered = Object.fromEntries(all.map(([name, one]) => [name, one]))
        expect(judgeAnswer(offered, Object.fromEntries(all.map(([name, , one]) => [name, one])))).toBe(worst)
        expect(satisfies(offered, Object.fromEntries(all.map(([name, , one]) => [name, one])))).toBe(
          worst === 'accepted',
        )
      }),
    )
  })

  it('ALG-14 a medium left out of the answer is false both ways', () => {
    expect(judgeAnswer({ Voice: { tx: 'required', rx: 'off', ...NET } }, {})).toBe('refused')
    expect(judgeAnswer({ Voice: { tx: 'off', rx: 'required', ...NET } }, {})).toBe('refused')
    expect(judgeAnswer({ Voice: { tx: 'optional', rx: 'off', ...NET } }, {})).toBe('accepted')
    fc.assert(
      fc.property(offer, (offered) => {
        expect(judgeAnswer(offered, {})).toBe(
          judgeAnswer(offered, Object.fromEntries(Object.keys(offered).map((medium) => [medium, OFF]))),
        )
      }),
    )
  })

  it('ALG-14 a medium left out of the offer is off', () => {
    expect(judgeAnswer({}, { Voice: { tx: true, rx: false, ...NET } })).toBe('invalid')
    expect(judgeAnswer({}, { Voice: { tx: false, rx: true } })).toBe('invalid')
    expect(judgeAnswer({}, { Voice: OFF })).toBe('accepted')
  })

  it.each([
    ['via', { tx: true, rx: true, via: 'pstn', engine: 'WebRTC' }, 'invalid'],
    ['engine', { tx: true, rx: true, via: 'net', engine: 'Other' }, 'invalid'],
    ['no via and engine', { tx: true, rx: true }, 'accepted'],
    ['via and engine of something off', { ...OFF, via: 'pstn', engine: 'Other' }, 'refused'],
  ] as const)('ALG-15 an answer that names another %s', (_what, given, verdict) => {
    expect(judgeAnswer({ Voice: { tx: 'required', rx: 'optional', ...NET } }, { Voice: given })).toBe(verdict)
  })

  it('ALG-15 invalid wins over refused, in whatever order they stand', () => {
    const required = { tx: 'required', rx: 'required', ...NET } as const
    const off = { tx: 'off', rx: 'off' } as const
    expect(judgeAnswer({ Voice: required, Video: off }, { Voice: OFF, Video: NATIVE })).toBe('invalid')
    expect(judgeAnswer({ Video: off, Voice: required }, { Video: NATIVE, Voice: OFF })).toBe('invalid')
    expect(
      judgeAnswer({ Voice: { ...required, rx: 'off' } }, { Voice: { ...NET, tx: false, rx: true } }),
    ).toBe('invalid')
  })

  it('ALG-5 Sharing in an answer is ignored', () => {
    expect(judgeAnswer({}, { Sharing: NATIVE })).toBe('accepted')
    expect(judgeAnswer({}, { Sharing: OFF })).toBe('accepted')
  })
})

describe('the target', () => {
  const offered: MediaOffer = {
    Voice: { tx: 'required', rx: 'optional', ...NET },
    Video: { tx: 'optional', rx: 'optional', ...NET },
  }

  it('ALG-16 of an answer has Sharing and what the answer turns on, carried as offered', () => {
    expect(
      targetOfAnswer({ ...CHAT, Screen: NATIVE }, offered, { Voice: { tx: true, rx: false }, Video: OFF }),
    ).toEqual({
      Sharing: NATIVE,
      Voice: { tx: true, rx: false, ...NET },
    })
    expect(
      targetOfAnswer(CHAT, offered, { Voice: { tx: true, rx: true, ...NET, data: { level: 1 } } }),
    ).toEqual({ Sharing: NATIVE, Voice: { tx: true, rx: true, ...NET } })
  })

  it('ALG-16 of an accepted answer satisfies the offer and turns on nothing else', () => {
    fc.assert(
      fc.property(media, offerAndAcceptance, (state, { offer: asked, answer }) => {
        const target = targetOfAnswer(state, asked, answer)
        const { Sharing, ...rest } = target
        expect(satisfies(asked, target)).toBe(true)
        expect(Sharing).toEqual(state.Sharing)
        expect(rest).toEqual(Object.fromEntries(Object.entries(answer).filter(([, one]) => isOn(one))))
      }),
    )
  })

  it('ALG-16 takes via and engine from the offer where the answer names none', () => {
    fc.assert(
      fc.property(media, offerAndAcceptance, (state, { offer: asked, answer }) => {
        const bare: PartialMediaState = Object.fromEntries(
          Object.entries(answer).map(([medium, one]) => [
            medium,
            { tx: one?.tx === true, rx: one?.rx === true },
          ]),
        )
        expect(targetOfAnswer(state, asked, bare)).toEqual(targetOfAnswer(state, asked, answer))
      }),
    )
  })

  it('ALG-5 of an answer and of a direct change keeps Sharing as it was', () => {
    const closed = { Sharing: OFF }
    expect(targetOfAnswer(closed, {}, { Sharing: NATIVE })).toEqual(closed)
    expect(targetOfDirect(closed, { Sharing: NATIVE, Chat: NATIVE })).toEqual({ ...closed, Chat: NATIVE })
    expect(
      targetOfDirect(CHAT, { Voice: { ...NATIVE, data: { level: 1 } }, Video: { ...OFF, ...NET } }),
    ).toEqual({ Sharing: NATIVE, Voice: NATIVE })
    fc.assert(
      fc.property(media, partial, (state, target) => {
        expect(targetOfDirect(state, target)).toEqual({
          ...Object.fromEntries(Object.entries(target).filter(([, one]) => isOn(one))),
          Sharing: state.Sharing,
        })
      }),
    )
  })
})

describe('an answer in full', () => {
  it('ALG-14 ALG-16 names every medium that was offered or given, and has the same verdict', () => {
    expect(
      completeAnswer(
        { Voice: { tx: 'required', rx: 'off', ...NET }, Video: { tx: 'off', rx: 'off' } },
        { Sharing: NATIVE, Voice: { tx: true, rx: false } },
      ),
    ).toEqual({
      Voice: { tx: true, rx: false, ...NET },
      Video: OFF,
    })
    fc.assert(
      fc.property(media, offer, partial, (state, offered, given) => {
        const complete = completeAnswer(offered, given)
        expect(new Set(Object.keys(complete))).toEqual(
          new Set([...Object.keys(offered), ...Object.keys(given)].filter((medium) => medium !== 'Sharing')),
        )
        expect(judgeAnswer(offered, complete)).toBe(judgeAnswer(offered, given))
        expect(targetOfAnswer(state, offered, complete)).toEqual(targetOfAnswer(state, offered, given))
      }),
    )
  })
})

describe('answers made from an offer', () => {
  it('ALG-13 the most that an offer allows, and what runs already, both satisfy it', () => {
    fc.assert(
      fc.property(media, offer, (state, offered) => {
        expect(judgeAnswer(offered, mostOf(offered))).toBe('accepted')
        expect(judgeAnswer(offered, answerFromState(state, offered))).toBe('accepted')
      }),
    )
  })

  it('ALG-13 the most turns on every optional; the answer from a state only those that are on', () => {
    const asked: MediaOffer = {
      Voice: { tx: 'optional', rx: 'off', ...NET },
      Video: { tx: 'optional', rx: 'required', ...NET },
      Screen: { tx: 'optional', rx: 'optional', ...NET },
    }
    expect(mostOf(asked)).toEqual({
      Voice: { tx: true, rx: false, ...NET },
      Video: { tx: true, rx: true, ...NET },
      Screen: { tx: true, rx: true, ...NET },
    })
    expect(
      answerFromState(
        { ...CHAT, Voice: { tx: true, rx: true, ...NET }, Screen: { tx: false, rx: true, ...NET } },
        asked,
      ),
    ).toEqual({
      Voice: { tx: true, rx: false, ...NET },
      Video: { tx: false, rx: true, ...NET },
      Screen: { tx: false, rx: true, ...NET },
    })
  })
})
