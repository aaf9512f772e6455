import { law, timed } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

/** How a contact is created, queued, offered, accepted, joined and declined. */
export const SERVICE_QUEUE_LAWS: readonly ServiceLaw[] = [
  law('create-once', 'a creation that is asked for again gives the same contact', async (bench) => {
    const visitor = await bench.visitor()
    const first = await visitor.call('contact.create', { request: 'the-same', contact: { nick: 'Vera' } })
    same(
      await visitor.call('contact.create', { request: 'the-same', contact: { nick: 'Vera' } }),
      first,
      'the second contact',
    )
  }),
  law('record', 'the record says what the visitor has said, and who may see what', async (bench) => {
    const { party, contact } = await bench.queued({ nick: 'Vera', lang: 'de', tags: ['sales'] })
    const { record } = await party.call('contact.read', { contact })
    same(
      [record.id, record.state, record.visitor.nick, record.visitor.lang, record.tags, record.secure],
      [contact, 'queued', 'Vera', 'de', ['sales'], false],
      'the record',
    )
    same(record.channels, { total: 1, vvcu: 1, user: 0 }, 'the channels')
  }),
  law(
    'distribution',
    'a contact in the queue is offered to an agent who is ready, with what they need to decide',
    async (bench) => {
      const { contact } = await bench.queued({ nick: 'Vera', tags: ['sales'] })
      const agent = await bench.agent()
      const offer = await agent.push('agent.distribution', ({ id }) => id === contact)
      same([offer.nick, offer.tags, offer.secure], ['Vera', ['sales'], false], 'the offer')
      check(offer.expiresInMs > 0, 'the offer has no time left')
    },
  ),
  law('paused', 'an agent who is paused is offered nothing', async (bench) => {
    const agent = await bench.agent()
    await agent.call('agent.presence', { state: 'paused' })
    const { contact } = await bench.queued()
    await agent.call('agent.contacts', {})
    same(
      agent.bodies('agent.distribution').filter(({ id }) => id === contact).length,
      0,
      'the number of offers',
    )
  }),
  law('presence', 'all connections of an agent are told what one of them takes', async (bench) => {
    const transport = await bench.service.agent('Petra')
    const [one, other] = [await bench.connect(transport), await bench.connect(transport)]
    await one.call('agent.presence', { state: 'ready', capacity: 7 })
    for (const page of [one, other])
      same((await page.push('agent.presence')).capacity, 7, 'what a page was told')
    const third = await bench.connect(transport)
    same((await third.push('agent.presence')).state, 'ready', 'what a new page was told')
    await third.call('agent.presence', { state: 'paused' })
    await one.push('agent.presence', ({ state }) => state === 'paused')
  }),
  law('taken', 'other connections of an agent are told what one of them has taken', async (bench) => {
    const { contact } = await bench.queued()
    const transport = await bench.service.agent('Tessa')
    const [one, other] = [await bench.connect(transport), await bench.connect(transport)]
    await one.call('agent.presence', { state: 'ready' })
    await other.push('agent.distribution', ({ id }) => id === contact)
    await one.call('agent.accept', { contact })
    const { reason, own } = await other.push('agent.withdrawn', ({ id }) => id === contact)
    same([reason, own], ['taken', true], 'why it is over')
  }),
  law('assigned', 'who accepts is assigned, and both are told who it is', async (bench) => {
    const visitor = await bench.queued()
    const agent = await bench.assigned(visitor.contact, 'Ada')
    same((await visitor.party.entry(visitor.contact, 'assigned')).body.nick, 'Ada', 'the name')
    same(
      (await agent.party.call('contact.read', { contact: visitor.contact })).record.state,
      'assigned',
      'the state',
    )
    const { records } = await agent.party.call('agent.contacts', {})
    same(
      records.map(({ id }) => id),
      [visitor.contact],
      'the contacts of the agent',
    )
  }),
  law('assigned-once', 'a contact is given to one agent only', async (bench) => {
    const visitor = await bench.queued()
    const second = await bench.agent('Bob')
    await second.push('agent.distribution', ({ id }) => id === visitor.contact)
    await bench.assigned(visitor.contact, 'Ada')
    const code = await second.codeOf('agent.accept', { contact: visitor.contact })
    check(code !== 'ok', 'two agents have it')
    same(
      (await visitor.party.call('contact.read', { contact: visitor.contact })).record.agent?.nick,
      'Ada',
      'the agent',
    )
  }),
  law('accept-again', 'accepting what one has is harmless', async (bench) => {
    const visitor = await bench.queued()
    const agent = await bench.assigned(visitor.contact)
    same(await agent.party.codeOf('agent.accept', { contact: visitor.contact }), 'ok', 'the answer')
  }),
  law('joined', 'the first announcement of the agent is followed by joined', async (bench) => {
    const { visitor, contact } = await bench.joined()
    const types = visitor.party
      .entries(contact)
      .map((entry) => (entry.slot === 'service' ? entry.type : `${entry.slot} ${entry.type}`))
    same(types, ['visitor present', 'assigned', 'agent present', 'joined'], 'the log')
  }),
  law(
    'declined',
    'an agent who gives it back before joining is told of, and the contact waits on under its id',
    async (bench) => {
      const visitor = await bench.queued()
      const agent = await bench.assigned(visitor.contact, 'Ada')
      await agent.party.call('agent.decline', { contact: visitor.contact })
      same((await visitor.party.entry(visitor.contact, 'declined')).body.nick, 'Ada', 'the name')
      same(
        (await visitor.party.call('contact.read', { contact: visitor.contact })).record.state,
        'queued',
        'the state',
      )
    },
  ),
  law('declined-silence', 'an agent who has given it back hears nothing of it any more', async (bench) => {
    const visitor = await bench.queued()
    const { party, session } = await bench.assigned(visitor.contact)
    await session.open()
    await party.call('agent.decline', { contact: visitor.contact })
    await visitor.session.text('for another agent')
    await visitor.party.entry(visitor.contact, 'text')
    await party.call('agent.contacts', {})
    same(
      party.entries(visitor.contact).filter(({ type }) => type === 'text').length,
      0,
      'the number of texts that were heard',
    )
  }),
  timed(
    'join-limit',
    'an agent who accepts and does not join within a minute gives it back',
    async (bench) => {
      const visitor = await bench.queued()
      await bench.assigned(visitor.contact)
      await visitor.party.entry(visitor.contact, 'assigned')
      await bench.advance(60_000)
      await visitor.party.entry(visitor.contact, 'declined')
    },
  ),
]
