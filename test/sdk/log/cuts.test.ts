import { describe, expect, it } from 'vitest'
import type { Slot } from '../../../protocol/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import type { Fate } from '../../../testing/index.ts'
import {
  CALL,
  CALLING,
  NATIVE,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  endCleanly,
  fakeOf,
  inCall,
  joined,
  mediaOf,
  record,
  watch,
} from '../../support/contacts.ts'
import type { Pair, Told } from '../../support/contacts.ts'

const SLOTS = ['visitor', 'agent'] as const
const other = (slot: Slot): Slot => (slot === 'visitor' ? 'agent' : 'visitor')

/** Moves time on until a Promise has settled. */
async function meanwhile<T>({ clock }: Pick<Pair, 'clock'>, promise: Promise<T>): Promise<T> {
  const watched = watch(promise)
  for (let step = 0; watched.result === 'pending' && step < 100; step++) await clock.advance(500)
  if (watched.result === 'pending') throw new Error('it hangs')
  return promise
}

/** Keeps a party from the service until told otherwise. */
function away({ link }: Pair, slot: Slot): () => void {
  link.faults = { onConnect: (party) => (party.slot === slot ? 'drop' : 'pass') }
  link.cut(slot)
  return () => void (link.faults = {})
}

const textsOf = (told: readonly Told[]): string[] =>
  told.flatMap(([name, event]) => (name === 'text' ? [event.text] : []))

describe('a connection that breaks', () => {
  it('LOG-5 LOG-6 texts sent while offline are kept, in order, and arrive once when it is back', async () => {
    const pair = await joined()
    const [here, there] = [record(pair.visitor, 'localtext', 'connection'), record(pair.agent, 'text')]
    const back = away(pair, 'visitor')
    const sent = ['1', '2', '3'].map((text) => watch(pair.visitor.sendText(text)))
    await pair.clock.advance(5_000)
    expect([sent.map(({ result }) => result), textsOf(there)]).toEqual([
      ['pending', 'pending', 'pending'],
      [],
    ])
    back()
    await pair.clock.advance(3_000)
    expect(textsOf(there)).toEqual(['1', '2', '3'])
    expect(sent.every(({ result }) => result !== 'pending')).toBe(true)
    expect(here.filter(([name]) => name === 'localtext').map(([, event]) => event)).toMatchObject([
      { text: '1' },
      { text: '2' },
      { text: '3' },
    ])
    expect(here.flatMap(([name, event]) => (name === 'connection' ? [event.state] : [])).slice(-2)).toEqual([
      'connecting',
      'online',
    ])
    await endCleanly(pair)
  })

  it('LOG-3 LOG-5 what the other side sent meanwhile is replayed before it counts as online', async () => {
    const pair = await joined()
    const there = record(pair.agent, 'text', 'connection')
    const back = away(pair, 'agent')
    await pair.visitor.sendText('1')
    await pair.visitor.sendText('2')
    await pair.clock.advance(3_000)
    back()
    await pair.clock.advance(3_000)
    await pair.visitor.sendText('3')
    await settled()
    expect(
      there
        .map(([name, event]) => (name === 'text' ? event.text : 'state' in event ? event.state : name))
        .slice(-5),
    ).toEqual(['connecting', '1', '2', 'online', '3'])
    await endCleanly(pair)
  })

  it('LIFE-19 sending while offline settles with left when the contact is left', async () => {
    const pair = await joined()
    away(pair, 'visitor')
    const results = [
      watch(pair.visitor.sendText('1')),
      watch(pair.visitor.offerMedia(VOICE)),
      watch(pair.visitor.sendLink('https://example.org')),
    ]
    await pair.visitor.leave()
    await settled()
    expect(results.map(({ result }) => result)).toEqual([
      { code: 'left' },
      { code: 'left' },
      { code: 'left' },
    ])
  })

  it('MSG-6 typing is not told while offline', async () => {
    const pair = await joined()
    const there = record(pair.agent, 'iswriting')
    const back = away(pair, 'agent')
    pair.visitor.sendIsWriting()
    await pair.clock.advance(3_000)
    back()
    await pair.clock.advance(3_000)
    expect(there.length).toBeLessThanOrEqual(1)
    await endCleanly(pair)
  })
})

describe('a connection that breaks while media change', () => {
  const steps: readonly (readonly [string, (pair: Pair) => Promise<() => void>])[] = [
    [
      'its offer is on its way',
      async ({ visitor, agent }) => {
        answering(agent)
        void visitor.offerMedia(VOICE)
        return () => {}
      },
    ],
    [
      'the offer stands',
      async ({ visitor, agent }) => {
        const offers = asked(agent)
        void visitor.offerMedia(VOICE)
        await settled()
        return () => offers[0]?.callback(null, { Chat: NATIVE, Voice: CALL })
      },
    ],
    [
      'both work',
      async ({ visitor, agent }) => {
        answering(agent)
        for (const contact of [visitor, agent]) fakeOf(contact).script('transit', 'freeze')
        void visitor.offerMedia(VOICE)
        await settled()
        return () => [visitor, agent].forEach((contact) => fakeOf(contact).thaw())
      },
    ],
    [
      'the other side works',
      async ({ visitor, agent }) => {
        answering(agent)
        fakeOf(agent).script('transit', 'freeze')
        void visitor.offerMedia(VOICE)
        await settled()
        return () => fakeOf(agent).thaw()
      },
    ],
  ]

  describe.each(steps)('while %s', (_what, begin) => {
    it.each(SLOTS)('LOG-3 NEG-2 it comes to the same end when the %s was away for a while', async (slot) => {
      const pair = await joined()
      const goOn = await begin(pair)
      const back = away(pair, slot)
      await pair.clock.advance(2_000)
      goOn()
      await pair.clock.advance(2_000)
      back()
      await pair.clock.advance(5_000)
      expect(mediaOf(pair)).toEqual({ visitor: CALLING, agent: CALLING })
      expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(['idle', 'idle'])
      await endCleanly(pair)
    })

    it.each(SLOTS)(
      'LIFE-9 NEG-5 NEG-6 it ends in idle when the %s stays away, and comes back later',
      async (slot) => {
        const pair = await joined()
        await begin(pair)
        const back = away(pair, slot)
        await pair.clock.advance(70_000)
        const remaining: Contact = pair[other(slot)]
        expect(remaining.mediaState).toBe('idle')
        expect(remaining.data().mediaState).toEqual(START)
        back()
        await pair.clock.advance(70_000)
        if (slot === 'visitor') {
          expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
          expect(pair.visitor.mediaState).toBe('idle')
        }
      },
    )
  })

  it('RES-7 MED-28 NEG-6 a page that was declared absent while it lived enters again, its call is off', async () => {
    const pair = await inCall()
    const told = record(pair.visitor, 'mediachange', 'left', 'localleft')
    const back = away(pair, 'visitor')
    await pair.clock.advance(60_000)
    expect(mediaOf(pair).agent).toEqual(START)
    back()
    await pair.clock.advance(3_000)
    expect([pair.visitor.mediaState, mediaOf(pair)]).toEqual([
      'idle',
      { visitor: expect.anything() as unknown, agent: expect.anything() as unknown },
    ])
    expect(told[0]).toMatchObject(['mediachange', { newMedia: START }])
    await pair.clock.advance(60_000)
    await endCleanly(pair)
  })

  it('MED-20 MED-31 a hang-up while offline is carried out when it is back', async () => {
    const pair = await inCall()
    const back = away(pair, 'visitor')
    const result = watch(pair.visitor.mergeAndTransitMedia({ Voice: OFF }))
    await pair.clock.advance(5_000)
    expect([result.result, pair.visitor.mediaState]).toEqual(['pending', 'offering'])
    back()
    await pair.clock.advance(5_000)
    expect([result.result, mediaOf(pair)]).toEqual([{ value: START }, { visitor: START, agent: START }])
    await endCleanly(pair)
  })
})

describe('every single message lost', () => {
  const TEXTS = { visitor: ['hi', 'can you hear me', 'bye'], agent: ['hello', 'yes'] }

  /** A short talk: texts both ways, a call, a hang-up. */
  async function talk(pair: Pair): Promise<void> {
    const { visitor, agent } = pair
    await meanwhile(pair, visitor.sendText('hi'))
    await meanwhile(pair, Promise.all([agent.sendText('hello'), visitor.offerMedia(VOICE)]))
    await meanwhile(pair, Promise.all([visitor.sendText('can you hear me'), agent.sendText('yes')]))
    await pair.clock.advance(5_000)
    await meanwhile(pair, agent.mergeAndTransitMedia({ Voice: { tx: true, rx: false } }))
    await meanwhile(pair, visitor.sendText('bye'))
    await pair.clock.advance(5_000)
  }

  async function play(prepare: (pair: Pair) => void): Promise<void> {
    const pair = await joined()
    answering(pair.agent)
    const told = { visitor: record(pair.visitor, 'text', 'ack'), agent: record(pair.agent, 'text', 'ack') }
    prepare(pair)
    await talk(pair)
    expect({ visitor: textsOf(told.agent), agent: textsOf(told.visitor) }).toEqual(TEXTS)
    expect(
      [told.visitor, told.agent].map((events) => events.filter(([name]) => name === 'ack').length),
    ).toEqual([3, 2])
    expect(pair.world.entries.filter((type) => type === 'text' || type === 'ack').length).toBe(10)
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Voice: { ...CALL, tx: false } },
      agent: { ...START, Voice: { ...CALL, rx: false } },
    })
    expect([pair.visitor.mediaState, pair.agent.mediaState]).toEqual(['idle', 'idle'])
    pair.link.faults = {}
    await endCleanly(pair)
  }

  /** Number of messages of a talk without faults. */
  async function count(slot: Slot): Promise<number> {
    let messages = 0
    await play(({ link }) => {
      link.faults = {
        onMessage: (party): Fate => {
          if (party.slot === slot) messages++
          return 'pass'
        },
      }
    })
    return messages
  }

  it.each(SLOTS.flatMap((slot) => [[slot, false] as const, [slot, true] as const]))(
    'LOG-4 LOG-5 LOG-8 NEG-2 of the %s, its answer alone: %s; each text arrives once and in order, and the call is as agreed',
    async (slot, answerOnly) => {
      const messages = await count(slot)
      expect(messages).toBeGreaterThan(20)
      for (let nth = 1; nth <= messages; nth++) {
        await play(({ link }) => link.lose({ slot, nth, answerOnly })).catch((cause: unknown) => {
          throw new Error(`message ${nth} of ${messages} was lost`, { cause })
        })
      }
    },
    60_000,
  )
})
