import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import {
  CALL,
  answering,
  asked,
  fakeOf,
  joined,
  offering,
  on,
  reload,
  required,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

describe("the contact's first offer", () => {
  it('SND-16 is made when the visitor’s page is back, where the agent came during a page load', async () => {
    const world = new World()
    const tab = memoryStore()
    const page = world.visitor({ tab })
    const visitor = await page.client.createContact({ initialOffer: { Chat: required, Voice: required } })
    await page.client.close()
    const agent = await world.agent().client.accept(visitor.id)
    const offers = asked(agent)
    await agent.join()
    await settled()
    expect(offers).toEqual([])
    const { contact } = await world.visitor({ tab }).client.resumeContact()
    await settled()
    expect([offers.length, offers[0]?.offer.Voice, contact?.mediaState]).toMatchObject([
      1,
      { tx: 'required', rx: 'required' },
      'offering',
    ])
    offers[0]?.callback('no')
    await settled()
    expect(contact?.mediaState).toBe('idle')
  })

  it('SND-16 is made again where the page was loaded anew while it stood, and not once it was answered', async () => {
    const test = await createTestContact({ contact: { initialOffer: { Chat: required, Voice: required } } })
    // Rejected by the kit's agent, who does not listen.
    const offers = asked(test.agent)
    await test.reload('visitor')
    expect(offers).toEqual([])
    const world = new World()
    let asking: ReturnType<typeof asked> = []
    const pair = await joined(
      { initialOffer: { Chat: required, Voice: required } },
      ({ agent }) => void (asking = asked(agent)),
      world,
    )
    expect(asking.length).toBe(1)
    await reload(pair)
    expect(asking.length).toBe(2)
  })

  it('SND-16 comes after an offer of the agent that was faster, unless that is agreed to', async () => {
    const world = new World()
    const page = world.visitor()
    const visitor = await page.client.createContact({ initialOffer: { Chat: required, Voice: required } })
    answering(visitor)
    const agent = await world.agent().client.accept(visitor.id)
    const offers = asked(agent)
    await agent.join()
    void agent.offerMedia(offering({ Video: required })).catch(() => {})
    await settled()
    offers[0]?.callback(null, { Chat: on(true, true, 'Native'), Voice: CALL })
    await settled()
    expect([visitor.mediaState, offers.length]).toEqual(['idle', 1])
  })

  it.each([
    [
      'is rejected',
      ({ agent }: { agent: Contact }) => agent.on('mediaoffer', ({ callback }) => callback('not now')),
      'rejected',
    ],
    [
      'is answered with less than it requires',
      ({ agent }: { agent: Contact }) => agent.on('mediaoffer', ({ callback }) => callback(null, {})),
      'rejected',
    ],
    [
      'finds no device',
      ({ visitor }: { visitor: Contact }) => void fakeOf(visitor).script('prepare', 'media_denied'),
      'media_denied',
    ],
    [
      'fails at the other side',
      ({ agent }: { agent: Contact }) => (
        answering(agent),
        void fakeOf(agent).script('transit', 'engine_failed')
      ),
      'remote_failed',
    ],
  ] as const)('SND-25 one that %s is told as an error', async (_how, prepare, code) => {
    const errors: unknown[] = []
    const pair = await joined({ initialOffer: { Chat: required, Voice: required } }, (parties) => {
      parties.visitor.on('error', (error) => errors.push(error))
      prepare(parties)
    })
    expect([errors, pair.visitor.mediaState]).toMatchObject([[{ name: 'ContactError', code }], 'idle'])
    const { contact } = await reload(pair)
    expect(contact.mediaState).toBe('idle')
    expect(pair.world.entries.filter((type) => type === 'offer').length).toBeLessThan(2)
  })

  it('SND-25 one that succeeds tells no error', async () => {
    const errors: unknown[] = []
    await joined({ initialOffer: { Chat: required, Voice: required } }, ({ visitor, agent }) => {
      visitor.on('error', (error) => errors.push(error))
      answering(agent)
    })
    expect(errors).toEqual([])
  })
})
