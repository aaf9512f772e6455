import { afterEach, describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  NATIVE,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  joined,
  mediaOf,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

const BOTH = { tx: true, rx: true }
const ACCEPTED = { ...START, Voice: CALL }

let pair: Pair

afterEach(() => endCleanly(pair))

describe('what an application may answer', () => {
  it.each([
    [
      'via and engine undefined',
      { Chat: BOTH, Voice: { ...BOTH, via: undefined, engine: undefined } },
      ACCEPTED,
    ],
    ['a medium undefined', { Chat: BOTH, Voice: BOTH, Video: undefined }, { ...ACCEPTED, Video: OFF }],
    [
      'streams and what nobody knows',
      { Chat: BOTH, Voice: { ...BOTH, data: { tx_stream: 1n }, color: 'red' } },
      ACCEPTED,
    ],
    ['Sharing', { Sharing: OFF, Chat: BOTH, Voice: BOTH }, ACCEPTED],
  ])('MED-6 an answer with %s accepts as one without', async (_name, given, answer) => {
    pair = await joined()
    const offers = asked(pair.agent)
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    offers[0]?.callback(null, given as never)
    await settled()
    expect([result.result, mediaOf(pair)]).toEqual([
      { value: answer },
      { visitor: ACCEPTED, agent: ACCEPTED },
    ])
  })

  it.each([
    ['nothing', null],
    ['a text', 'yes'],
    ['no booleans', { Voice: { tx: 1, rx: 1 } }],
    ['no details', { Voice: null }],
    ['a via that is no name', { Chat: BOTH, Voice: { ...BOTH, via: 5 } }],
    ['an engine that is no name', { Chat: BOTH, Voice: { ...BOTH, engine: 'Web RTC' } }],
    ['an engine that is null', { Chat: BOTH, Voice: { ...BOTH, engine: null } }],
    ['a medium that is no name', { Chat: BOTH, Voice: BOTH, 'A B': OFF }],
    ['a medium with a long name', { Chat: BOTH, Voice: BOTH, ['x'.repeat(129)]: OFF }],
    ['a medium named __proto__', JSON.parse('{"__proto__":{"tx":true,"rx":true}}')],
    ['a medium named constructor', { constructor: BOTH }],
    [
      'too many media',
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`Medium${index}`, BOTH])),
    ],
    [
      'a medium that cannot be read',
      {
        get Voice() {
          throw new Error('no')
        },
      },
    ],
  ])(
    'MED-13 ERR-1 %s is invalid_argument, nobody is asked again, and the offer can still be answered',
    async (_name, given) => {
      pair = await joined()
      const offers = asked(pair.agent)
      const result = watch(pair.visitor.offerMedia(VOICE))
      await settled()
      expect(() => offers[0]?.callback(null, given as never)).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }) as Error,
      )
      await settled()
      expect([result.result, offers.length, pair.agent.mediaState]).toEqual(['pending', 1, 'offered'])
      offers[0]?.callback(null, { Chat: BOTH, Voice: BOTH })
      await settled()
      expect(result.result).toEqual({ value: ACCEPTED })
    },
  )

  it('MED-6 ALG-5 an answer in the log that names Sharing changes nothing about it', async () => {
    pair = await joined()
    answering(pair.agent)
    const { contact } = pair.world
    const append = contact.append.bind(contact)
    contact.append = (slot, session, drafts) => append(slot, session, drafts.map(withoutSharing))
    const result = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    expect([result.result, pair.visitor.data().mediaState.Sharing]).toEqual([{ value: ACCEPTED }, NATIVE])
  })
})

/** A draft as another SDK might write it. */
function withoutSharing(draft: unknown): unknown {
  const { type, body } = draft as { readonly type: string; readonly body: { readonly answer: object } }
  return type === 'answer'
    ? { ...(draft as object), body: { ...body, answer: { ...body.answer, Sharing: OFF } } }
    : draft
}
