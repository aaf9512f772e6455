import { describe, expect, it } from 'vitest'
import { LIMITS, parsePush, parseReply } from '../../../protocol/index.ts'
import type { CallName, ContactError, Transport } from '../../../protocol/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import type { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import {
  World,
  fakeOf,
  fakes,
  joined,
  openTab,
  record,
  reload,
  textsOf,
  watch,
} from '../../support/contacts.ts'

describe('what is sent', () => {
  it('SND-12 a text of the old page that is stored late disturbs the new page neither in entering nor in sending', async () => {
    const pair = await joined()
    const { link, tab, world } = pair
    const late: unknown[] = []
    link.faults = {
      onMessage: (_party, name, body) => {
        if (name !== 'log.append') return 'pass'
        late.push(body)
        return 'drop'
      },
    }
    void pair.visitor.sendText('of the old page').catch(() => {})
    await settled()
    const { session, drafts } = late[0] as { readonly session: string; readonly drafts: readonly unknown[] }
    await pair.pages.visitor.client.close()
    let isLate = false
    link.faults = {
      onMessage: (_party, name) => {
        if (name === 'log.append' && !isLate) {
          isLate = true
          world.contact.append('visitor', session, drafts)
        }
        return 'pass'
      },
    }
    const texts = textsOf(pair.agent)
    const resumed = watch(pair.world.visitor({ tab }).client.resumeContact())
    await pair.clock.advance(5_000)
    expect(resumed.result).toMatchObject({ value: { resumed: true } })
    const { contact } = (resumed.result as { value: { contact: typeof pair.visitor } }).value
    await contact.sendText('of the new page')
    await settled()
    expect([contact.mediaState, texts]).toEqual(['idle', ['of the old page', 'of the new page']])
  })

  it.each([1, 40])(
    'SND-24 %i texts, and leave at once: all are stored, then the contact is left',
    async (count) => {
      const pair = await joined()
      const texts = textsOf(pair.agent)
      const sent = Array.from({ length: count }, (_, n) => watch(pair.visitor.sendText(`text ${n}`)))
      await pair.visitor.leave()
      await settled()
      expect(sent.every(({ result }) => typeof result === 'object' && 'value' in result)).toBe(true)
      expect([texts.length, pair.world.entries.filter((type) => type === 'left').length]).toEqual([count, 1])
    },
  )

  it('SND-18 what does not fit in a frame is too_large at the sender, and the connection lives', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'connection')
    const { host } = fakeOf(pair.visitor)
    for (const sdp of ['x'.repeat(LIMITS.frameBytes), 'ä'.repeat(LIMITS.frameBytes / 2)])
      expect(() => host?.signal({ sdp })).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'too_large' }),
      )
    await pair.clock.advance(10_000)
    expect(told).toEqual([])
    pair.agent.on('Add', (_data, callback) => callback(null, 1))
    expect(await pair.visitor.request('Add')).toBe(1)
  })
})

describe('faults stay where they are', () => {
  it('SND-8 SND-302 an engine that throws at a signal, or when it is asked for its data, cuts nobody off', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'connection', 'text')
    const engine = fakeOf(pair.visitor)
    engine.receive = () => {
      throw new Error('of the engine')
    }
    engine.data = () => {
      throw new Error('of the engine')
    }
    fakeOf(pair.agent).host?.signal({ any: 'thing' })
    await settled()
    await pair.agent.sendText('still there?')
    await pair.agent.mergeAndTransitMedia({ Chat: { tx: false, rx: false } })
    await pair.agent.sendText('and now?')
    await pair.clock.advance(5_000)
    expect([told.map(([name]) => name), pair.world.warnings.length > 0]).toEqual([['text', 'text'], true])
  })

  it('SND-25 a contact that the service fails to open keeps neither the console’s connection nor the other contacts from going on', async () => {
    const world = new World()
    const { client: desk, party } = world.agent()
    const visitors = [
      await world.visitor().client.createContact(),
      await world.visitor().client.createContact(),
    ]
    const agents = []
    for (const { id } of visitors) {
      const agent = await desk.accept(id)
      await agent.join()
      agents.push(agent)
    }
    await settled()
    const states: string[] = []
    desk.on('connection', ({ state }) => void states.push(state))
    const [first] = world.link.contacts.values()
    const announce = first?.announce.bind(first)
    if (first)
      first.announce = () => {
        throw Object.assign(new Error('a fault'), { code: 'internal' })
      }
    world.link.cut(party)
    await world.clock.advance(20_000)
    expect(states).toEqual(['offline', 'connecting', 'online'])
    const sent = watch((agents[0] as (typeof agents)[0]).sendText('of the first'))
    await (agents[1] as (typeof agents)[0]).sendText('of the second')
    if (first && announce) first.announce = announce
    await world.clock.advance(5_000)
    expect([sent.result, states.length]).toMatchObject([{ value: expect.any(String) }, 3])
  })

  it('SND-25 join may be called again after its limit', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    world.link.faults = {
      onMessage: (party, name) => (party.slot === 'agent' && name === 'log.append' ? 'drop' : 'pass'),
    }
    const joining = watch(agent.join())
    await world.clock.advance(30_000)
    expect(joining.result).toEqual({ code: 'offline' })
    world.link.faults = {}
    await world.clock.advance(5_000)
    const again = watch(agent.join())
    await settled()
    expect([
      again.result,
      agent.mediaState,
      world.entries.filter((type) => type === 'joined').length,
    ]).toEqual([{ value: undefined }, 'idle', 1])
  })

  it.each([1, 'yes', null, {}] as const)(
    'SND-25 createContact({ secure: %j }) falls back to nothing',
    async (secure) => {
      const world = new World()
      await expect(world.visitor().client.createContact({ secure: secure as never })).rejects.toMatchObject({
        code: 'invalid_argument',
      } satisfies Partial<ContactError>)
      expect(world.link.contacts.size).toBe(0)
    },
  )

  it.each(['unauthorized', 'protocol'] as const)(
    'SND-4 the event error tells a contact that the service refuses with %s',
    async (code) => {
      const pair = await joined()
      const [here, there] = [record(pair.visitor, 'error'), record(pair.agent, 'error')]
      for (const slot of ['visitor', 'agent'] as const) {
        pair.link.refuse(slot, code)
        pair.link.cut(slot)
      }
      await pair.clock.advance(5_000)
      expect([here, there]).toMatchObject([
        [['error', { name: 'ContactError', code }]],
        [['error', { name: 'ContactError', code }]],
      ])
    },
  )
})

describe('a contact whose log is long', () => {
  it('SND-22 a page that is loaded anew reads from where the tab has come to, and everything is as it was', async () => {
    const pair = await joined()
    for (let n = 0; n < 200; n++) await pair.agent.sendText(`text ${n}`)
    await settled()
    const cursors: number[] = []
    pair.link.faults = {
      onMessage: (party, name, body) => {
        if (party.slot === 'visitor' && name === 'contact.open')
          cursors.push((body as { readonly cursor: number }).cursor)
        return 'pass'
      },
    }
    const before = pair.visitor.data()
    const { contact } = await reload(pair)
    expect([cursors.length, (cursors[0] ?? 0) > 128]).toEqual([1, true])
    expect({ ...contact.data(), transcript: null }).toEqual({ ...before, transcript: null })
    pair.tab.setItem(
      'duolog:http://localhost:contact-1:checkpoint',
      '{"form":1,"cut":null,"state":{"seq":"no"}}',
    )
    const { contact: again } = await openTab(pair, pair.tab)
    expect([again.data().state, cursors.at(-1)]).toEqual(['joined', 0])
    const fresh = await openTab(pair, memoryStore())
    expect(fresh.contact.data().state).toBe('joined')
  })
})

/**
 * A line of so many bits a second: what is pushed and answered arrives in order, each when its last bit is
 * through.
 */
function slowly(transport: Transport, clock: TestClock, bitsPerSecond: number): Transport {
  let freeAt = 0
  const after = (value: unknown, run: () => void): void => {
    freeAt = Math.max(freeAt, clock.now()) + (JSON.stringify(value ?? null).length * 8_000) / bitsPerSecond
    clock.setTimeout(run, freeAt - clock.now())
  }
  return {
    connect: (onEvent) => {
      const inner = transport.connect((event) =>
        event.type === 'push' ? after(event.push, () => onEvent(event)) : onEvent(event),
      )
      const call = (name: CallName, args: never): Promise<never> =>
        new Promise((resolve, reject) => {
          inner.call(name, args).then(
            (value) => after(value, () => resolve(value as never)),
            (error: Error) => after(null, () => reject(error)),
          )
        })
      return { call: call as typeof inner.call, close: () => inner.close() }
    },
  }
}

describe('a slow line', () => {
  it('SND-22 SND-303 10,000 entries at 256 kbit/s: entered, however long that takes, and after a page load in seconds', async () => {
    const world = new World()
    const first = await world.visitor().client.createContact()
    world.contact.announce('writer', world.contact.visitor)
    for (let n = 0; n < 10_000; n++)
      world.contact.append('visitor', 'writer', [
        {
          id: `m${n}`,
          session: 'writer',
          counter: n + 1,
          type: 'text',
          body: { text: `text ${n} ${'x'.repeat(60)}` },
        },
      ])
    await settled()
    const tab = memoryStore()
    const party = { slot: 'visitor', id: 'visitor-1' } as const
    const page = (): VisitorClient =>
      new VisitorClient(
        { service: 'http://localhost', transport: slowly(world.link.transport(party), world.clock, 256_000) },
        { ...testEnvironment(world.clock, fakes), store: world.store, tab },
      )
    const begun = world.clock.now()
    const client = page()
    const resuming = watch(client.resumeContact())
    while (resuming.result === 'pending' && world.clock.now() < begun + 600_000)
      await world.clock.advance(1_000)
    expect([resuming.result, world.clock.now() - begun > 45_000]).toMatchObject([
      { value: { resumed: true } },
      true,
    ])
    await client.close()
    const again = world.clock.now()
    const next = watch(page().resumeContact())
    while (next.result === 'pending' && world.clock.now() < again + 600_000) await world.clock.advance(100)
    expect([next.result, world.clock.now() - again < 5_000, first.data().state]).toMatchObject([
      { value: { resumed: true } },
      true,
      'queued',
    ])
  }, 60_000)

  it('SND-303 a call that is never answered ends after 10 s of silence, also on a transport without a limit of its own', async () => {
    const world = new World()
    const party = { slot: 'visitor', id: 'visitor-1' } as const
    const transport = world.link.transport(party)
    const silent: Transport = {
      connect: (onEvent) => {
        const inner = transport.connect(onEvent)
        return {
          call: (name, args) => (name === 'contact.create' ? new Promise(() => {}) : inner.call(name, args)),
          close: () => inner.close(),
        }
      },
    }
    const client = new VisitorClient(
      { service: 'http://localhost', transport: silent },
      testEnvironment(world.clock, fakes),
    )
    const created = watch(client.createContact())
    await world.clock.advance(9_999)
    expect(created.result).toBe('pending')
    await world.clock.advance(1)
    expect(created.result).toEqual({ code: 'timeout' })
    expect(world.clock.pending).toBe(0)
  })
})

describe('a service of a later minor version', () => {
  it('SND-25 SND-308 an entry of an unknown type takes its place in the log, and the page goes on', async () => {
    const pair = await joined()
    const [told, texts] = [record(pair.visitor, 'error', 'connection'), textsOf(pair.visitor)]
    const later = {
      seq: pair.world.contact.entries.length + 1,
      id: 'later',
      time: 0,
      type: 'reaction',
      slot: 'agent',
      session: 'x',
      counter: 1,
      from: { id: 'agent-1' },
      body: { mood: 7 },
    }
    pair.world.contact.entries.push(later as never)
    await pair.agent.sendText('and a text')
    await settled()
    expect([told, texts]).toEqual([[], ['and a text']])
    expect((await pair.visitor.readTranscript()).messages).toMatchObject([{ text: 'and a text' }])
  })

  it('SND-25 a code that is not known is a failure like any other', () => {
    expect(() =>
      parseReply('contact.read', { ok: false, error: { code: 'of_tomorrow', message: 'no' } }),
    ).toThrow(expect.objectContaining({ code: 'internal' }))
  })

  it('SND-25 a malformed entry of a party keeps its place and tells nothing; one of the service is refused', () => {
    const ofParty = {
      seq: 1,
      id: 'a',
      time: 0,
      type: 'text',
      slot: 'agent',
      session: 's',
      counter: 1,
      from: { id: 'x' },
      body: { text: 7 },
    }
    expect(parsePush('log.entries', { contact: 'c', entries: [ofParty] })).toMatchObject({
      body: { entries: [{ seq: 1, type: 'later.text', slot: 'agent', session: 's', body: {} }] },
    })
    const { slot: _, session: __, counter: ___, from: ____, ...ofService } = ofParty
    expect(() =>
      parsePush('log.entries', {
        contact: 'c',
        entries: [{ ...ofService, type: 'joined', body: { nick: 7 } }],
      }),
    ).toThrow(expect.objectContaining({ code: 'protocol' }))
  })
})
