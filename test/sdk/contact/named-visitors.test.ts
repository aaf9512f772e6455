import { describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { record, watch } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

const SERVICE = 'http://localhost'
/** A token in the name of `sub`, as the service issues it to the site. */
const jwtOf = (sub: string): string => `e30.${btoa(JSON.stringify({ sub }))}.x`

describe.each([
  ['which tell who it is', jwtOf],
  ['which only the service can read', () => 'opaque'],
] as const)(
  'visitors who sign in one after the other in one browser, with tokens of the site %s',
  (_name, tokenOf) => {
    const pageIn = (world: World, id: string, tab: KeyValueStore = memoryStore()): VisitorClient =>
      new VisitorClient(
        {
          service: SERVICE,
          token: tokenOf(id),
          transport: world.link.transport({ slot: 'visitor', id }),
        },
        { ...testEnvironment(world.clock, fakes), store: world.store, tab },
      )
    /** A visitor opens a contact, and their page goes. */
    async function opened(world: World, id: string, tab?: KeyValueStore): Promise<string> {
      const page = pageIn(world, id, tab)
      const contact = await page.createContact()
      await settled()
      await page.close()
      return contact.id
    }
    /** The contact that a page of a visitor takes up. */
    async function resumedBy(world: World, id: string, tab?: KeyValueStore): Promise<string | undefined> {
      const page = pageIn(world, id, tab)
      const { contact } = await page.resumeContact()
      await settled()
      await page.close()
      return contact?.id
    }

    it('SND-304 another one gets nothing of an open contact, and whose it is has it again', async () => {
      const world = new World()
      const contact = await opened(world, 'vera')
      expect(await resumedBy(world, 'wim')).toBe(undefined)
      expect(await resumedBy(world, 'vera')).toBe(contact)
    })

    it('SND-304 the same in one tab', async () => {
      const [world, tab] = [new World(), memoryStore()]
      const contact = await opened(world, 'vera', tab)
      expect(await resumedBy(world, 'wim', tab)).toBe(undefined)
      expect(await resumedBy(world, 'vera', tab)).toBe(contact)
    })

    it('SND-304 each has their own, in a new tab and in one that the other was in last', async () => {
      const [world, tab] = [new World(), memoryStore()]
      const first = await opened(world, 'vera', tab)
      const second = await opened(world, 'wim', tab)
      expect(await resumedBy(world, 'vera')).toBe(first)
      expect(await resumedBy(world, 'wim')).toBe(second)
      expect(await resumedBy(world, 'vera', tab)).toBe(first)
      expect(await resumedBy(world, 'wim', tab)).toBe(second)
    })

    it('SND-304 one that the service has cleared is forgotten', async () => {
      const [world, tab] = [new World(), memoryStore()]
      const page = pageIn(world, 'vera', tab)
      const contact = await page.createContact()
      const agent = await world.agent().client.accept(contact.id)
      await agent.join()
      await settled()
      await page.close()
      await agent.leave()
      await world.clock.advance(600_000)
      expect(await resumedBy(world, 'vera', tab)).toBe(undefined)
      expect(world.store.getItem(`duolog:${SERVICE}:visitor`)).toBe(null)
    })

    it('SND-304 SND-21 a leave is told in the name of who has left', async () => {
      const [world, tab] = [new World(), memoryStore()]
      const page = pageIn(world, 'vera', tab)
      const contact = await page.createContact()
      const agent = await world.agent().client.accept(contact.id)
      await agent.join()
      await settled()
      world.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
      world.link.cut('visitor')
      const leaving = watch(contact.leave())
      await world.clock.advance(16_000)
      expect(leaving.result).toEqual({ value: undefined })
      await page.close()
      world.link.faults = {}
      const told = record(agent, 'left')
      expect(await resumedBy(world, 'wim', tab)).toBe(undefined)
      await opened(world, 'wim', tab)
      expect(told).toEqual([])
      expect(await resumedBy(world, 'vera', tab)).toBe(undefined)
      expect(told).toMatchObject([['left', { vvcu: 'vera', reason: 'vvcu' }]])
    })
  },
)
