import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { VOICE, answering, joined, watch } from '../../support/contacts.ts'

describe('a page comes in while the contact goes on under another id', () => {
  it.each(['before', 'after'] as const)(
    'LIFE-15 RES-1 SND-25 the transfer stands in the log %s its present: it comes in where the contact is',
    async (when) => {
      const pair = await joined()
      await pair.pages.visitor.client.close()
      const page = pair.world.visitor({ tab: pair.tab })
      const answer = pair.link.answer.bind(pair.link)
      pair.link.answer = (connection, name, args) => {
        if (name !== 'log.append' || connection.party !== page.party) return answer(connection, name, args)
        pair.link.answer = answer
        if (when === 'before') pair.world.contact.transfer({})
        const answered = answer(connection, name, args)
        if (when === 'after') pair.world.contact.transfer({})
        pair.link.deliver()
        return answered
      }
      const resuming = watch(page.client.resumeContact())
      await pair.clock.advance(3_000)
      const { contact } = (
        resuming.result as { readonly value?: Awaited<ReturnType<typeof page.client.resumeContact>> }
      ).value ?? { contact: null }
      expect([contact?.id, contact?.mediaState]).toEqual([pair.world.contact.successor, 'idle'])
      if (!contact) return
      const bob = pair.world.agent({ id: 'agent-2', nick: 'Bob' })
      const there = await bob.client.accept(contact.id)
      answering(there)
      await there.join()
      await settled()
      await contact.offerMedia(VOICE)
      expect(there.data().mediaState.Voice?.tx).toBe(true)
    },
  )
})
