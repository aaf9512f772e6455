import { describe, expect, it } from 'vitest'
import type { ErrorCode, PartialMediaState } from '../../../protocol/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { FakeEngine, settled } from '../../../testing/index.ts'
import { START, VOICE, asked, fakeOf, joined, leaveBoth, mediaOf, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

type Change = (contact: Contact, changes?: PartialMediaState) => Promise<unknown>

const SHOW: PartialMediaState = { Screen: { tx: true, rx: false } }
/** The two ways to a direct transition. */
const CHANGES: Readonly<Record<string, Change>> = {
  mergeAndTransitMedia: (contact, changes = SHOW) => contact.mergeAndTransitMedia(changes),
  transitMedia: async (contact, changes = SHOW) => {
    const media = await contact.getMedia()
    return contact.transitMedia(media, { ...media, ...changes })
  },
}

/** What fails, with what code; both sides must be as before. */
const HERE: readonly ErrorCode[] = [
  'media_denied',
  'media_dismissed',
  'media_not_found',
  'media_in_use',
  'media_insecure_context',
  'media_failed',
  'engine_failed',
]

describe.each(Object.entries(CHANGES))('%s', (_operation, change) => {
  it('MED-4 gives invalid_state while an offer stands', async () => {
    const { visitor, agent } = await joined()
    asked(agent)
    void visitor.offerMedia(VOICE)
    await settled()
    await expect(change(visitor)).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(change(agent)).rejects.toMatchObject({ code: 'invalid_state' })
  })

  it('MED-18 MED-20 gives invalid_argument, invalid_offer and offer_required for what cannot be asked', async () => {
    const { visitor, world } = await joined()
    const before = world.entries
    await expect(change(visitor, { Voice: 1 } as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(change(visitor, { Smell: { tx: true, rx: false } })).rejects.toMatchObject({
      code: 'invalid_offer',
    })
    await expect(change(visitor, { Voice: { tx: false, rx: true } })).rejects.toMatchObject({
      code: 'offer_required',
    })
    expect(world.entries).toEqual(before)
  })

  it('MED-17 gives not_joined, peer_left and left where nobody is there', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    await expect(change(visitor)).rejects.toMatchObject({ code: 'peer_left' })
    await expect(change(await world.agent().client.accept(visitor.id))).rejects.toMatchObject({
      code: 'not_joined',
    })
    const pair = await joined()
    await leaveBoth(pair)
    await expect(change(pair.visitor)).rejects.toMatchObject({ code: 'left' })
  })

  it('MED-15 gives glare where the other side was first', async () => {
    const { visitor, agent } = await joined()
    const [first, second] = [watch(change(agent)), watch(change(visitor))]
    await settled()
    expect(first.result).not.toHaveProperty('code')
    expect(second.result).toEqual({ code: 'glare' })
  })

  it('MED-14 gives withdrawn where it is taken back while a device is asked for', async () => {
    const { visitor, clock } = await joined()
    fakeOf(visitor).script('prepare', 'hang')
    const result = watch(change(visitor))
    await settled()
    visitor.withdrawOffer()
    await clock.advance(5_000)
    expect([result.result, visitor.mediaState]).toEqual([{ code: 'withdrawn' }, 'idle'])
  })

  it('MED-26 gives timeout where an engine hangs here', async () => {
    const pair = await joined()
    fakeOf(pair.visitor).script('transit', 'hang')
    const result = watch(change(pair.visitor))
    await pair.clock.advance(35_000)
    expect([result.result, mediaOf(pair)]).toEqual([{ code: 'timeout' }, { visitor: START, agent: START }])
  })

  it.each(HERE)('MED-24 gives %s where an engine fails so here', async (code) => {
    const pair = await joined()
    fakeOf(pair.visitor).script('transit', code)
    await expect(change(pair.visitor)).rejects.toMatchObject({ code })
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
  })

  it('MED-24 gives remote_failed where one fails there', async () => {
    const pair = await joined()
    fakeOf(pair.agent).script('transit', 'media_failed')
    await expect(change(pair.visitor)).rejects.toMatchObject({ code: 'remote_failed' })
    await settled()
    expect(mediaOf(pair)).toEqual({ visitor: START, agent: START })
  })
})

describe('registerMediaEngine', () => {
  it('LIFE-19 gives left when the contact is over for this party', async () => {
    const pair = await joined()
    await leaveBoth(pair)
    await expect(
      pair.visitor.registerMediaEngine(new FakeEngine({ id: 'Late', media: ['Smell'] })),
    ).rejects.toMatchObject({ code: 'left' })
  })
})
