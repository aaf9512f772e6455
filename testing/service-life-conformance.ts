import { WireSession } from './service-bench.ts'
import type { ServiceBench } from './service-bench.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

const law = (id: string, claim: string, run: (bench: ServiceBench) => Promise<void>): ServiceLaw => ({
  id,
  claim,
  needsTime: false,
  run,
})
const timed = (id: string, claim: string, run: (bench: ServiceBench) => Promise<void>): ServiceLaw => ({
  id,
  claim,
  needsTime: true,
  run,
})

/** How a contact is queued, taken, joined, handed on and ended, and the relay. */
export const SERVICE_LIFE_LAWS: readonly ServiceLaw[] = [
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
  law(
    'leave-waiting',
    'a visitor who leaves the queue at once ends it with cancel, told before the reply',
    async (bench) => {
      const { party, session, contact } = await bench.queued()
      await session.leave()
      const ends = party
        .entries(contact)
        .flatMap((entry) =>
          entry.type === 'left' || entry.type === 'cleared' ? [[entry.type, entry.body.reason]] : [],
        )
      same(
        ends,
        [
          ['left', 'cancel'],
          ['cleared', 'cancel'],
        ],
        'the end',
      )
    },
  ),
  law(
    'leave-last-words',
    'what is written right before leaving, without waiting for the answer, is stored',
    async (bench) => {
      const { session } = await bench.queued()
      const [[answer]] = await Promise.all([session.text('the last words'), session.leave()])
      check(answer !== undefined && 'seq' in answer, 'it was not stored')
    },
  ),
  law('leave-visitor', 'a visitor who leaves a joined contact is told of as vvcu', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    await visitor.session.leave()
    const { body } = await agent.party.entry(contact, 'left')
    same([body.reason, body.channels], ['vvcu', { total: 1, vvcu: 0, user: 1 }], 'the entry')
    check(typeof body.vvcu === 'string', 'the visitor is not named')
  }),
  law('leave-agent', 'an agent who leaves ends the contact with user', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    await agent.session.leave()
    same(
      [
        (await visitor.party.entry(contact, 'left')).body.reason,
        (await visitor.party.entry(contact, 'cleared')).body.reason,
      ],
      ['user', 'user'],
      'the reasons',
    )
    same((await visitor.party.call('contact.read', { contact })).record.state, 'cleared', 'the state')
  }),
  law('leave-one-channel', 'one of two channels that leaves ends nothing, and is counted', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    const second = new WireSession(visitor.party, contact)
    await second.open()
    await second.present(visitor.session.id)
    await second.leave()
    const { body } = await agent.party.entry(contact, 'left')
    same([body.reason ?? null, body.channels], [null, { total: 2, vvcu: 1, user: 1 }], 'the entry')
    same((await agent.party.call('contact.read', { contact })).record.state, 'joined', 'the state')
  }),
  law('leave-foreign', 'nobody can end a session of the other party', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    const leave = (party: typeof visitor.party, session: string): Promise<string> =>
      party.codeOf('contact.leave', { contact, session })
    same(
      [await leave(visitor.party, agent.session.id), await leave(agent.party, visitor.session.id)],
      ['not_joined', 'not_joined'],
      'the codes',
    )
    const written = [...(await visitor.session.text('still here')), ...(await agent.session.text('so am I'))]
    check(
      written.every((answer) => 'seq' in answer),
      'a party was silenced',
    )
  }),
  law(
    'leave-successor',
    'leaving what was handed on ends what it went on as, unless another session was there to follow',
    async (bench) => {
      const stateAfter = async (withOther: boolean): Promise<string> => {
        const { visitor, agent, contact } = await bench.joined()
        const second = new WireSession(visitor.party, contact)
        await second.open()
        if (withOther) await second.present(visitor.session.id)
        const { contact: next } = await agent.party.call('agent.transfer', { contact, toTags: ['x'] })
        await visitor.party.entry(contact, 'transferred')
        await visitor.session.leave()
        return (await visitor.party.call('contact.read', { contact: next })).record.state
      }
      same([await stateAfter(true), await stateAfter(false)], ['queued', 'cleared'], 'the states')
    },
  ),
  law(
    'leave-again',
    'leaving again what was left before it was handed on does not end what it went on as',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const second = new WireSession(visitor.party, contact)
      await second.open()
      await second.present(visitor.session.id)
      await visitor.session.leave()
      const { contact: next } = await agent.party.call('agent.transfer', { contact, toTags: ['x'] })
      await visitor.session.leave()
      const { record } = await visitor.party.call('contact.read', { contact: next })
      same(record.state, 'queued', 'the state')
    },
  ),
  law('left-for-good', 'a session that has left can do nothing any more', async (bench) => {
    const { visitor } = await bench.joined()
    await visitor.session.leave()
    const { id, contact } = visitor.session
    same(
      await visitor.party.codeOf('contact.open', { contact, session: id, cursor: 0 }),
      'left',
      'the code of opening',
    )
  }),
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
  law(
    'relay',
    'a frame passes to the session that holds the other slot, in order, and is not kept',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const { head } = await visitor.party.call('log.read', { contact, after: 0, limit: 1 })
      for (const n of [1, 2, 3])
        await visitor.party.call('relay.send', {
          contact,
          session: visitor.session.id,
          to: agent.session.id,
          frame: { n, ack: 0, kind: 'data', body: n },
        })
      await agent.party.until(
        'three frames',
        () => agent.party.bodies('relay.frame').length >= 3 || undefined,
      )
      same(
        agent.party.bodies('relay.frame').map(({ from, frame }) => [from, frame.n, frame.body]),
        [1, 2, 3].map((n) => [visitor.session.id, n, n]),
        'the frames',
      )
      same(
        (await visitor.party.call('log.read', { contact, after: 0, limit: 1 })).head,
        head,
        'the length of the log',
      )
    },
  ),
  law(
    'relay-holder',
    'a frame to or from a session that holds no slot is refused with peer_left',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const second = new WireSession(visitor.party, contact)
      await second.open()
      const frame = { n: 1, ack: 0, kind: 'data', body: 1 }
      same(
        [
          await visitor.party.codeOf('relay.send', {
            contact,
            session: second.id,
            to: agent.session.id,
            frame,
          }),
          await visitor.party.codeOf('relay.send', {
            contact,
            session: visitor.session.id,
            to: 'session-of-nobody',
            frame,
          }),
        ],
        ['peer_left', 'peer_left'],
        'the codes',
      )
    },
  ),
  timed(
    'abandon',
    'a visitor who leaves the queue after exactly 10 s ends it with abandon, a moment earlier with cancel',
    async (bench) => {
      const [early, late] = [await bench.queued(), await bench.queued()]
      await bench.advance(9_999)
      await early.session.leave()
      await bench.advance(1)
      await late.session.leave()
      same(
        [
          (await early.party.entry(early.contact, 'cleared')).body.reason,
          (await late.party.entry(late.contact, 'cleared')).body.reason,
        ],
        ['cancel', 'abandon'],
        'the reasons',
      )
    },
  ),
  timed('closing', 'a contact that its visitor has left is over 30 s later', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    await visitor.session.leave()
    await agent.party.entry(contact, 'left')
    await bench.advance(30_000)
    same((await agent.party.entry(contact, 'cleared')).body.reason, 'user', 'the reason')
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
