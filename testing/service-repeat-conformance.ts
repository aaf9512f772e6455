import type { Appended } from '../protocol/index.ts'
import { WireSession } from './service-bench.ts'
import type { WireParty } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

const textsOf = async (party: WireParty, contact: string): Promise<string[]> => {
  const { entries } = await party.call('log.read', { contact, after: 0, limit: 100 })
  return entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))
}
const isStored = (answer: Appended | undefined): boolean => answer !== undefined && 'seq' in answer

/** Ids that are sent twice: of a draft, a message, a request. */
const REPEATS: readonly ServiceLaw[] = [
  law(
    'repeat-in-one-call',
    'two drafts of one id in a call are refused together, and use up nothing',
    async (bench) => {
      const { party, session, contact } = await bench.queued()
      const draft = (counter: number) => ({
        ...{ id: 'twice', type: 'text', body: { text: 'x' } },
        ...{ session: session.id, counter: session.counter + counter },
      })
      const args = { contact, session: session.id, drafts: [draft(1), draft(2)] }
      same(await party.codeOf('log.append', args), 'invalid_argument', 'the code')
      check(isStored((await session.text('next'))[0]), 'the next counter is not taken')
      same(await textsOf(party, contact), ['next'], 'the log')
    },
  ),
  law(
    'repeat-other-words',
    'a message id that its party has used stands for what was written first, whatever a later draft of it says',
    async (bench) => {
      const { party, session, contact } = await bench.queued()
      const first = await session.text('the first words', 'repeated')
      same(await session.text('other words', 'repeated'), first, 'the second answer')
      session.counter -= 1
      check(isStored((await session.text('next'))[0]), 'the repeated draft has used up a counter')
      same(await textsOf(party, contact), ['the first words', 'next'], 'the log')
    },
  ),
  law(
    'repeat-at-once',
    'a draft that comes twice at the same time is stored once, and both answers name its number',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const { session } = visitor
      const draft = {
        ...{ id: 'at-once', type: 'text', body: { text: 'once' } },
        ...{ session: session.id, counter: session.counter + 1 },
      }
      const [one, other] = await Promise.all([session.append(draft), session.append(draft)])
      same(one, other, 'the answers')
      check(isStored(one[0]), 'it was refused')
      same(await textsOf(agent.party, contact), ['once'], 'the log')
    },
  ),
  law(
    'repeat-after-end',
    'what was stored before the contact ended has its number when it is sent again after the end',
    async (bench) => {
      const { visitor, agent } = await bench.joined()
      const { session } = visitor
      const stored = await session.text('once', 'before')
      await agent.session.leave()
      await visitor.party.entry(session.contact, 'cleared')
      const draft = {
        ...{ id: 'before', type: 'text', body: { text: 'once' } },
        ...{ session: session.id, counter: session.counter },
      }
      same(await session.append(draft), stored, 'the answer')
    },
  ),
  law(
    'create-once-elsewhere',
    'a creation that the visitor asks for again on another connection gives the same contact; the same request of another visitor is another one',
    async (bench) => {
      const transport = await bench.service.visitor()
      const request = { request: 'one-request', contact: { nick: 'Vera' } }
      const first = await (await bench.connect(transport)).call('contact.create', request)
      same(await (await bench.connect(transport)).call('contact.create', request), first, 'the contact')
      const { contact } = await (await bench.visitor()).call('contact.create', request)
      check(contact !== first.contact, 'two visitors have one contact')
    },
  ),
]

/** What another session of the same party may do, and what becomes of the earlier one. */
const SESSIONS: readonly ServiceLaw[] = [
  law(
    'session-counters',
    'each session of a party has counters of its own, and both parties get the entries of each',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const second = new WireSession(visitor.party, contact)
      same((await second.open()).counter, 0, 'the counter of a new session')
      const [one, other] = [await visitor.session.text('first'), await second.text('second')]
      check([...one, ...other].every(isStored), 'a session was silenced')
      const sessionsOf = (): string[] =>
        agent.party
          .entries(contact)
          .flatMap((entry) => (entry.type === 'text' && 'session' in entry ? [entry.session] : []))
      await agent.party.until('two texts', () => sessionsOf().length >= 2 || undefined)
      same(sessionsOf(), [visitor.session.id, second.id], 'the writers')
    },
  ),
  law(
    'session-takeover',
    'a session that announces itself has the slot; the earlier one is told, stays connected and writes on',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      const second = new WireSession(visitor.party, contact)
      await second.open()
      await second.present(visitor.session.id)
      const relay = (from: string) =>
        visitor.party.codeOf('relay.send', {
          ...{ contact, session: from, to: agent.session.id },
          frame: { n: 1, ack: 0, kind: 'data', body: 1 },
        })
      same(
        [await relay(visitor.session.id), await relay(second.id)],
        ['peer_left', 'ok'],
        'the codes of their frames',
      )
      check(isStored((await visitor.session.text('still here'))[0]), 'the earlier session was silenced')
      const { record } = await agent.party.call('contact.read', { contact })
      same(record.channels, { total: 3, vvcu: 2, user: 1 }, 'the channels')
    },
  ),
]

/** What is sent twice, and what comes from another session of the same party. */
export const SERVICE_REPEAT_LAWS: readonly ServiceLaw[] = [...REPEATS, ...SESSIONS]
