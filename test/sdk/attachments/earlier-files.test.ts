import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { joined, watch } from '../../support/contacts.ts'

describe('a file that was sent before a transfer', () => {
  it('ATT-1 can be had by both parties of the contact that goes on, also over two transfers', async () => {
    const pair = await joined()
    const { id } = await pair.agent.attach(new File(['hello'], 'a.txt', { type: 'text/plain' }))
    await settled()
    let from = pair.pages.agent.client
    for (const agent of ['agent-2', 'agent-3']) {
      await from.transfer(pair.visitor.id, { toAgent: agent })
      await settled()
      from = pair.world.agent({ id: agent, nick: 'Bea' }).client
      const next = await from.accept(pair.visitor.id)
      await next.join()
      await settled()
      for (const party of [pair.visitor, next]) expect(await party.attachmentUrl(id)).toMatch(/^data:/)
    }
  })

  it('ATT-1 ERR-1 one that is nowhere is not found', async () => {
    const pair = await joined()
    await pair.pages.agent.client.transfer(pair.visitor.id, { toTags: ['x'] })
    await settled()
    const asking = watch(pair.visitor.attachmentUrl('nowhere'))
    await settled()
    expect(asking.result).toEqual({ code: 'not_found' })
  })
})
