import { describe, expect, it } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { joined, record, watch } from '../../support/contacts.ts'

describe('read receipts', () => {
  it('PRD-192 of either side reach the other as read, are no messages and are not acknowledged', async () => {
    const { visitor, agent } = await joined({ nick: 'Vera' })
    const [here, there] = [record(visitor, 'text', 'ack', 'read'), record(agent, 'read')]
    const id = await agent.sendText('hello')
    await settled()
    await visitor.sendRead(id)
    await agent.sendRead('some-id')
    await settled()
    expect(there).toEqual([['read', { ref: id, from_id: 'visitor-1', from_nick: 'Vera', agent: false }]])
    expect(here.map(([name]) => name)).toEqual(['text', 'read'])
    expect((await visitor.readTranscript()).messages.map(({ id: each }) => each)).toEqual([id])
  })

  it.each(['', 'no id', 'x'.repeat(129), 7, null])(
    'PRD-192 of %j is refused here, without the service',
    async (ref) => {
      const pair = await joined()
      pair.link.faults = { onConnect: () => 'drop' }
      pair.link.cut('visitor')
      const told = watch(pair.visitor.sendRead(ref as string))
      await settled()
      expect(told.result).toMatchObject({ code: 'invalid_argument' })
      await pair.visitor.leave()
    },
  )

  it('PRD-192 LOG-7 wait in the queue of messages, which has a bound', async () => {
    const pair = await joined()
    pair.link.faults = { onConnect: () => 'drop' }
    pair.link.cut('visitor')
    await pair.clock.advance(1_000)
    const told = Array.from({ length: 1_001 }, (_, index) => watch(pair.visitor.sendRead(`m${index}`)))
    await settled()
    expect(told.slice(-2).map(({ result }) => result)).toEqual(['pending', { code: 'too_large' }])
    await pair.visitor.leave()
  })
})
