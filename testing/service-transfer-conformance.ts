import { WireSession } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

/** How a contact is transferred to other agents. */
export const SERVICE_TRANSFER_LAWS: readonly ServiceLaw[] = [
  law('transfer', 'a joined contact goes on under a new id, of which both are told', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    const { contact: toId } = await agent.party.call('agent.transfer', { contact, toTags: ['second'] })
    check(toId !== contact, 'the id is the same')
    for (const { party } of [visitor, agent])
      same((await party.entry(contact, 'transferred')).body, { toId, toTags: ['second'] }, 'the entry')
    const { record } = await visitor.party.call('contact.read', { contact: toId })
    same(
      [record.transferredFrom, record.state, record.tags],
      [contact, 'queued', ['second']],
      'the new record',
    )
    const before = await visitor.party.call('contact.read', { contact })
    same(before.record.state, 'transferred', 'the state under the id before')
  }),
  law('transfer-out', 'the agent from whom it went can neither read nor write any more', async (bench) => {
    const { agent, contact } = await bench.joined()
    await agent.party.call('agent.transfer', { contact, toTags: [] })
    const open = { contact, session: agent.session.id, cursor: 0 }
    same(
      [
        await agent.party.codeOf('log.read', { contact, after: 0, limit: 10 }),
        await agent.party.codeOf('contact.open', open),
      ],
      ['left', 'left'],
      'the codes of reading',
    )
    const written = await agent.session.text('x').catch(() => [])
    check(!written.some((answer) => 'seq' in answer), 'the agent has written')
    same(await agent.party.codeOf('agent.accept', { contact }), 'left', 'the code of taking it again')
  }),
  law('transfer-target', 'a contact that was handed to one agent is offered to no other', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    const first = await bench.queued()
    const { party: second } = await bench.assigned(first.contact, 'Bob')
    const third = await bench.agent('Cid')
    const toAgent = (await second.call('contact.read', { contact: first.contact })).record.agent?.user ?? ''
    const { contact: toId } = await agent.party.call('agent.transfer', { contact, toAgent })
    const next = new WireSession(visitor.party, toId)
    await next.open()
    await next.present()
    await second.push('agent.distribution', ({ id }) => id === toId)
    await third.call('agent.contacts', {})
    same(
      third.bodies('agent.distribution').filter(({ id }) => id === toId).length,
      0,
      'the number of offers to another',
    )
  }),
  law('transfer-waiting', 'one that is not joined goes back to the queue under its own id', async (bench) => {
    const visitor = await bench.queued()
    const agent = await bench.assigned(visitor.contact)
    same(
      await agent.party.call('agent.transfer', { contact: visitor.contact, toTags: [] }),
      { contact: visitor.contact },
      'the answer',
    )
    await visitor.party.entry(visitor.contact, 'declined')
  }),
  law(
    'transfer-rights',
    'only the agent of a contact can hand it on, and not to themselves',
    async (bench) => {
      const { agent, contact } = await bench.joined()
      const eve = await bench.agent('Eve')
      check(
        (await eve.codeOf('agent.transfer', { contact, toTags: [] })) !== 'ok',
        'another agent has handed it on',
      )
      const self = (await agent.party.call('contact.read', { contact })).record.agent?.user ?? ''
      same(
        await agent.party.codeOf('agent.transfer', { contact, toAgent: self }),
        'invalid_argument',
        'the code',
      )
    },
  ),
]
