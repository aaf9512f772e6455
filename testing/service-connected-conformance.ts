import { LIMITS } from '../protocol/index.ts'
import type { ConnectedSessions } from '../protocol/index.ts'
import { WireSession } from './service-bench.ts'
import type { Seated, ServiceBench, WireParty } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

/** A contact that its agent has opened, and a second connection of its visitor. */
interface Pages {
  readonly visitor: Seated
  readonly agent: Seated
  readonly other: WireParty
  readonly contact: string
}

async function pages(bench: ServiceBench): Promise<Pages> {
  const transport = await bench.service.visitor()
  const visitor = await bench.queued({ nick: 'Vera' }, await bench.connect(transport))
  const agent = await bench.assigned(visitor.contact)
  same(
    listed((await agent.session.open()).connected),
    listed(now([visitor.session], [agent.session])),
    'what the agent is told in the reply',
  )
  return { visitor, agent, other: await bench.connect(transport), contact: visitor.contact }
}

const now = (visitor: readonly WireSession[], agent: readonly WireSession[]): ConnectedSessions => ({
  visitor: visitor.map(({ id }) => id),
  agent: agent.map(({ id }) => id),
})

/** In whatever order they stand. */
const listed = ({ visitor, agent }: ConnectedSessions): string =>
  JSON.stringify([visitor.toSorted(), agent.toSorted()])

/** Lists of a contact's sessions that a connection was told. */
const told = (party: WireParty, contact: string): ConnectedSessions[] =>
  party.bodies('contact.connected').flatMap((body) => (body.contact === contact ? [body.connected] : []))

/** Each of them is told, at last, that it is these. */
async function areTold(
  whom: readonly WireParty[],
  contact: string,
  connected: ConnectedSessions,
): Promise<void> {
  for (const party of whom) {
    const isLast = (): true | undefined =>
      listed(told(party, contact).at(-1) ?? { visitor: [], agent: [] }) === listed(connected) || undefined
    await party.until(`contact.connected with ${listed(connected)}`, isLast)
  }
}

/** Which sessions of a contact have a connection, and who is told. */
export const SERVICE_CONNECTED_LAWS: readonly ServiceLaw[] = [
  law(
    'connected-open',
    'who opens a contact is told which sessions are connected, and both sides are told of each one that comes',
    async (bench) => {
      const { visitor, agent, other, contact } = await pages(bench)
      await areTold([visitor.party], contact, now([visitor.session], [agent.session]))
      const second = new WireSession(other, contact)
      const all = now([visitor.session, second], [agent.session])
      same(listed((await second.open()).connected), listed(all), 'what the second page is told in the reply')
      await areTold([visitor.party, agent.party], contact, all)
    },
  ),
  law(
    'connected-close',
    'both sides are told of each session that goes: with its connection, by leaving, or with the part of its party',
    async (bench) => {
      const { visitor, agent, other, contact } = await pages(bench)
      const [leaving, closing] = [new WireSession(other, contact), new WireSession(other, contact)]
      await leaving.open()
      await closing.open()
      await leaving.leave()
      await areTold([visitor.party, agent.party], contact, now([visitor.session, closing], [agent.session]))
      other.close()
      await areTold([visitor.party, agent.party], contact, now([visitor.session], [agent.session]))
      await agent.party.call('agent.decline', { contact })
      await areTold([visitor.party], contact, now([visitor.session], []))
    },
  ),
  law(
    'connected-takeover',
    'a session that is opened on another connection is listed once, and goes with the later one',
    async (bench) => {
      const { visitor, agent, other, contact } = await pages(bench)
      const second = new WireSession(other, contact)
      const { connected } = await other.call('contact.open', {
        contact,
        session: visitor.session.id,
        cursor: 0,
      })
      same(
        listed(connected),
        listed(now([visitor.session], [agent.session])),
        'what the later connection is told in the reply',
      )
      visitor.party.close()
      await second.open()
      await areTold([agent.party], contact, now([visitor.session, second], [agent.session]))
      check(
        told(agent.party, contact).every((each) => each.visitor.includes(visitor.session.id)),
        'the agent was told that a session is gone whose earlier connection has ended',
      )
      other.close()
      await areTold([agent.party], contact, now([], [agent.session]))
    },
  ),
  law(
    'connected-holder',
    'of more sessions than may be listed the one that has taken the slot is always among them',
    async (bench) => {
      const { visitor, agent, other, contact } = await pages(bench)
      const more = Array.from({ length: LIMITS.connectedSessions }, () => new WireSession(other, contact))
      for (const session of more) await session.open()
      const last = more.at(-1)
      await last?.present(visitor.session.id)
      const isListed = (party: WireParty): true | undefined =>
        told(party, contact)
          .at(-1)
          ?.visitor.includes(last?.id ?? '') || undefined
      for (const party of [visitor.party, agent.party])
        await party.until('contact.connected with the holder', () => isListed(party))
      same(
        told(agent.party, contact).at(-1)?.visitor.length,
        LIMITS.connectedSessions,
        'the number of sessions that are listed',
      )
    },
  ),
]
