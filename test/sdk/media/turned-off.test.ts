import { describe, expect, it } from 'vitest'
import type { MediaOffer, MediaState, MediaStateDetails, PartialMediaState } from '../../../sdk/index.ts'
import { algebra } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  CALLING,
  NATIVE,
  OFF,
  START,
  answering,
  asked,
  fakeOf,
  inCall,
  mediaOf,
  offering,
  on,
  openTab,
  optional,
  reload,
  required,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

const WHAT: [string, PartialMediaState, MediaState][] = [
  ['all', { Voice: OFF, Video: OFF }, START],
  ['one medium', { Video: OFF }, CALLING],
  ['one direction', { Video: { tx: false, rx: true } }, { ...CALLING, Video: on(false, true) }],
]

/** The visitor turns something off and has no connection. */
function turnOffline({ link, visitor }: Pair, off: PartialMediaState): ReturnType<typeof watch> {
  link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
  link.cut('visitor')
  return watch(visitor.mergeAndTransitMedia(off))
}

describe('what a user has turned off without a connection', () => {
  it.each(WHAT)('MED-29 MED-30 does not come back with the connection: %s', async (_what, off, media) => {
    const pair = await inCall({ Voice: required, Video: required })
    const hangUp = turnOffline(pair, off)
    await pair.clock.advance(70_000)
    pair.link.faults = {}
    await pair.clock.advance(30_000)
    const { Sharing: _sharing, Chat: _chat, ...carried } = media
    expect([hangUp.result, mediaOf(pair).visitor, fakeOf(pair.visitor).carried]).toEqual([
      { code: 'left' },
      media,
      carried,
    ])
  })

  it.each(WHAT)(
    'MED-29 MED-30 RES-1 does not come back with the page, however often it is loaded anew: %s',
    async (_what, off, media) => {
      const pair = await inCall({ Voice: required, Video: required })
      const hangUp = turnOffline(pair, off)
      await settled()
      pair.link.faults = {}
      const { page, contact } = await reload(pair)
      expect([hangUp.result, mediaOf({ ...pair, visitor: contact })]).toEqual([
        { code: 'left' },
        { visitor: media, agent: algebra.swap(media) },
      ])
      await page.client.close()
      const { contact: third } = await openTab(pair, pair.tab)
      expect(mediaOf({ ...pair, visitor: third })).toEqual({ visitor: media, agent: algebra.swap(media) })
    },
  )

  it('MED-29 RES-1 what was agreed to after that comes back with the page, and an offer that was still open takes nothing away', async () => {
    const pair = await inCall()
    turnOffline(pair, { Voice: OFF })
    await settled()
    pair.link.faults = {}
    const second = await reload(pair)
    answering(second.contact)
    await pair.agent.offerMedia(offering({ Voice: required }))
    await settled()
    await second.page.client.close()
    const third = await openTab(pair, pair.tab)
    expect(mediaOf({ ...pair, visitor: third.contact })).toEqual({ visitor: CALLING, agent: CALLING })
    asked(pair.agent)
    const ringing = watch(third.contact.offerMedia(offering({ Voice: required, Video: required })))
    await settled()
    expect([ringing.result, pair.agent.mediaState]).toEqual(['pending', 'offered'])
    await third.page.client.close()
    const { contact } = await openTab(pair, pair.tab)
    expect(mediaOf({ ...pair, visitor: contact })).toEqual({ visitor: CALLING, agent: CALLING })
  })
})

describe('who is told that the other side has left a channel', () => {
  const VIDEO_TOO = { Voice: required, Video: required }
  /** What each side is told when one offers this, and the other takes of it what it likes. */
  async function afterOffer(
    offerer: 'visitor' | 'agent',
    media: MediaOffer,
    taken: Readonly<Record<string, MediaStateDetails>>,
  ) {
    const pair = await inCall(VIDEO_TOO)
    const told: Record<'visitor' | 'agent', object[]> = { visitor: [], agent: [] }
    pair.visitor.on('left', (body) => void told.visitor.push(body))
    pair.agent.on('left', (body) => void told.agent.push(body))
    const answerer = offerer === 'agent' ? 'visitor' : 'agent'
    answering(pair[answerer], { Chat: NATIVE, ...taken })
    await pair[offerer].offerMedia(offering(media))
    await settled()
    const by = (bodies: readonly object[]): (string | undefined)[] =>
      bodies.map((body) => ('user' in body ? 'agent' : 'vvcu' in body ? 'visitor' : undefined))
    return { visitor: by(told.visitor), agent: by(told.agent) }
  }

  it.each(['visitor', 'agent'] as const)(
    'SND-311 it is the other one, where an answer turns off what an offer by the %s left open',
    async (offerer) => {
      const answerer = offerer === 'agent' ? 'visitor' : 'agent'
      expect(await afterOffer(offerer, { Voice: optional, Video: optional }, { Video: CALL })).toEqual({
        [answerer]: [],
        [offerer]: [answerer],
      })
    },
  )

  it.each(['visitor', 'agent'] as const)(
    'SND-311 it is the other one, where an offer by the %s turns a medium off, or does not name it',
    async (offerer) => {
      const answerer = offerer === 'agent' ? 'visitor' : 'agent'
      const off = { tx: 'off', rx: 'off' } as const
      for (const Video of [off, undefined])
        expect(
          await afterOffer(offerer, { Voice: required, ...(Video && { Video }) }, { Voice: CALL }),
        ).toEqual({ [offerer]: [], [answerer]: [offerer] })
    },
  )

  it('SND-311 it is both, where one turns a medium off by an offer, and the other another by the answer', async () => {
    expect(await afterOffer('agent', { Voice: optional }, {})).toEqual({
      visitor: ['agent'],
      agent: ['visitor'],
    })
  })
})
