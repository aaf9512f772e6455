import { WireSession } from './service-bench.ts'
import type { WireParty } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

const leftIn = (party: WireParty, contact: string) =>
  party.entries(contact).flatMap((entry) => (entry.type === 'left' ? [entry.body] : []))
/** After a reply everything that was pushed before it is there. */
const barrier = (party: WireParty, contact: string): Promise<unknown> =>
  party.call('log.read', { contact, after: 0, limit: 1 })

/** The entry `left`: what it is written for, and who is told. */
export const SERVICE_LEFT_LAWS: readonly ServiceLaw[] = [
  law(
    'left-told',
    'both sides are told of a session that leaves, nobody else is, and it is the last that its own channel gets',
    async (bench) => {
      const transport = await bench.service.visitor()
      const visitor = await bench.queued({ nick: 'Vera' }, await bench.connect(transport))
      const { contact } = visitor
      const agent = await bench.assigned(contact)
      await agent.session.open()
      await agent.session.present()
      const [other, eve] = [await bench.connect(transport), await bench.agent('Eve')]
      const second = new WireSession(other, contact)
      await second.open()
      await second.present(visitor.session.id)
      await second.leave()
      await agent.session.text('after it')
      for (const { party } of [visitor, agent]) {
        await party.entry(contact, 'text')
        same(
          leftIn(party, contact).map(({ session, slot }) => [session, slot]),
          [[second.id, 'visitor']],
          'what a party is told',
        )
      }
      await barrier(other, contact)
      same(
        other.entries(contact).filter(({ type }) => type === 'text').length,
        0,
        'the number of entries that the channel got after its end',
      )
      await eve.call('agent.contacts', {})
      same(eve.entries(contact).length, 0, 'the number of entries that another agent got')
    },
  ),
  law(
    'left-medium',
    'a medium that a party turns off is no channel that ends: no `left` is written, for the side that turned it off or the other',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const [offered] = await agent.session.write({
        ...{ id: 'less', type: 'offer', body: { offer: {}, restore: false } },
      })
      const ref = offered && 'seq' in offered ? offered.seq : 0
      await visitor.session.write({
        ...{ id: 'agreed', type: 'answer', body: { ref, answer: {} } },
      })
      await visitor.session.write({ id: 'ready-v', type: 'ready', body: { ref } })
      await agent.session.write({ id: 'ready-a', type: 'ready', body: { ref } })
      await agent.session.text('behind it')
      const { record } = await visitor.party.call('contact.read', { contact })
      same(record.mediaState['Chat']?.tx ?? false, false, 'Chat')
      same(record.channels, { total: 2, vvcu: 1, user: 1 }, 'the channels')
      for (const { party } of [visitor, agent]) {
        await party.entry(contact, 'text')
        same(leftIn(party, contact).length, 0, 'the number of `left`')
      }
    },
  ),
  law(
    'left-replaced',
    'a page that goes on from the gone page of its party ends that session: without a reason, and the counts are those of a party that stays',
    async (bench) => {
      const transport = await bench.service.visitor()
      const visitor = await bench.queued({ nick: 'Vera' }, await bench.connect(transport))
      const { contact } = visitor
      const agent = await bench.assigned(contact)
      await agent.session.open()
      await agent.session.present()
      await agent.party.entry(contact, 'joined')
      visitor.party.close()
      await agent.party.push('contact.connected', (told) => told.connected.visitor.length === 0)
      const next = new WireSession(await bench.connect(transport), contact)
      await next.open()
      await next.present(visitor.session.id)
      const { session, slot, reason, channels } = (await agent.party.entry(contact, 'left')).body
      same(
        { session, slot, reason: reason ?? null, channels },
        {
          session: visitor.session.id,
          slot: 'visitor',
          reason: null,
          channels: { total: 2, vvcu: 1, user: 1 },
        },
        'the entry',
      )
      await next.text('here')
      await agent.party.entry(contact, 'text')
      check(leftIn(agent.party, contact).length === 1, 'the page that went on is told to have left')
    },
  ),
  law(
    'left-none-yet',
    'a page whose place another one takes has not left while it is connected',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const second = new WireSession(visitor.party, contact)
      await second.open()
      await second.present(visitor.session.id)
      await second.text('mine now')
      await agent.party.entry(contact, 'text')
      same(leftIn(agent.party, contact).length, 0, 'the number of `left`')
      same(
        await visitor.party.codeOf('contact.open', { contact, session: visitor.session.id, cursor: 0 }),
        'ok',
        'the code of opening the earlier page again',
      )
    },
  ),
]
