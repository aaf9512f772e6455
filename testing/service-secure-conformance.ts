import type { JsonValue, PartyBodies, PartyEntryType, Seal } from '../protocol/index.ts'
import { WireSession } from './service-bench.ts'
import type { Seated, ServiceBench } from './service-bench.ts'
import { law } from './service-law.ts'
import type { ServiceLaw } from './service-law.ts'
import { check, same } from './suite-bench.ts'

const ZEROS = 'A'.repeat(44)
/** 32 bytes in base64. */
const hash = (letter: string): string => `${letter.repeat(43)}=`
/** Id of a key: 8 bytes in base64. */
const keyId = (letter: string): string => `${letter.repeat(11)}=`
const [KEY, OTHER_KEY] = [keyId('B'), keyId('C')]
const sealOf = (key: string): Seal => ({ key, read: 1, mac: hash('D') })
/** Nobody can open it. */
const cipher = (length = 100): string => 'E'.repeat(length)
const on = { Voice: { tx: true, rx: true, via: 'net', engine: 'WebRTC' } } as const

/** Bodies that have their sealed form, with a member that no version knows. */
const sealed = (): readonly [PartyEntryType, JsonValue][] => {
  const seal = { ...sealOf(KEY), newer: { more: [1, null] } }
  return [
    ['text', { text: cipher(), lang: 'en', encrypted: ['text'], seal, newer: 'kept' }],
    ['link', { url: cipher(), desc: cipher(), encrypted: ['url', 'desc'], seal }],
    ['action', { code: cipher(), args: cipher(36_964), encrypted: ['code', 'args'], seal }],
    ['file', { file: 'file-1', meta: cipher(11_020), encrypted: ['meta'], seal }],
    ['reject', { ref: 1, reason: cipher(2148), encrypted: ['reason'], seal }],
    ['offer', { offer: {}, restore: false, seal }],
    ['direct', { target: on, restore: false, seal }],
    ['answer', { ref: 1, answer: on, seal }],
    ['withdraw', { ref: 1, reason: 'withdrawn', seal }],
    ['ready', { ref: 1, seal }],
    ['failed', { ref: 1, code: 'timeout', seal }],
    ['capabilities', { capabilities: { Media: {}, Mobile: false }, seal }],
    ['ack', { ref: 'some-message', seal }],
  ]
}

let made = 0
/** Writes one entry, whatever its form. Gives its number. */
async function write(session: WireSession, type: string, body: unknown): Promise<number> {
  const id = `secure-${(made += 1)}`
  const [answer] = await session.append({
    ...{ id, type, body, session: session.id },
    counter: (session.counter += 1),
  })
  if (answer && 'seq' in answer) return answer.seq
  throw new Error(`${type} was refused: ${JSON.stringify(answer)}`)
}

/** The two sessions agree on a key, as far as the service can see. */
async function agree(visitor: WireSession, agent: WireSession): Promise<void> {
  const commit: PartyBodies['keyCommit'] = { commit: hash('F') }
  const first = await write(visitor, 'keyCommit', commit)
  const second = await write(agent, 'keyShare', { ref: first, key: hash('G') })
  await write(visitor, 'keyReveal', { ref: second, key: hash('H'), seal: sealOf(KEY) })
}

const bodyAt = ({ party, contact }: Seated, seq: number): Promise<unknown> =>
  party.until(`entry ${seq}`, () => party.entries(contact).find((entry) => entry.seq === seq)?.body)

const mediaOf = async ({ party, contact }: Seated): Promise<readonly string[]> => {
  const { record } = await party.call('contact.read', { contact })
  return Object.keys(record.mediaState).filter((medium) => record.mediaState[medium]?.tx === true)
}

/** Two parties in a secure contact. */
const joined = (bench: ServiceBench): ReturnType<ServiceBench['joined']> =>
  bench.joined({ nick: 'Vera', secure: true })

/** What a service does for contacts that it cannot read. */
export const SERVICE_SECURE_LAWS: readonly ServiceLaw[] = [
  law(
    'secure-record',
    'a contact that was created secure is told as secure to both parties',
    async (bench) => {
      const visitor = await bench.queued({ nick: 'Vera', secure: true })
      const agent = await bench.agent()
      const offer = await agent.push('agent.distribution', ({ id }) => id === visitor.contact)
      const { record } = await agent.call('agent.accept', { contact: visitor.contact })
      const read = await visitor.party.call('contact.read', { contact: visitor.contact })
      same([offer.secure, record.secure, read.record.secure], [true, true, true], 'what both are told')
      same([record.telephone, read.record.telephone], [undefined, undefined], 'the telephone')
    },
  ),
  law(
    'secure-as-it-came',
    'a sealed body of every type is stored and delivered as it came, with members that nobody knows',
    async (bench) => {
      const { visitor, agent, contact } = await joined(bench)
      for (const [type, body] of sealed()) {
        const seq = await write(visitor.session, type, body)
        same(await bodyAt(agent, seq), body, `${type} as the other party got it`)
        const { entries } = await agent.party.call('log.read', { contact, after: seq - 1, limit: 1 })
        same(entries[0]?.body, body, `${type} as it was read again`)
      }
    },
  ),
  law(
    'secure-either-form',
    'a sealed body is taken in a contact that is not secure, and a plain one in a secure contact',
    async (bench) => {
      const [secure, plain] = [await bench.queued({ secure: true }), await bench.queued()]
      const [, body] = sealed()[0] as [string, JsonValue]
      same(await bodyAt(plain, await write(plain.session, 'text', body)), body, 'the sealed text')
      const seq = await write(secure.session, 'text', { text: 'hello' })
      same(await bodyAt(secure, seq), { text: 'hello' }, 'the plain text')
    },
  ),
  law(
    'secure-half-sealed',
    'a body that says it is sealed and is not is refused, and never stored as a plain one',
    async (bench) => {
      const { party, session, contact } = await bench.queued({ secure: true })
      const seal = sealOf(KEY)
      const bodies = [
        { text: 'in clear', seal },
        { text: 'in clear', encrypted: ['text'], seal },
        { text: cipher(), encrypted: ['text'] },
        { text: cipher(), encrypted: ['text', 'lang'], seal },
        { text: cipher(), encrypted: ['text'], seal: { ...seal, mac: ZEROS.slice(1) } },
      ]
      for (const body of bodies) {
        const [answer] = await session.append({
          ...{ id: `half-${(made += 1)}`, type: 'text', body, session: session.id },
          counter: (session.counter += 1),
        })
        same(answer && 'error' in answer && answer.error.code, 'invalid_argument', JSON.stringify(body))
      }
      same((await party.call('log.read', { contact, after: 0, limit: 9 })).head, 1, 'the length of the log')
    },
  ),
  law(
    'secure-agreement',
    'the steps of an agreement are stored, and reach the other party as they were written',
    async (bench) => {
      const { visitor, agent, contact } = await joined(bench)
      await agree(visitor.session, agent.session)
      const { body } = await agent.party.entry(contact, 'keyReveal')
      const { ref } = (await visitor.party.entry(contact, 'keyShare')).body
      same([ref, body.key, body.seal.key], [body.ref - 1, hash('H'), KEY], 'the share and the reveal')
    },
  ),
  law(
    'secure-other-key',
    'media change by what is sealed under the agreed key, and by nothing else',
    async (bench) => {
      const { visitor, agent } = await joined(bench)
      const change = async (key: string): Promise<void> => {
        const seal = sealOf(key)
        const target = { Chat: { tx: true, rx: false, via: 'net', engine: 'Native' } }
        const ref = await write(visitor.session, 'direct', { target, restore: false, seal })
        for (const { session } of [visitor, agent]) await write(session, 'ready', { ref, seal })
      }
      const before = await mediaOf(visitor)
      await change(KEY)
      same(await mediaOf(visitor), before, 'media before a key is agreed')
      await agree(visitor.session, agent.session)
      await change(OTHER_KEY)
      same(await mediaOf(visitor), before, 'media after a change under another key')
      await change(KEY)
      check(
        (await mediaOf(visitor)).length !== before.length,
        'a change under the agreed key was not carried out',
      )
    },
  ),
  law('secure-count', 'a message that is written again under the next key counts once', async (bench) => {
    const { visitor, agent, contact } = await joined(bench)
    await agree(visitor.session, agent.session)
    const [, body] = sealed()[0] as [string, { readonly text: string }]
    await write(visitor.session, 'text', { ...body, seal: sealOf(OTHER_KEY) })
    await write(visitor.session, 'text', { ...body, seal: sealOf(KEY) })
    for (const { party } of [visitor, agent]) {
      const { record } = await party.call('contact.read', { contact })
      same(record.transcript.messages, 1, 'the number of messages')
    }
  }),
  law('secure-ack-once', 'a message is acknowledged once, under whatever key', async (bench) => {
    const { visitor, agent } = await joined(bench)
    await visitor.session.text('hello', 'to-acknowledge')
    const ack = (key: string): Promise<number> =>
      write(agent.session, 'ack', { ref: 'to-acknowledge', seal: sealOf(key) })
    same(
      [await ack(OTHER_KEY), await ack(KEY)].map((seq, _, [first]) => seq === first),
      [true, true],
      'the numbers',
    )
  }),
  law('secure-frame', 'a frame with the longest ciphertext passes', async (bench) => {
    const { visitor, agent, contact } = await joined(bench)
    const frame = { n: 1, ack: 0, kind: 'signal', body: cipher(87_480) }
    const [session, to] = [visitor.session.id, agent.session.id]
    await visitor.party.call('relay.send', { contact, session, to, frame })
    same((await agent.party.push('relay.frame')).frame.body, frame.body, 'the frame')
  }),
  law('secure-batch', 'a call takes 96 KB of sealed entries', async (bench) => {
    const { session, contact } = await bench.queued({ secure: true })
    const body = { text: cipher(11_020), encrypted: ['text'], seal: sealOf(KEY) }
    const drafts = Array.from({ length: 8 }, () => ({
      ...{ id: `batch-${(made += 1)}`, type: 'text', body, session: session.id },
      counter: (session.counter += 1),
    }))
    check(JSON.stringify({ contact, drafts }).length < 98_304, 'the batch is larger than 96 KB')
    const appended = await session.append(...drafts)
    same(
      appended.map((answer) => 'seq' in answer),
      drafts.map(() => true),
      'what was taken',
    )
  }),
  law(
    'secure-handed-on',
    'a contact stays secure under the id of a transfer, and the next agent reads nothing of the old log',
    async (bench) => {
      const { agent, contact, visitor } = await joined(bench)
      const bob = await bench.agent('Bob')
      const { contact: next } = await agent.party.call('agent.transfer', { contact, toTags: [] })
      const { record } = await visitor.party.call('contact.read', { contact: next })
      same([record.secure, record.transferredFrom], [true, contact], 'the record')
      const session = new WireSession(visitor.party, next)
      await session.open()
      await session.present()
      await bob.push('agent.distribution', ({ id }) => id === next)
      await bob.call('agent.accept', { contact: next })
      await visitor.party.entry(next, 'assigned')
      check(
        (await bob.codeOf('log.read', { contact, after: 0, limit: 9 })) !== 'ok',
        'the next agent reads the old log',
      )
      check((await bob.codeOf('contact.read', { contact })) !== 'ok', 'the next agent reads the old record')
    },
  ),
]
