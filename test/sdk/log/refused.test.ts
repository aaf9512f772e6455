import { describe, expect, it } from 'vitest'
import type { Slot } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  NATIVE,
  START,
  VOICE,
  answering,
  asked,
  joined,
  mediaOf,
  reload,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

/** From now on the service takes no entry of this type from a party: it finds it malformed. */
function refusing({ link }: Pair, slot: Slot, ...types: readonly string[]): void {
  link.faults = {
    onMessage: (party, name, body) => {
      if (party.slot !== slot || name !== 'log.append') return 'pass'
      for (const draft of (body as { drafts: { type: string; body: unknown }[] }).drafts)
        if (types.includes(draft.type)) draft.body = {}
      return 'pass'
    },
  }
}

const states = ({ visitor, agent }: Pair): string[] => [visitor.mediaState, agent.mediaState]

describe('an entry that the service refuses for good', () => {
  it('LOG-9 NEG-15 MED-15 NEG-3 an offer: its Promise rejects with the code, and the next one works', async () => {
    const pair = await joined()
    answering(pair.agent)
    refusing(pair, 'visitor', 'offer')
    const refused = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    expect([refused.result, states(pair)]).toEqual([{ code: 'invalid_argument' }, ['idle', 'idle']])
    pair.link.faults = {}
    const next = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    expect([next.result, states(pair)]).toEqual([{ value: { ...START, Voice: CALL } }, ['idle', 'idle']])
  })

  it('LOG-9 NEG-15 NEG-2 an answer: the application is asked again, and nothing hangs', async () => {
    const pair = await joined()
    const offers = asked(pair.agent)
    const offered = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    refusing(pair, 'agent', 'answer')
    offers[0]?.callback(null, { Voice: CALL })
    await settled()
    expect([states(pair), offers.length]).toEqual([['offering', 'offered'], 2])
    pair.link.faults = {}
    offers[1]?.callback(null, { Chat: NATIVE, Voice: CALL })
    await settled()
    expect([offered.result, states(pair)]).toEqual([{ value: { ...START, Voice: CALL } }, ['idle', 'idle']])
  })

  it.each(['visitor', 'agent'] as const)(
    'LOG-9 NEG-15 NEG-2 NEG-5 a ready of the %s: the transition is over on both sides',
    async (slot) => {
      const pair = await joined()
      answering(pair.agent)
      refusing(pair, slot, 'ready')
      const offered = watch(pair.visitor.offerMedia(VOICE))
      await settled()
      expect([offered.result, states(pair)]).toEqual([
        { code: slot === 'visitor' ? 'invalid_argument' : 'remote_failed' },
        ['idle', 'idle'],
      ])
      expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
    },
  )

  it('LOG-9 NEG-15 MED-2 NEG-2 the present after it, too: the page takes no part any more, and the other side is not kept waiting', async () => {
    const pair = await joined()
    answering(pair.visitor)
    refusing(pair, 'visitor', 'ready', 'present')
    const offered = watch(pair.agent.offerMedia(VOICE))
    await settled()
    expect([offered.result, states(pair)]).toEqual(['pending', ['init', 'transiting']])
    await pair.clock.advance(31_000)
    expect([offered.result, states(pair), mediaOf(pair).agent]).toEqual([
      { code: 'timeout' },
      ['init', 'idle'],
      START,
    ])
    expect(await watchEnd(pair.visitor.offerMedia(VOICE))).toEqual({ code: 'left' })
  })

  it('SND-354 and the next page of the tab has media again', async () => {
    const pair = await joined()
    answering(pair.visitor)
    refusing(pair, 'visitor', 'ready', 'present')
    const offered = watch(pair.agent.offerMedia(VOICE))
    await pair.clock.advance(31_000)
    expect(offered.result).toEqual({ code: 'timeout' })
    expect(await watchEnd(pair.visitor.takeOver())).toEqual({ code: 'invalid_argument' })
    pair.link.faults = {}
    const { contact } = await reload(pair)
    answering(pair.agent)
    const next = watch(contact.offerMedia(VOICE))
    await settled()
    expect([next.result, contact.mediaState]).toEqual([{ value: { ...START, Voice: CALL } }, 'idle'])
  })

  it('LOG-9 NEG-15 LIFE-19 the present of a page that comes in: it does not come in, and hears why', async () => {
    const pair = await joined()
    refusing(pair, 'visitor', 'present')
    const page = pair.world.visitor()
    expect(await watchEnd(page.client.resumeContact())).toEqual({ code: 'invalid_argument' })
  })

  it('LOG-7 an outbox that is full of messages takes what media need', async () => {
    const pair = await joined()
    answering(pair.agent)
    pair.link.faults = { onConnect: () => 'drop' }
    pair.link.cut('visitor')
    await pair.clock.advance(1_000)
    const texts = Array.from({ length: 130 }, () => watch(pair.visitor.sendText('x'.repeat(8_192))))
    const offered = watch(pair.visitor.offerMedia(VOICE))
    await settled()
    expect([texts.at(-1)?.result, offered.result, pair.visitor.mediaState]).toEqual([
      { code: 'too_large' },
      'pending',
      'offering',
    ])
    pair.link.faults = {}
    await pair.clock.advance(20_000)
    expect([offered.result, states(pair)]).toEqual([{ value: { ...START, Voice: CALL } }, ['idle', 'idle']])
  })
})

async function watchEnd(promise: Promise<unknown>): Promise<unknown> {
  const watched = watch(promise)
  await settled()
  return watched.result
}
