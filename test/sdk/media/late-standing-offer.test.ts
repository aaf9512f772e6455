import { afterEach, describe, expect, it, vi } from 'vitest'
import { here, later } from '../../../sdk/contact/lazy-modules.ts'
import { settled } from '../../../testing/index.ts'
import { VOICE, inCall, joined, offering, openTab, record, required, watch } from '../../support/contacts.ts'

const loaded = await later.negotiation()

afterEach(() => {
  vi.restoreAllMocks()
  Object.defineProperty(here, 'negotiation', { configurable: true, writable: true, value: loaded })
})

describe('a page that is loaded anew while an offer of the remote stands, and whose code is late', () => {
  it.each([
    ['in a call', inCall, offering({ Voice: required, Video: required })],
    ['without a call', joined, VOICE],
  ])('MED-36 RES-2 is not idle before it knows of the offer, %s', async (_, begun, offer) => {
    const pair = await begun()
    pair.visitor.on('mediaoffer', () => {})
    const asking = watch(pair.agent.offerMedia(offer))
    await settled()
    let come = (): void => {}
    Object.defineProperty(here, 'negotiation', { configurable: true, get: () => null, set: () => {} })
    vi.spyOn(later, 'negotiation').mockImplementation(
      () => new Promise((resolve) => (come = () => resolve(loaded))),
    )
    pair.link.cut('visitor')
    const back = (await openTab(pair, pair.tab)).contact
    const told = record(back, 'mediastate', 'mediaoffer')
    await settled()
    expect([back.holdsSlot, back.mediaState, told, asking.result]).toEqual([true, 'init', [], 'pending'])
    come()
    await settled()
    expect(told.map(([name, event]) => ('state' in event ? event.state : name))).toEqual([
      'mediaoffer',
      'offered',
    ])
  })
})
