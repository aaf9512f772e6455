import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algebra } from '../../../protocol/index.ts'
import { answerOf } from '../../../sdk/media/chosen-answer.ts'
import { createTestContact } from '../../../testing/index.ts'
import { CALL, NATIVE, OFF, START, inCall, on, optional } from '../../support/contacts.ts'
import * as arbitrary from '../../support/media-arbitraries.ts'
import { OFFER, WEB } from './offer-of-all-media.ts'

describe('answer', () => {
  it.each([
    ['nothing chosen: all that is offered', undefined, { Voice: CALL, Video: CALL, Screen: on(false, true) }],
    [
      'a call and only their picture',
      { Voice: true, Video: 'receive' },
      { Voice: CALL, Video: on(false, true), Screen: OFF },
    ],
    [
      'only an own picture',
      { Voice: true, Video: 'send', Screen: 'send' },
      { Voice: CALL, Video: on(true, false), Screen: OFF },
    ],
    ['no', { Voice: false, Video: false }, { Voice: OFF, Video: OFF, Screen: OFF }],
    ['nothing named: what is on stays on, nothing is turned on', {}, { Voice: OFF, Video: OFF, Screen: OFF }],
    ['what is not offered', { Voice: true, Fax: true }, { Voice: CALL, Video: OFF, Screen: OFF }],
  ] as const)('SND-313 %s', async (_name, choice, answer) => {
    const { visitor, agent } = await createTestContact()
    const offer = structuredClone(OFFER)
    expect([visitor.answer(offer, choice), agent.answer(offer, choice)]).toEqual([
      { ...START, ...answer },
      { ...START, ...answer },
    ])
    expect(offer).toEqual(OFFER)
    Object.assign(visitor.answer(offer, choice).Sharing, { tx: 'spoilt' })
    expect((await visitor.getMedia()).Sharing).toEqual(NATIVE)
  })

  it('SND-313 a medium that is not named stays as it is where the offer lets it, and moves to no other engine', async () => {
    const { visitor } = await inCall({ Voice: { tx: 'required', rx: 'off' } })
    const voice = (await visitor.getMedia()).Voice
    expect(voice).toMatchObject(on(true, false))
    expect(
      visitor.answer(
        { Voice: { ...optional, ...WEB }, Video: { ...optional, ...WEB } },
        { Video: 'receive' },
      ),
    ).toEqual({
      Sharing: NATIVE,
      Voice: on(true, false),
      Video: on(false, true),
    })
    expect(visitor.answer({ Voice: { ...optional, via: 'pstn', engine: 'Native' } }, {})).toEqual({
      Sharing: NATIVE,
      Voice: OFF,
    })
  })

  it('SND-313 MED-6 turns on nothing that is not offered, and transmits nothing that was neither on nor chosen', () => {
    const choice = fc.dictionary(
      fc.constantFrom('Chat', 'Voice', 'Video', 'Screen', 'toString'),
      fc.constantFrom(true, false, 'send' as const, 'receive' as const),
    )
    fc.assert(
      fc.property(arbitrary.media, arbitrary.wireOffer, choice, (media, offer, chosen) => {
        const answer = answerOf(media, offer, chosen)
        expect(algebra.judgeAnswer(offer, answer)).not.toBe('invalid')
        for (const [medium, details] of Object.entries(answer)) {
          const word = Object.hasOwn(chosen, medium) ? chosen[medium] : undefined
          if (medium !== 'Sharing' && details?.tx && word !== true && word !== 'send')
            expect([medium, media[medium]?.tx, word]).toEqual([medium, true, undefined])
        }
        expect(algebra.satisfies(offer, answerOf(media, offer, undefined))).toBe(true)
      }),
    )
  })

  it('SND-313 ERR-1 gives invalid_argument for what is no offer or no choice', async () => {
    const { visitor } = await createTestContact()
    const bad: readonly (readonly [unknown, unknown])[] = [
      [null, {}],
      [undefined, undefined],
      ['Voice', {}],
      [{ Voice: true }, {}],
      [{ Voice: { tx: 'maybe', rx: 'off' } }, {}],
      [OFFER, 'Voice'],
      [OFFER, null],
      [OFFER, { Voice: 'yes' }],
      [OFFER, { Voice: { tx: true, rx: true } }],
      [new Proxy({}, { ownKeys: () => expect.fail('a trap') }), {}],
    ]
    for (const [offer, choice] of bad)
      expect(() => visitor.answer(offer as never, choice as never)).toThrowError(
        expect.objectContaining({ code: 'invalid_argument' }),
      )
  })
})
