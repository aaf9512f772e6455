import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { Draft, ErrorCode } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import type { Party } from '../../../testing/index.ts'
import type { World } from '../../support/world.ts'
import { VOICE, answering, joined, openTab, queued, record, watch } from '../../support/contacts.ts'

/** From now on the service refuses what a party writes. Gives the ids of what it refused, and what makes it take all again. */
function refusing({ link }: Pick<World, 'link'>, party: Party, code: ErrorCode = 'forbidden') {
  const ids: string[] = []
  const answer = link.answer.bind(link)
  link.answer = (connection, name, args) => {
    if (name !== 'log.append' || connection.party !== party) return answer(connection, name, args)
    ids.push(...(args as { drafts: readonly Draft[] }).drafts.map(({ id }) => id))
    throw new ContactError(code, 'unable to append; a fault')
  }
  return { ids, stop: () => (link.answer = answer) }
}

/** A tab that follows, and whose takeover the service has refused. */
async function refusedTakeover() {
  const pair = await joined()
  const { contact, page } = await openTab(pair)
  const fault = refusing(pair, page.party)
  const taking = watch(contact.takeOver())
  await settled()
  expect([taking.result, contact.mediaState, pair.visitor.mediaState]).toEqual([
    { code: 'forbidden' },
    'init',
    'idle',
  ])
  return { ...pair, contact, page, fault }
}

describe('a takeover that the service refuses', () => {
  it('SND-25 SND-309 can be tried again, and then the page has slot and call', async () => {
    const { contact, visitor, agent, fault, clock } = await refusedTakeover()
    fault.stop()
    await clock.advance(60_000)
    expect([contact.mediaState, visitor.mediaState]).toEqual(['init', 'idle'])
    await contact.takeOver()
    await settled()
    expect([contact.mediaState, visitor.mediaState]).toEqual(['idle', 'init'])
    answering(agent)
    await contact.offerMedia(VOICE)
    expect([contact.mediaState, agent.data().mediaState.Voice?.tx]).toEqual(['idle', true])
  })

  it('SND-25 SND-309 does not keep the page from being first when the one with the slot leaves', async () => {
    const { contact, visitor, fault } = await refusedTakeover()
    fault.stop()
    await visitor.leave()
    await settled()
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-25 SND-309 … or is closed', async () => {
    const { contact, pages, fault, clock } = await refusedTakeover()
    await clock.advance(10_000)
    fault.stop()
    await pages.visitor.client.close()
    await clock.advance(1_000)
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-25 SND-309 the page is first as soon as the service takes its word, where the one with the slot has gone meanwhile', async () => {
    const { contact, visitor, pages, fault, clock } = await refusedTakeover()
    await visitor.leave()
    await pages.visitor.client.close()
    await clock.advance(30_000)
    expect(contact.mediaState).toBe('init')
    fault.stop()
    await clock.advance(6_000)
    expect(contact.mediaState).toBe('idle')
  })

  it('SND-25 SND-309 the service is not asked more often than every 5 s, and no entry has the id of another', async () => {
    const { visitor, fault, clock } = await refusedTakeover()
    await visitor.leave()
    await clock.advance(60_000)
    expect(new Set(fault.ids).size).toBe(fault.ids.length)
    expect(fault.ids.length).toBeGreaterThan(5)
    expect(fault.ids.length).toBeLessThanOrEqual(14)
  })

  it('SND-25 SND-309 is over with the contact: no timer is left', async () => {
    const { contact, pages, fault, clock } = await refusedTakeover()
    await pages.visitor.client.close()
    await clock.advance(30_000)
    fault.stop()
    await contact.leave()
    await pages.agent.client.close()
    await clock.advance(700_000)
    expect(clock.pending).toBe(0)
  })
})

describe('a first present that the service refuses', () => {
  it('SND-25 LOG-5 is written under another id where the page enters again, and the page takes no part before that', async () => {
    const { world, page, visitor } = await queued()
    await page.client.close()
    const again = world.visitor()
    const fault = refusing(world, again.party)
    const resuming = watch(again.client.resumeContact())
    await settled()
    expect(resuming.result).toEqual({ code: 'forbidden' })
    const agent = world.agent()
    const contact = await agent.client.accept(visitor.id)
    const refused = refusing(world, agent.party)
    const joining = watch(contact.join())
    await settled()
    expect([joining.result, contact.mediaState]).toEqual([{ code: 'forbidden' }, 'init'])
    refused.stop()
    await world.clock.advance(20_000)
    expect(world.entries).not.toContain('joined')
    await contact.join()
    await settled()
    const written = world.contact.entries.flatMap(({ id, type, slot }) =>
      type === 'present' && slot === 'agent' ? [id] : [],
    )
    expect([written.length, refused.ids.length, written.some((id) => refused.ids.includes(id))]).toEqual([
      1,
      1,
      false,
    ])
    expect([contact.mediaState, fault.ids.length]).toEqual(['idle', 1])
  })

  it('SND-25 SND-309 of a page that goes second after a transfer does not end its part', async () => {
    const pair = await joined()
    const { contact, page } = await openTab(pair)
    const fault = refusing(pair, page.party)
    const told = record(contact, 'error')
    await pair.pages.agent.client.transfer(pair.visitor.id, { toTags: [] })
    await settled()
    expect([contact.mediaState, pair.visitor.mediaState, told.length]).toEqual(['init', 'idle', 1])
    fault.stop()
    await contact.takeOver()
    await settled()
    expect([contact.mediaState, pair.visitor.mediaState]).toEqual(['idle', 'init'])
  })
})
