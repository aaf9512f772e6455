import { WireSession } from './service-bench.ts'
import type { WireParty } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

const textsOf = (party: WireParty, contact: string): string[] =>
  party.entries(contact).flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : []))
const seqsOf = (party: WireParty, contact: string): number[] => party.entries(contact).map(({ seq }) => seq)
const consecutive = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
/** After a reply everything that was pushed before it is there. */
const barrier = (party: WireParty, contact: string): Promise<unknown> =>
  party.call('contact.read', { contact })

/** How entries are written, stored, ordered and read, and who may. */
export const SERVICE_LOG_LAWS: readonly ServiceLaw[] = [
  law(
    'log-numbers',
    'entries are numbered from 1 without gaps, in the order of their drafts, and delivered with the numbers that the writer was told',
    async (bench) => {
      const { party, session, contact } = await bench.queued()
      const appended = await session.write(
        { id: 'a', type: 'text', body: { text: 'one' } },
        { id: 'b', type: 'text', body: { text: 'two' } },
        { id: 'c', type: 'text', body: { text: 'three' } },
      )
      await party.until('three texts', () => textsOf(party, contact).length === 3 || undefined)
      const seqs = party
        .entries(contact)
        .flatMap(({ type, id, seq }) => (type === 'text' ? [{ id, seq }] : []))
      same(appended, seqs, 'what the writer was told')
      same(seqsOf(party, contact), consecutive(1, seqs.at(-1)?.seq ?? 0), 'the numbers')
    },
  ),
  law('log-repeat', 'a draft that is sent again gets its old number and is stored once', async (bench) => {
    const { party, session, contact } = await bench.queued()
    const first = await session.text('once', 'repeated')
    const draft = {
      id: 'repeated',
      type: 'text',
      body: { text: 'once' },
      session: session.id,
      counter: session.counter,
    }
    same(await session.append(draft), first, 'the second answer')
    const { entries } = await party.call('log.read', { contact, after: 0, limit: 100 })
    same(entries.filter(({ id }) => id === 'repeated').length, 1, 'the number of entries')
  }),
  law(
    'log-repeat-session',
    'a message that another session of the party sends again gets its old number',
    async (bench) => {
      const { party, session, contact } = await bench.queued()
      const first = await session.text('once', 'repeated')
      const later = new WireSession(party, contact)
      await later.open()
      same(await later.text('once', 'repeated'), first, 'the answer to the other session')
    },
  ),
  law('log-foreign-id', 'a message id of the other party is refused', async (bench) => {
    const { visitor, agent } = await bench.joined()
    await visitor.session.text('mine', 'taken')
    const [answer] = await agent.session.text('not mine', 'taken')
    same(answer && 'error' in answer && answer.error.code, 'invalid_argument', 'the code')
  }),
  law('log-counter', 'a counter other than the next one is refused, and uses up nothing', async (bench) => {
    const { session } = await bench.queued()
    const draft = (counter: number) => ({
      id: `n${counter}`,
      type: 'text',
      body: { text: 'x' },
      session: session.id,
      counter,
    })
    const [far] = await session.append(draft(session.counter + 2))
    same(far && 'error' in far && far.error.code, 'invalid_state', 'the code of a gap')
    const [next] = await session.append(draft(session.counter + 1))
    check(next !== undefined && 'seq' in next, 'the next counter is not taken after a gap was refused')
  }),
  law('log-malformed', 'a malformed draft is refused alone, and uses up its counter', async (bench) => {
    const { session } = await bench.queued()
    const { counter, id } = session
    const answers = await session.append(
      { id: 'bad', type: 'text', body: { text: 7 }, session: id, counter: counter + 1 },
      { id: 'good', type: 'text', body: { text: 'fine' }, session: id, counter: counter + 2 },
    )
    same(
      answers.map((answer) => ('error' in answer ? 'refused' : 'stored')),
      ['refused', 'stored'],
      'the answers',
    )
  }),
  law(
    'log-sender',
    'slot, sender and time are those that the service knows, whatever a draft says',
    async (bench) => {
      const { party, session, contact } = await bench.queued({ nick: 'Vera' })
      const { visitor } = (await party.call('contact.read', { contact })).record
      await session.append({
        id: 'lie',
        type: 'text',
        body: { text: 'x' },
        session: session.id,
        counter: session.counter + 1,
        slot: 'agent',
        from: { id: 'boss' },
        time: 1,
        seq: 99,
      })
      const entry = await party.entry(contact, 'text')
      same([entry.slot, entry.from], ['visitor', { id: visitor.id, nick: 'Vera' }], 'slot and sender')
      check(entry.seq !== 99, 'the number is the one that the draft gave')
    },
  ),
  law('log-service-only', 'no party can write what only the service writes', async (bench) => {
    const { visitor } = await bench.joined()
    const { session } = visitor
    for (const type of ['assigned', 'joined', 'left', 'declined', 'transferred', 'cleared']) {
      const [answer] = await session.append({
        id: `forged-${type}`,
        type,
        body: {},
        session: session.id,
        counter: (session.counter += 1),
      })
      check(answer !== undefined && 'error' in answer, `a party has written ${type}`)
    }
  }),
  law('log-same-order', 'both parties get every entry once and in the same order', async (bench) => {
    const { visitor, agent, contact } = await bench.joined()
    await Promise.all(
      ['1', '2', '3'].flatMap((text) => [visitor.session.text(`v${text}`), agent.session.text(`a${text}`)]),
    )
    for (const { party } of [visitor, agent])
      await party.until('six texts', () => textsOf(party, contact).length >= 6 || undefined)
    const order = ({ party }: { readonly party: WireParty }): string[] =>
      party.entries(contact).map(({ seq, id }) => `${seq} ${id}`)
    same(order(visitor), order(agent), 'what the visitor and the agent got')
    same(seqsOf(visitor.party, contact), consecutive(1, order(visitor).length), 'the numbers')
  }),
  law(
    'log-replay',
    'a channel opened at a cursor gets what came after it, all of it, once and in order',
    async (bench) => {
      const { visitor, agent, contact } = await bench.joined()
      for (const text of ['1', '2', '3']) await visitor.session.text(text)
      const { head } = await new WireSession(agent.party, contact).open(0)
      const before = agent.party.entries(contact).length
      const again = new WireSession(agent.party, contact)
      await again.open(head - 2)
      await agent.party.until(
        'what came after the cursor',
        () => seqsOf(agent.party, contact).slice(before).includes(head) || undefined,
      )
      const replayed = seqsOf(agent.party, contact).slice(before)
      check(
        replayed.includes(head - 1) && replayed.includes(head),
        `of the two entries after the cursor came ${replayed.join(', ')}`,
      )
    },
  ),
  law('log-counter-kept', 'a session that is opened again is told its last counter', async (bench) => {
    const { session } = await bench.queued()
    await session.text('one')
    same((await session.open(0)).counter, session.counter, 'the counter')
  }),
  law(
    'log-last',
    'who opens a contact is told whether the last entry that they know is in the log',
    async (bench) => {
      const { party, session, contact } = await bench.queued()
      const [appended] = await session.text('one', 'known')
      const seq = appended && 'seq' in appended ? appended.seq : 0
      check(seq > 0, 'the text was refused')
      const open = async (last?: { readonly seq: number; readonly id: string }) => {
        const { same: told } = await party.call('contact.open', {
          ...{ contact, session: session.id, cursor: seq },
          ...(last && { last }),
        })
        return told
      }
      same(await open(), undefined, 'the answer to who names none')
      same(await open({ seq, id: 'known' }), true, 'the answer to who names the entry')
      same(await open({ seq, id: 'another' }), false, 'the answer to who names another one')
      same(await open({ seq: seq + 1, id: 'later' }), false, 'the answer to who names one beyond the log')
    },
  ),
  law('log-read', 'the log is read in parts, with its length', async (bench) => {
    const { party, session, contact } = await bench.queued()
    for (const text of ['1', '2', '3', '4']) await session.text(text)
    const { entries, head } = await party.call('log.read', { contact, after: 1, limit: 2 })
    same([entries.map(({ seq }) => seq), head], [[2, 3], 5], 'the part')
  }),
  law(
    'log-ack-once',
    'the second acknowledgement of a message gets the number of the first',
    async (bench) => {
      const { visitor, agent } = await bench.joined()
      const [sent] = await visitor.session.text('hello', 'to-acknowledge')
      check(sent !== undefined && 'seq' in sent, 'the text was refused')
      const [first] = await agent.session.write({ id: 'ack-1', type: 'ack', body: { ref: 'to-acknowledge' } })
      const [second] = await agent.session.write({
        id: 'ack-2',
        type: 'ack',
        body: { ref: 'to-acknowledge' },
      })
      check(
        first !== undefined &&
          second !== undefined &&
          'seq' in first &&
          'seq' in second &&
          first.seq === second.seq,
        'a message was acknowledged twice',
      )
    },
  ),
  law('access-session', 'a session that was not opened cannot write', async (bench) => {
    const { party, contact } = await bench.queued()
    const stranger = new WireSession(party, contact)
    const code = await stranger.text('x').then(
      () => 'ok',
      (thrown: unknown) => (thrown as { readonly code: string }).code,
    )
    same(code, 'not_joined', 'the code of the call')
  }),
  law('access-visitor', 'a contact of another visitor does not exist, whatever is asked', async (bench) => {
    const { contact, session } = await bench.queued()
    const thief = await bench.visitor()
    for (const id of [contact, 'no-such-contact']) {
      const codes = [
        await thief.codeOf('contact.read', { contact: id }),
        await thief.codeOf('contact.open', { contact: id, session: session.id, cursor: 0 }),
        await thief.codeOf('log.read', { contact: id, after: 0, limit: 10 }),
        await thief.codeOf('contact.leave', { contact: id, session: session.id }),
      ]
      check(
        codes.every((code) => code === 'not_found' || code === 'not_joined'),
        `of ${id} another visitor was told ${codes.join(', ')}`,
      )
    }
  }),
  law(
    'access-agent',
    'an agent who does not have the contact can neither open nor read it',
    async (bench) => {
      const { contact } = await bench.queued()
      const agent = await bench.agent('Eve')
      const codes = [
        await agent.codeOf('contact.open', { contact, session: 'session-of-eve', cursor: 0 }),
        await agent.codeOf('contact.read', { contact }),
        await agent.codeOf('log.read', { contact, after: 0, limit: 10 }),
      ]
      check(!codes.includes('ok'), `the agent was told ${codes.join(', ')}`)
    },
  ),
  law('access-roles', 'a call that belongs to the other party is forbidden', async (bench) => {
    const [visitor, agent] = [await bench.visitor(), await bench.agent()]
    same(
      [
        await visitor.codeOf('agent.presence', { state: 'ready' }),
        await visitor.codeOf('agent.contacts', {}),
        await agent.codeOf('contact.create', { request: 'r', contact: {} }),
      ],
      ['forbidden', 'forbidden', 'forbidden'],
      'the codes',
    )
  }),
  law(
    'bad-arguments',
    'malformed arguments are invalid_argument, and the connection lives',
    async (bench) => {
      const { party, contact } = await bench.queued()
      for (const args of [null, 7, {}, { contact: 7 }, { contact, session: 's', cursor: -1 }])
        same(
          await party.codeOf('contact.open', args),
          'invalid_argument',
          `the code for ${JSON.stringify(args).slice(0, 60)}`,
        )
      await barrier(party, contact)
    },
  ),
  law('bad-keys', 'a key __proto__ anywhere is refused', async (bench) => {
    const party = await bench.visitor()
    const code = await party.codeOf('contact.create', {
      request: 'r',
      contact: JSON.parse('{"nick":"x","visit":{"__proto__":{"polluted":true}}}') as unknown,
    })
    same(code, 'invalid_argument', 'the code')
  }),
]
