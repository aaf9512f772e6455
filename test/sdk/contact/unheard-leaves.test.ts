import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { CallName, Connection, Transport } from '../../../protocol/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { MemoryService, TestClock, settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { joined, record, watch } from '../../support/contacts.ts'

describe('leaving', () => {
  it.each([['never answers'], ['is too busy for']])(
    'SND-303 the service hears of a leave after 5 s although it %s what was sent before',
    async (how) => {
      const [clock, party] = [new TestClock(), { slot: 'visitor', id: 'visitor-1' } as const]
      const calls: string[] = []
      const sound = new MemoryService(clock).transport(party)
      const transport: Transport = {
        connect: (onEvent) => {
          const connection = sound.connect(onEvent)
          const call = async (name: CallName, args: never): Promise<unknown> => {
            const isText = name === 'log.append' && JSON.stringify(args).includes('"text"')
            if (isText && how === 'never answers') return new Promise(() => {})
            if (isText) throw new ContactError('rate_limited', 'too fast', { retryAfterMs: 60_000 })
            calls.push(name)
            return connection.call(name, args)
          }
          return { call: call as Connection['call'], close: () => connection.close() }
        },
      }
      const client = new VisitorClient({ service: 'http://localhost', transport }, testEnvironment(clock))
      const contact = await client.createContact()
      const sending = watch(contact.sendText('before I go'))
      await settled()
      const leaving = watch(contact.leave())
      await clock.advance(4_999)
      expect([calls.includes('contact.leave'), leaving.result]).toEqual([false, 'pending'])
      await clock.advance(1)
      expect([calls.includes('contact.leave'), leaving.result, sending.result]).toEqual([
        true,
        { value: undefined },
        { code: 'left' },
      ])
    },
  )

  it('LIFE-5 leave works while the service cannot be reached', async () => {
    const { visitor, link, clock } = await joined()
    const told = record(visitor, 'localleft')
    link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    link.cut('visitor')
    await visitor.leave()
    expect(told).toEqual([['localleft', { reason: 'closed' }]])
    await clock.advance(1_000_000)
    expect(clock.pending).toBe(0)
  })
})

describe('a leave that cannot be told at once', () => {
  it('SND-21 the service hears of a leave although it takes no text for a while', async () => {
    const pair = await joined()
    const told = record(pair.agent, 'left')
    const answer = pair.link.answer.bind(pair.link)
    pair.link.answer = ((
      connection: { party: { slot: string } },
      name: string,
      args: { drafts?: { id: string; type: string }[] },
    ) => {
      if (name === 'log.append' && connection.party.slot === 'visitor')
        return {
          appended: args.drafts?.map(({ id }) => ({
            id,
            error: { code: 'rate_limited', message: 'slow', retryAfterMs: 30_000 },
          })),
        }
      return answer(connection as never, name as never, args as never)
    }) as never
    const sent = watch(pair.visitor.sendText('too much'))
    await settled()
    const left = watch(pair.visitor.leave())
    await pair.clock.advance(40_000)
    expect({ sent: sent.result, left: left.result, told }).toMatchObject({
      sent: { code: 'left' },
      left: { value: undefined },
      told: [['left', { reason: 'vvcu' }]],
    })
  })

  it('SND-21 the leave of a visitor is heard although the client is closed right after it', async () => {
    const pair = await joined()
    const told = record(pair.agent, 'left')
    const leaving = watch(pair.visitor.leave())
    await pair.pages.visitor.client.close()
    await pair.clock.advance(5_000)
    const next = pair.world.visitor({ tab: pair.tab })
    const { contact } = await next.client.resumeContact()
    await pair.clock.advance(5_000)
    expect({ leaving: leaving.result, contact: contact?.id, told }).toMatchObject({
      contact: undefined,
      told: [['left', { reason: 'vvcu' }]],
    })
  })

  it('SND-21 the leave of an agent is heard although the client is closed right after it', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'left', 'cleared')
    const leaving = watch(pair.agent.leave())
    await pair.pages.agent.client.close()
    await pair.clock.advance(5_000)
    expect({ leaving: leaving.result, told }).toMatchObject({
      told: [
        ['left', { reason: 'user' }],
        ['cleared', {}],
      ],
    })
  })
})
