import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record, textsOf } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair, Told } from '../../support/contacts.ts'
import { hostileTo } from '../../support/lying-service.ts'
import type { Hostility, Raw } from '../../support/lying-service.ts'

const secure = { secure: true } as const

interface Attacked {
  readonly pair: Pair
  /** What the attacked party is told. */
  readonly told: readonly Told[]
}

/** A secure contact whose service is hostile to the agent's page. */
async function attacked(hostility: Hostility): Promise<Attacked> {
  const world = new World()
  hostileTo(world, 'agent', hostility)
  const told: Told[] = []
  const pair = await joined(secure, ({ agent }) => collect(agent, told), world)
  await settled()
  return { pair, told }
}

function collect(contact: Contact, told: Told[]): void {
  for (const name of ['error', 'insecure', 'text'] as const)
    contact.on(name, (event) => void told.push([name, event] as unknown as Told))
}

/** Alters the entries of a type. */
const altering =
  (type: string, alter: (entry: Raw) => Raw): Hostility['entries'] =>
  (entries) =>
    entries.map((entry) => (entry['type'] === type ? alter(entry) : entry))

const isBroken = (contact: Contact): boolean => contact.verification?.state === 'broken'

/** Stands for the session of the agent's page. */
const AGENT_SESSION = 'session of the agent'

describe('a service that lies to one party', () => {
  const forged = 'Zm9yZ2VkIGZvcmdlZCBmb3JnZWQgZm9yZ2VkIGZvcmc='
  const atOnce: readonly (readonly [string, NonNullable<Hostility['entries']>])[] = [
    [
      'ENC-230 shows another entry of its own to one side',
      altering('assigned', (entry) => ({ ...entry, body: { ...entry.body, nick: 'Eve' } })) as never,
    ],
    [
      'ENC-231 adds a member that readers do not know, for one side only',
      altering('assigned', (entry) => ({ ...entry, added: true })) as never,
    ],
    [
      "ENC-232 puts its own key in the visitor's place",
      altering('keyReveal', (entry) => ({ ...entry, body: { ...entry.body, key: forged } })) as never,
    ],
    [
      'ENC-233 puts its own commitment in the place of the visitor’s',
      altering('keyCommit', (entry) => ({ ...entry, body: { ...entry.body, commit: forged } })) as never,
    ],
  ]
  it.each(atOnce)('%s: the page that reads it breaks the contact', async (_name, entries) => {
    const { pair, told } = await attacked({ entries })
    expect(isBroken(pair.agent)).toBe(true)
    expect(told).toMatchObject([['error', { code: 'tampered' }]])
  })

  const later: readonly (readonly [string, NonNullable<Hostility['entries']>])[] = [
    [
      'ENC-234 changes a ciphertext',
      altering('text', (entry) => ({
        ...entry,
        body: { ...entry.body, text: (entry.body['text'] as string).replace(/.{8}$/, 'AAAAAAA=') },
      })) as never,
    ],
    [
      'ENC-235 changes a member in the clear',
      altering('text', (entry) => ({ ...entry, body: { ...entry.body, lang: 'xx' } })) as never,
    ],
    [
      'ENC-236 gives a message another id',
      altering('text', (entry) => ({ ...entry, id: 'another' })) as never,
    ],
    [
      'ENC-237 gives a message to another session',
      altering('text', (entry) => ({ ...entry, session: 'another' })) as never,
    ],
    [
      'ENC-238 gives a message another number',
      altering('text', (entry) => ({ ...entry, counter: Number(entry['counter']) + 1 })) as never,
    ],
    [
      'ENC-239 repeats an earlier message',
      (() => {
        let first: Raw | undefined
        return altering('text', (entry) => {
          first ??= entry
          return { ...first, seq: entry['seq'] ?? 0 }
        })
      })() as never,
    ],
    [
      'ENC-240 writes in the name of the agent’s own session',
      altering('text', (entry) => ({ ...entry, slot: 'agent', session: AGENT_SESSION })) as never,
    ],
  ]
  it.each(later)('%s: the page that reads it breaks the contact', async (_name, entries) => {
    let own = ''
    const { pair, told } = await attacked({
      entries: (given) => {
        const present = given.find(({ slot, type }) => slot === 'agent' && type === 'present')
        own ||= (present?.['session'] as string | undefined) ?? ''
        return entries(given).map((entry) =>
          entry['session'] === AGENT_SESSION ? { ...entry, session: own } : entry,
        )
      },
    })
    expect(pair.agent.verification?.state).toBe('unverified')
    await pair.visitor.sendText('one')
    await pair.visitor.sendText('two')
    await settled()
    expect(isBroken(pair.agent)).toBe(true)
    expect(told.filter(([name]) => name === 'error')).toMatchObject([['error', { code: 'tampered' }]])
    expect(told.filter(([name]) => name === 'text').length).toBeLessThan(2)
    await expect(pair.agent.sendText('x')).rejects.toMatchObject({ code: 'tampered' })
    await pair.agent.leave()
  })

  it('ENC-241 says that the contact is not secure any more: the page breaks it and sends nothing in clear', async () => {
    const world = new World()
    const pair = await joined(secure, undefined, world)
    hostileTo(world, 'visitor', { record: { secure: false } })
    await pair.pages.visitor.client.close()
    const { contact } = await world.visitor({ tab: pair.tab }).client.resumeContact()
    await settled()
    expect(contact?.secure).toBe(true)
    expect(contact?.verification?.state).toBe('broken')
    await expect(contact?.sendText('in clear?')).rejects.toMatchObject({ code: 'tampered' })
    await expect(contact?.join()).rejects.toMatchObject({ code: 'no_crypto' })
    expect(() => contact?.encrypt('x')).toThrowError(expect.objectContaining({ code: 'tampered' }))
    await contact?.leave()
    expect(JSON.stringify(world.contact.entries)).not.toContain('in clear?')
  })

  it('ENC-242 drops, repeats or changes frames: none is taken, the application is told once', async () => {
    let n = 0
    const { pair, told } = await attacked({
      frame: (frame) => (frame.n > 0 && n++ < 3 ? { ...frame, body: 'QUFB'.repeat(40) } : frame),
    })
    for (let each = 0; each < 4; each++) {
      pair.visitor.sendIsWriting()
      await pair.clock.advance(3_000)
    }
    expect(told).toEqual([['insecure', { type: 'frame', reason: 'malformed' }]])
    expect(isBroken(pair.agent)).toBe(false)
  })

  it('ENC-243 a message in clear is neither delivered nor acknowledged', async () => {
    const world = new World()
    let isFirst = true
    hostileTo(world, 'visitor', {
      drafts: (drafts) =>
        drafts.map((draft) => {
          if (draft.type !== 'text' || !isFirst) return draft
          isFirst = false
          return { ...draft, body: { text: 'in clear' } }
        }),
    })
    const pair = await joined(secure, undefined, world)
    const told = record(pair.agent, 'text', 'insecure')
    await pair.visitor.sendText('a text')
    await settled()
    expect(told).toMatchObject([
      ['insecure', { type: 'text', reason: 'clear' }],
      ['text', { text: 'a text' }],
    ])
    expect(world.entries.filter((type) => type === 'ack').length).toBe(2)
  })

  it('ENC-244 a message under a key that is over is sent again under the next one: once, in its place', async () => {
    const world = new World()
    let isHeld = false
    const release = hostileTo(world, 'visitor', { holds: () => isHeld })
    const pair = await joined(secure, undefined, world)
    isHeld = true
    await pair.pages.agent.client.close()
    const page = world.agent()
    const [agent] = await page.client.contacts()
    const texts = agent ? textsOf(agent) : []
    const joining = agent?.join()
    await settled()
    const sent = ['one', 'two', 'three'].map((text) => pair.visitor.sendText(text))
    await settled()
    isHeld = false
    release()
    await joining
    await settled()
    const ids = await Promise.all(sent)
    await settled()
    expect(texts).toEqual(['one', 'two', 'three'])
    const counting = world.contact.entries.filter(({ id }) => ids.includes(id))
    expect(counting.map(({ type }) => type)).toEqual(['text', 'text', 'text'])
    expect(world.entries.filter((type) => type === 'text').length).toBe(6)
  })
})
