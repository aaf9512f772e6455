import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { CallName, ErrorCode, Slot, Transport } from '../../../protocol/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { joined, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const CODES = ['internal', 'rate_limited', 'offline', 'timeout'] as const

/** The service answers so many calls of a party with a code, on a connection that lives. */
function answerWith(
  world: World,
  code: ErrorCode,
  of: { slot: Slot; name: CallName; times: number; contact?: string },
) {
  const seen = { calls: 0, connections: 0 }
  world.link.faults = {
    onConnect: ({ slot }) => {
      if (slot === of.slot) seen.connections++
      return 'pass'
    },
    onMessage: ({ slot }, name, body) => {
      const { contact } = body as { readonly contact?: string }
      if (slot !== of.slot || name !== of.name || contact !== (of.contact ?? contact)) return 'pass'
      seen.calls++
      if (seen.calls <= of.times) throw new ContactError(code, `unable to carry out ${name} now`)
      return 'pass'
    },
  }
  return seen
}

describe('a fault that the service answers, on a connection that lives', () => {
  for (const slot of ['visitor', 'agent'] as const)
    it.each(CODES)(`SND-302 SND-21 the leave of the ${slot} is told again: %s`, async (code) => {
      const pair = await joined()
      const told = record(slot === 'visitor' ? pair.agent : pair.visitor, 'left')
      const seen = answerWith(pair.world, code, { slot, name: 'contact.leave', times: 2 })
      await pair[slot].leave()
      await pair.clock.advance(10_000)
      expect(told).toMatchObject([['left', { reason: slot === 'visitor' ? 'vvcu' : 'user' }]])
      expect(seen).toEqual({ calls: 3, connections: 0 })
    })

  it('SND-302 SND-21 the leave is told though the visitor has started a new contact meanwhile', async () => {
    const pair = await joined()
    const told = record(pair.agent, 'left')
    answerWith(pair.world, 'offline', { slot: 'visitor', name: 'contact.leave', times: 1 })
    await pair.visitor.leave()
    const next = watch(pair.pages.visitor.client.createContact())
    await pair.clock.advance(10_000)
    expect(next.result).toHaveProperty('value')
    expect(told).toMatchObject([['left', { reason: 'vvcu' }]])
  })

  it.each(CODES)(
    'SND-302 SND-25 one contact that cannot be opened leaves the others their connection: %s',
    async (code) => {
      const world = new World()
      const page = world.agent()
      const theirs = [
        await world.visitor().client.createContact(),
        await world.visitor().client.createContact(),
      ] as const
      const mine = []
      for (const { id } of theirs) {
        const contact = await page.client.accept(id)
        await contact.join()
        mine.push(contact)
      }
      await settled()
      const [locked, other] = mine.map((contact) => record(contact, 'text'))
      const seen = answerWith(world, code, {
        slot: 'agent',
        name: 'contact.open',
        times: 5,
        contact: theirs[0].id,
      })
      world.link.cut('agent')
      for (let second = 0; second < 5; second++) {
        void watch(theirs[1].sendText(`text ${second}`))
        await world.clock.advance(1_000)
      }
      expect(other?.length).toBe(5)
      void watch(theirs[0].sendText('and here?'))
      await world.clock.advance(10_000)
      expect([seen.connections, locked?.length]).toEqual([1, 1])
    },
  )
})

describe('entries that did not arrive', () => {
  /** A visitor's page to which pushes of the log can be lost, and its agent. */
  async function lossy() {
    const world = new World()
    const inner = world.link.transport({ slot: 'visitor', id: 'visitor-1' })
    const ways = { lose: 0 }
    const transport: Transport = {
      connect: (onEvent) =>
        inner.connect((event) => {
          const isLog = event.type === 'push' && event.push.name === 'log.entries'
          if (!isLog || ways.lose-- <= 0) onEvent(event)
        }),
    }
    const environment = { ...testEnvironment(world.clock), clock: world.clock }
    const visitor = await new VisitorClient(
      { service: 'http://localhost', transport },
      environment,
    ).createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await agent.join()
    await settled()
    return { world, visitor, agent, ways }
  }

  it.each(CODES)('SND-302 LOG-5 are asked for until the service gives them: %s', async (code) => {
    const { world, visitor, agent, ways } = await lossy()
    const told = record(visitor, 'text')
    ways.lose = 1
    await agent.sendText('lost')
    await settled()
    answerWith(world, code, { slot: 'visitor', name: 'contact.open', times: 2 })
    await agent.sendText('next')
    await world.clock.advance(10_000)
    expect(told).toMatchObject([
      ['text', { text: 'lost' }],
      ['text', { text: 'next' }],
    ])
  })

  it('SND-306 LOG-5 are asked for once, however many entries show the gap', async () => {
    const { world, visitor, agent, ways } = await lossy()
    const told = record(visitor, 'text')
    ways.lose = 1
    await agent.sendText('lost')
    await settled()
    const seen = answerWith(world, 'internal', { slot: 'visitor', name: 'contact.open', times: 1 })
    for (let count = 0; count < 20; count++) {
      void watch(agent.sendText(`text ${count}`))
      await settled()
    }
    expect(seen.calls).toBe(1)
    await world.clock.advance(10_000)
    expect([seen.calls, told.length]).toEqual([2, 21])
  })
})
