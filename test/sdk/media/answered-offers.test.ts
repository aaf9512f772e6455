import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  CALLING,
  NATIVE,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  fakeOf,
  inCall,
  joined,
  mediaOf,
  offering,
  on,
  optional,
  record,
  required,
  watch,
} from '../../support/contacts.ts'

describe('offers', () => {
  it('MED-7 an answer that breaks a required refuses the offer: offerMedia resolves with it and nothing changes', async () => {
    const pair = await joined()
    const { visitor, agent } = pair
    answering(agent, { Chat: NATIVE, Voice: { tx: false, rx: true } })
    const told = [record(visitor, 'mediachange'), record(agent, 'mediachange')]
    expect(await visitor.offerMedia(VOICE)).toEqual({ ...START, Voice: on(true, false) })
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
    expect([visitor.mediaState, agent.mediaState, ...told]).toEqual(['idle', 'idle', [], []])
    expect(fakeOf(visitor).calls).toEqual(['prepare', 'undo'])
  })

  it('MED-8 an answer that turns on what was off is invalid_answer, and nothing changes', async () => {
    const pair = await joined()
    answering(pair.agent, { Chat: NATIVE, Voice: CALL })
    await expect(
      pair.visitor.offerMedia(offering({ Voice: { tx: 'off', rx: 'required' } })),
    ).rejects.toMatchObject({ code: 'invalid_answer', name: 'ContactError' })
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
    expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(['idle', 'idle'])
  })

  it('MED-8 an answer that names another engine than the offer is invalid_answer', async () => {
    const { visitor, agent } = await joined()
    answering(agent, { Chat: NATIVE, Voice: on(true, true, 'Other') })
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'invalid_answer' })
  })

  it('MED-9 a callback with an error makes offerMedia reject with rejected and that reason', async () => {
    const { visitor, agent } = await joined()
    agent.on('mediaoffer', ({ callback }) => callback(new Error('busy right now')))
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('busy right now') as unknown,
      cause: 'busy right now',
    })
    await settled()
    expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'idle'])
  })

  it.each([
    ['an object without a message', { status: 409 }, undefined, /rejected the offer$/],
    ['an object with one', { message: 'busy' }, 'busy', /rejected the offer: busy$/],
    ['a text', 'busy', 'busy', /rejected the offer: busy$/],
  ])('MED-9 ERR-2 the reason is in words where the error is %s', async (_what, error, cause, message) => {
    const { visitor, agent } = await joined()
    agent.on('mediaoffer', ({ callback }) => callback(error))
    const refused: unknown = await visitor.offerMedia(VOICE).catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({
      code: 'rejected',
      message: expect.stringMatching(message) as unknown,
      ...(cause !== undefined && { cause }),
    })
  })

  it('MED-9 ERR-1 an error that cannot be read is refused, and the offer stays open', async () => {
    const { visitor, agent } = await joined()
    const thrown: unknown[] = []
    agent.on('mediaoffer', ({ callback }) => {
      try {
        callback(
          Object.create({
            get message(): string {
              throw new Error('not to be read')
            },
          }),
        )
      } catch (error) {
        thrown.push(error)
      }
      callback('busy')
    })
    await expect(visitor.offerMedia(VOICE)).rejects.toMatchObject({ cause: 'busy' })
    expect(thrown).toMatchObject([{ name: 'ContactError', code: 'invalid_argument' }])
  })

  it('MED-10 without a mediaoffer handler an offer that only turns off is accepted, any other rejected, without delay', async () => {
    const pair = await inCall({ Voice: required, Video: required })
    const { visitor, agent } = pair
    expect(
      await visitor.offerMedia(
        offering({ Voice: { tx: 'required', rx: 'optional' }, Video: { tx: 'off', rx: 'off' } }),
      ),
    ).toEqual({ ...CALLING, Video: OFF })
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: CALLING, agent: CALLING })
    await expect(
      visitor.offerMedia(offering({ Voice: required, Video: { tx: 'optional', rx: 'off' } })),
    ).rejects.toMatchObject({ code: 'rejected' })
    expect([visitor.mediaState, agent.mediaState]).toEqual(['idle', 'idle'])
  })

  it.each([
    [{ tx: true, rx: true }, on(true, true)],
    [{ tx: false, rx: true }, on(true, false)],
    [{ tx: true, rx: false }, on(false, true)],
    [{ tx: false, rx: false }, undefined],
  ])('MED-6 an offer with both directions optional takes the answer %j as it is', async (answer, voice) => {
    const pair = await joined()
    answering(pair.agent, { Chat: NATIVE, Voice: answer })
    await pair.visitor.offerMedia(offering({ Voice: optional }))
    await settled()
    expect(mediaOf(pair).visitor.Voice).toEqual(voice)
  })

  it('MED-6 an answer that leaves a medium out turns it off', async () => {
    const pair = await inCall()
    answering(pair.agent, {})
    expect(await pair.visitor.offerMedia({ Chat: optional, Voice: optional })).toEqual({
      Sharing: NATIVE,
      Chat: OFF,
      Voice: OFF,
    })
    await settled()
    expect(await pair.agent.getMedia(true)).toEqual({ Sharing: NATIVE })
  })

  it('MED-13 a second answer, one after a rejection and one to an offer that is over do nothing', async () => {
    const pair = await joined()
    const { visitor, agent, world } = pair
    const offers = asked(agent)
    const result = watch(visitor.offerMedia(VOICE))
    await settled()
    offers[0]?.callback('no')
    offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect(result.result).toEqual({ code: 'rejected' })
    expect(world.entries.slice(-2)).toEqual(['offer', 'reject'])
    const next = watch(visitor.offerMedia(VOICE))
    await settled()
    offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect(next.result).toBe('pending')
    offers[1]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect(next.result).toEqual({ value: CALLING })
  })

  it('MED-13 an answer that comes too late is reported to the log', async () => {
    const { visitor, agent, world } = await joined()
    const offers = asked(agent)
    void visitor.offerMedia(VOICE)
    await settled()
    offers[0]?.callback('no')
    offers[0]?.callback('no')
    expect(world.warnings).toEqual(['an answer was ignored; its offer is over'])
  })

  it.each([
    ['nothing', undefined],
    ['a text', 'yes'],
    ['a medium without directions', { Voice: {} }],
  ])(
    'ERR-1 MED-13 an answer that is %s throws invalid_argument in the handler, and the offer stands',
    async (_what, answer) => {
      const { visitor, agent } = await joined()
      const offers = asked(agent)
      const result = watch(visitor.offerMedia(VOICE))
      await settled()
      expect(() => offers[0]?.callback(null, answer as never)).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
      )
      await settled()
      expect([agent.mediaState, result.result]).toEqual(['offered', 'pending'])
      offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
      await settled()
      expect(result.result).toEqual({ value: CALLING })
    },
  )
})
