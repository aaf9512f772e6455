import { WireSession } from './service-bench.ts'
import { law, timed } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

/** How sessions leave a contact, and when the contact ends. */
export const SERVICE_LEAVE_LAWS: readonly ServiceLaw[] = [
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
]
