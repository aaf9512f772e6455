import { WireSession } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { same } from './suite-bench.ts'

/** Which frames the service passes from one session to another. */
export const SERVICE_RELAY_LAWS: readonly ServiceLaw[] = [
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
]
