import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { attackable } from '../../support/attacks.ts'
import { answering, asked, required } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { hostileTransport } from '../../support/hostile-service.ts'

const VOICE = { Voice: { ...required, via: 'net', engine: 'WebRTC' } } as const

describe('who starts the devices of a visitor', () => {
  it.each([true, false])(
    'ENC-562 no record does, by a first offer that the page has not asked for (secure: %s)',
    async (secure) => {
      const world = new World()
      const hands = attackable()
      const sound = world.link.transport
      Object.assign(world.link, {
        transport: (party: Parameters<typeof sound>[0]) =>
          hostileTransport(sound(party), party.slot, hands.service),
      })
      hands.attack = {
        answer: (_name, result: { readonly record?: object }, to) =>
          to === 'visitor' && result.record
            ? { ...result, record: { ...result.record, initialOffer: VOICE } }
            : result,
      }
      const visitor = await world.visitor().client.createContact({ secure })
      const agent = await world.agent().client.accept(visitor.id)
      answering(agent)
      await agent.join()
      await settled()
      expect(world.entries).not.toContain('offer')
      expect([visitor.mediaState, visitor.data().mediaState.Voice?.tx ?? false]).toEqual(['idle', false])
    },
  )

  it('ENC-562 nor does another tab than the one that has asked for the offer', async () => {
    const world = new World()
    const page = world.visitor()
    const first = await page.client.createContact({ initialOffer: { Chat: required, Voice: required } })
    await page.client.close()
    const { contact } = await world.visitor().client.resumeContact()
    const agent = await world.agent().client.accept(first.id)
    const offers = asked(agent)
    await agent.join()
    await settled()
    expect([contact?.id, contact?.mediaState, offers]).toEqual([first.id, 'idle', []])
    expect(agent.data().initialOffer?.Voice).toMatchObject(required)
  })
})
