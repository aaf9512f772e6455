import { describe, expect, it } from 'vitest'
import { ServiceBench, WireSession } from '../../testing/service-bench.ts'
import { memoryService } from './broken-services.ts'

const codeOf = (asked: Promise<readonly object[]>): Promise<unknown> =>
  asked.then(
    (all) => all,
    ({ code }: { code: string }) => code,
  )
const text = (id: string, session: string, counter: number) => ({
  ...{ id, type: 'text', body: { text: 'x' } },
  ...{ session, counter },
})

describe('the service in memory refuses a call as a whole, and uses up nothing', () => {
  it('SND-305 for two drafts with the same id, and for one with another session', async () => {
    const bench = new ServiceBench(memoryService())
    const { session, party, contact } = await bench.queued()
    const { id, counter } = session
    const drafts = [text('same', id, counter + 1), text('same', id, counter + 2)]
    expect(await codeOf(session.append(...drafts))).toBe('invalid_argument')
    expect(await codeOf(session.append(text('a', 'another', counter + 1)))).toBe('invalid_argument')
    const opened = await party.call('contact.open', { contact, session: id, cursor: 0 })
    expect(opened.counter).toBe(counter)
    await bench.stop()
  })

  it('SND-305 for a session that was not opened', async () => {
    const bench = new ServiceBench(memoryService())
    const { party, contact } = await bench.queued()
    expect(await codeOf(new WireSession(party, contact).text('x'))).toBe('not_joined')
    await bench.stop()
  })

  it('SND-305 for a contact that is over, unless all is stored already', async () => {
    const bench = new ServiceBench(memoryService())
    const { visitor, agent } = await bench.joined()
    const { session } = visitor
    const stored = text('stored', session.id, session.counter + 1)
    const [first] = await session.append(stored)
    await agent.session.leave()
    expect(await codeOf(session.append(text('late', session.id, session.counter + 2)))).toBe('left')
    expect(await session.append(stored)).toEqual([first])
    await bench.stop()
  })
})
