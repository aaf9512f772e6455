import { describe, expect, it } from 'vitest'
import type { Contact, MediaState } from '../../../sdk/index.ts'
import { lessAfter } from '../../../machines/media/media.restoring.ts'
import type { ErrorCode, MediaOffer } from '../../../protocol/index.ts'
import type { FakeDevices } from '../../../testing/index.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import {
  CALL,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  joined,
  offering,
  on,
  openTab,
  record,
  required,
} from '../../support/contacts.ts'

type Details = NonNullable<MediaOffer[string]>
const SEND = { tx: 'required', rx: 'off' } as const
const BOTH = { Voice: required, Video: required }

/** A call, and a page of the visitor that is loaded anew in it. */
async function cut(media: typeof BOTH | Record<string, typeof SEND | typeof required>) {
  const test = await createTestContact()
  answering(test.agent)
  await test.visitor.offerMedia(offering(media))
  await settled()
  test.agent.off('mediaoffer')
  const offers = asked(test.agent)
  const told: unknown[] = []
  const load = (): Promise<Contact> =>
    test.reload('visitor', (contact) => contact.on('restored', (event) => told.push(event)))
  return { ...test, offers, told, load }
}

const mediaNow = async (contact: Contact): Promise<MediaState> => contact.cloneMedia(await contact.getMedia())

describe('what is tried when a restore fails', () => {
  const by = { via: 'net', engine: 'WebRTC' }
  const [both, sends, receives, off] = (
    ['required required', 'required off', 'off required', 'off off'] as const
  ).map((each) => {
    const [tx, rx] = each.split(' ')
    return { tx, rx, ...by }
  }) as unknown as readonly [Details, Details, Details, Details]
  const tries = (whole: MediaOffer, ...codes: readonly ErrorCode[]): readonly (MediaOffer | null)[] => {
    let offer: MediaOffer | null = whole
    return codes.map((code) => (offer = offer && lessAfter(offer, code, whole)))
  }

  it('SND-9 ENG-13 where devices fail each medium is left out alone before all are', () => {
    const whole = { Voice: both, Video: both }
    const gone = 'media_not_found'
    expect(tries(whole, gone, gone, gone, gone)).toEqual([
      { Voice: both, Video: receives },
      { Voice: receives, Video: both },
      { Voice: receives, Video: receives },
      null,
    ])
    expect(tries(whole, 'remote_failed', 'remote_failed')).toEqual([
      { Voice: both, Video: sends },
      { Voice: sends, Video: both },
    ])
    expect(
      tries({ ...whole, Whiteboard: both }, gone, gone, gone, gone, gone, gone).map(
        (offer) => offer && Object.keys(offer).filter((medium) => offer[medium]?.tx === 'off'),
      ),
    ).toEqual([
      ['Video'],
      ['Whiteboard'],
      ['Voice'],
      ['Video', 'Whiteboard'],
      ['Voice', 'Video', 'Whiteboard'],
      null,
    ])
  })

  it('SND-9 where the engine fails the camera goes before the sound of either side, and devices that failed stay left out', () => {
    expect(tries({ Voice: both, Video: sends }, 'engine_failed', 'engine_failed')).toEqual([
      { Voice: both, Video: off },
      null,
    ])
    expect(
      tries({ Voice: both, Video: both }, 'media_in_use', 'media_in_use', 'engine_failed', 'media_in_use'),
    ).toEqual([
      { Voice: both, Video: receives },
      { Voice: receives, Video: both },
      { Voice: receives, Video: off },
      null,
    ])
  })
})

describe('a call that a page load has cut', () => {
  it('SND-9 comes back without the own screen, which needs a click, and that is told', async () => {
    const { agent, offers, told, load } = await cut({ Voice: required, Screen: SEND })
    const page = await load()
    const now = { ...START, Voice: CALL }
    expect([await mediaNow(page), await mediaNow(agent), offers]).toEqual([now, now, []])
    expect(told).toMatchObject([
      { media: now, missing: { Screen: { tx: true, rx: false } }, muted: [], held: false },
    ])
  })

  it('SND-9 the same where the screen is that of the other side', async () => {
    const { told, load } = await cut({ Voice: required, Screen: { tx: 'off', rx: 'required' } as never })
    const page = await load()
    expect([await mediaNow(page), told]).toMatchObject([
      { ...START, Voice: CALL },
      [{ missing: { Screen: { tx: false, rx: true } } }],
    ])
  })

  it('SND-9 of a screen alone nothing comes back, nobody is asked, and that is told', async () => {
    const { offers, told, load, link } = await cut({ Screen: SEND })
    const before = [...link.contacts.values()][0]?.entries.filter(({ type }) => type === 'offer').length
    const page = await load()
    expect([await mediaNow(page), offers, told]).toMatchObject([
      START,
      [],
      [{ missing: { Screen: { tx: true, rx: false } } }],
    ])
    expect([...link.contacts.values()][0]?.entries.filter(({ type }) => type === 'offer').length).toBe(before)
  })

  it.each([
    [
      'the own camera',
      { own: ['Video'] },
      { Voice: CALL, Video: on(false, true) },
      { Video: { tx: true, rx: false } },
      'media_not_found',
    ],
    [
      'both own devices',
      { own: ['Video', 'Voice'] },
      { Voice: on(false, true), Video: on(false, true) },
      { Voice: { tx: true, rx: false }, Video: { tx: true, rx: false } },
      'media_not_found',
    ],
    [
      'the own microphone alone',
      { own: ['Voice'] },
      { Voice: on(false, true), Video: CALL },
      { Voice: { tx: true, rx: false } },
      'media_not_found',
    ],
    [
      'the camera of the other side',
      { other: ['Video'] },
      { Voice: CALL, Video: on(true, false) },
      { Video: { tx: false, rx: true } },
      'remote_failed',
    ],
  ] as const)(
    'SND-9 comes back without %s, where that cannot be had any more',
    async (_what, gone, media, missing, code) => {
      const { agent, devices, offers, told, load } = await cut(BOTH)
      const deny = (of: FakeDevices, lost: readonly string[]): void => {
        const ask = of.ask.bind(of)
        of.ask = (medium) => {
          if (lost.includes(medium)) of.refuseMedium(medium, 'media_not_found')
          return ask(medium)
        }
      }
      deny(devices.visitor, 'own' in gone ? gone.own : [])
      deny(devices.agent, 'other' in gone ? gone.other : [])
      const page = await load()
      expect([await mediaNow(page), offers]).toEqual([{ ...START, ...media }, []])
      expect(told).toMatchObject([{ missing, code }])
      expect((await mediaNow(agent)).Voice?.rx).toBe(media.Voice.tx)
    },
  )

  it('SND-9 a call that comes back whole is told as well, and one that the other side does not want, with why', async () => {
    const whole = await cut(BOTH)
    await whole.load()
    expect(whole.told).toMatchObject([{ missing: {}, muted: [], held: false }])
    expect(whole.told[0]).not.toHaveProperty('code')
    const pair = await joined()
    answering(pair.agent)
    await pair.visitor.offerMedia(VOICE)
    await pair.pages.visitor.client.close()
    await pair.clock.advance(20_000)
    pair.agent.off('mediaoffer')
    void pair.agent.mergeAndTransitMedia({ Voice: OFF })
    await settled()
    const offers = asked(pair.agent)
    const { contact } = await openTab(pair, pair.tab)
    const told = record(contact, 'restored')
    offers[0]?.callback('no')
    await settled()
    expect(told).toMatchObject([
      ['restored', { missing: { Voice: { tx: true, rx: true } }, code: 'rejected' }],
    ])
  })
})
