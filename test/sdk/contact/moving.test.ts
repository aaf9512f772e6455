import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { CallName } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record, watch } from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

/** The service fails `times` times at a call of the visitor that concerns the contact's next id. */
function failing({ link }: Pair, name: CallName, times: number): void {
  const answer = link.answer.bind(link)
  let left = times
  link.answer = (connection, called, args) => {
    const { contact } = args as { readonly contact?: string }
    if (called === name && contact === 'contact-2' && connection.party.slot === 'visitor' && left-- > 0)
      throw new ContactError('internal', 'a fault')
    return answer(connection, called, args)
  }
}

describe('a visitor who goes where the contact goes', () => {
  it.each(['contact.open', 'log.append'] as const)(
    'SND-25 LIFE-15 gets there although the service fails at %s, on a connection that lives',
    async (name) => {
      const pair = await joined()
      failing(pair, name, 3)
      await pair.pages.agent.client.transfer(pair.visitor.id, { toTags: ['x'] })
      await pair.clock.advance(20_000)
      const { client } = pair.world.agent({ id: 'agent-2', nick: 'Bob' })
      await (await client.accept('contact-2')).join()
      const sent = watch(pair.visitor.sendText('me'))
      await pair.clock.advance(1_000)
      expect([sent.result, pair.visitor.mediaState]).toEqual([{ value: expect.any(String) }, 'idle'])
    },
  )

  it('SND-310 is not told that an agent is away whose part ended before that', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'peeraway', 'transferred')
    pair.link.cut(pair.pages.agent.party)
    await pair.world.agent().client.transfer(pair.visitor.id, { toTags: ['x'] })
    await settled()
    await pair.clock.advance(30_000)
    expect(told.map(([name]) => name)).toEqual(['transferred'])
  })
})
