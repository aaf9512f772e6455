import { describe, expect, it } from 'vitest'
import { NativeEngine } from '../../../engines/index.ts'
import type { EngineHost } from '../../../engines/index.ts'
import type { Contact, ContactEventName, JsonValue } from '../../../sdk/index.ts'
import { FakeEngine, createTestContact, settled } from '../../../testing/index.ts'
import { CALL, START, VOICE, answering, joined, offering, required } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import { wholeLife } from '../../support/whole-life.ts'

type Plain = Record<string, unknown>

const isPlain = (value: unknown): value is Plain => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/**
 * Changes everything in a value that an application may change: members, members of members, and what is
 * added.
 */
function spoil(value: unknown, seen: Set<unknown> = new Set()): void {
  if (!isPlain(value) || seen.has(value)) return
  seen.add(value)
  for (const key of Object.keys(value)) {
    spoil(value[key], seen)
    value[key] = `spoilt ${key}`
  }
  if (Array.isArray(value)) value.push('spoilt')
  else value['spoilt'] = true
}

/**
 * A copy for a test to keep, in which names made at random are alike and what has a behaviour is left out.
 */
const noted = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'string'
        ? member.replaceAll(/[0-9a-f]{32}/g, 'id')
        : isPlain(member) || typeof member !== 'object'
          ? member
          : null,
    ) ?? 'null',
  )

const EVENTS: readonly ContactEventName[] = [
  ...([
    'text',
    'localtext',
    'link',
    'locallink',
    'attachment',
    'action',
    'iswriting',
    'ack',
    'joined',
    'left',
    'localleft',
    'cleared',
    'transferred',
    'declined',
  ] as const),
  ...([
    'localcapabilities',
    'capabilities',
    'mediaoffer',
    'mediachange',
    'data',
    'datachange',
    'assigned',
    'queue',
    'mediastate',
    'connection',
  ] as const),
  ...(['statistics', 'liveness', 'remotehold', 'remotemute'] as const),
  ...(['interruption', 'callsummary', 'restored'] as const),
]

/** What is asked of a contact in passing: everything that gives something back. */
const READS: readonly ((contact: Contact) => unknown)[] = [
  (contact) => contact.data(),
  (contact) => contact.getMedia(),
  (contact) => contact.getMedia(true),
  (contact) => contact.getMediaOffer(),
  (contact) => contact.mergeMedia({ Voice: CALL }),
  async (contact) => contact.cloneMedia(await contact.getMedia()),
  async (contact) => contact.diffMedia(await contact.getMedia(), START),
  (contact) => contact.answer(offering({ Voice: required })),
  (contact) => contact.getLocalCapabilities(),
  (contact) => contact.getRemoteCapabilities().catch(() => null),
  (contact) => contact.readTranscript({ limit: 5 }).catch(() => null),
]

/**
 * Plays a whole life; with `spoils`, everything that was given to the application or by it is changed as soon
 * as it has it.
 */
async function play(spoils: boolean): Promise<readonly unknown[]> {
  const told: unknown[] = []
  const use = (value: unknown): void => {
    if (spoils) spoil(value)
  }
  const reads: Promise<unknown>[] = []
  const last = await wholeLife((contact) => {
    for (const name of EVENTS) {
      contact.on(name, (event: unknown) => {
        told.push(noted([contact.role, name, event]))
        use(event)
        if (name !== 'mediachange' && name !== 'text') return
        for (const read of READS) reads.push(Promise.resolve(read(contact)).then(use))
      })
    }
    wrap(contact, use)
  })
  await Promise.all(reads)
  return [...told, noted(last.data())]
}

/** Operations get copies of their arguments, which are used up afterwards, and so is what they give. */
function wrap(contact: Contact, use: (value: unknown) => void): void {
  const operations = [
    'offerMedia',
    'mergeAndTransitMedia',
    'sendAction',
    'sendData',
    'setLocalCapability',
    'editData',
    'attach',
    'sendText',
    'sendLink',
  ] as const
  for (const name of operations) {
    const call = (contact[name] as (...args: unknown[]) => unknown).bind(contact)
    Object.defineProperty(contact, name, {
      value: (...args: readonly unknown[]): unknown => {
        const own = args.map((arg) => (isPlain(arg) ? structuredClone(arg) : arg))
        const result = call(...own)
        own.forEach(use)
        return result instanceof Promise ? result.then((value: unknown) => (use(value), value)) : result
      },
    })
  }
}

describe('what applications hold is theirs', () => {
  it('SND-301 whatever an application does to what it gets and gives, the life of the contact is the same on both sides', async () => {
    const [untouched, spoilt] = [await play(false), await play(true)]
    expect(untouched.length).toBeGreaterThan(80)
    expect(spoilt).toEqual(untouched)
  })

  it('SND-15 an offer that the application turns into its answer in place does not change what was offered', async () => {
    const { visitor, agent } = await joined()
    agent.on('mediaoffer', ({ offer, callback }) => {
      const answer = offer as unknown as Record<string, { tx: unknown; rx: unknown }>
      for (const details of Object.values(answer))
        Object.assign(details, { tx: details.tx === 'required', rx: details.rx === 'required' })
      callback(null, answer as never)
    })
    await visitor.offerMedia(offering({ Voice: { tx: 'optional', rx: 'required' } }))
    await settled()
    expect([visitor.data().mediaState.Voice, agent.data().mediaState.Voice]).toEqual([
      { ...CALL, tx: false },
      { ...CALL, rx: false },
    ])
  })

  it('SND-301 each handler of an event has a value of its own', async () => {
    const { visitor, agent } = await joined()
    const seen: unknown[] = []
    agent.on('action', spoil)
    agent.on('action', ({ args }) => seen.push(args))
    await visitor.sendAction('Blink', ['a'])
    await settled()
    expect(seen).toEqual([['a']])
  })

  it('SND-301 each handler of data has bytes of its own', async () => {
    const { visitor, agent } = await joined()
    const seen: unknown[] = []
    for (const spoilt of [9, 8])
      agent.on('data', ({ data }) => {
        const bytes = new Uint8Array(data as ArrayBuffer)
        seen.push(...bytes)
        bytes.fill(spoilt)
      })
    await visitor.sendData('one', Uint8Array.of(7), undefined, 'sio')
    await settled()
    expect(seen).toEqual([7, 7])
  })

  it('SND-301 what an application changes while the code for it is being loaded is not sent', async () => {
    const { visitor, agent } = await joined()
    const got: unknown[] = []
    agent.on('Ask', (data, callback) => (got.push(data), callback(null, 1)))
    agent.on('data', ({ data }) => got.push(data instanceof ArrayBuffer ? [...new Uint8Array(data)] : data))
    const [asked, sent, bytes] = [{ a: [1] }, { b: { c: 2 } }, Uint8Array.of(1, 2, 3)]
    const running = [
      visitor.request('Ask', asked),
      visitor.sendData('one', sent),
      visitor.sendData('two', bytes),
    ]
    spoil(asked)
    spoil(sent)
    bytes.fill(9)
    await Promise.all(running)
    await settled()
    expect(got).toEqual(expect.arrayContaining([{ a: [1] }, { b: { c: 2 } }, [1, 2, 3]]))
  })

  it('SND-301 an engine that changes its arguments, or keeps what it gave, changes nothing', async () => {
    class Spoiler extends FakeEngine {
      readonly kept: Plain = { Voice: { own: { deep: 1 } } }
      override async transit(transition: Parameters<FakeEngine['transit']>[0]): Promise<void> {
        await super.transit({ ...transition, to: structuredClone(transition.to) })
        spoil(transition.to)
        spoil(transition.from)
      }
      override async prepare(media: Parameters<FakeEngine['prepare']>[0]): Promise<void> {
        await super.prepare(structuredClone(media))
        spoil(media)
      }
      override data = (): never => this.kept as never
    }
    const engines: Spoiler[] = []
    const { visitor, agent } = await createTestContact({
      engines: () => {
        const engine = new Spoiler({ id: 'WebRTC', media: ['Voice', 'Video', 'Screen'] })
        engines.push(engine)
        return [new NativeEngine(), engine]
      },
    })
    answering(agent)
    await visitor.offerMedia(VOICE)
    await settled()
    spoil((await visitor.getMedia()).Voice)
    expect([visitor.data().mediaState, agent.data().mediaState]).toEqual([
      { ...START, Voice: CALL },
      { ...START, Voice: CALL },
    ])
    expect((await visitor.getMedia()).Voice?.data).toEqual({ own: { deep: 1 } })
  })

  it('SND-301 a signal that an engine changes after it was given is sent, and sent again, as it was', async () => {
    const hosts: EngineHost[] = []
    const got: unknown[] = []
    class Signalling extends FakeEngine {
      override attach(host: EngineHost): void {
        hosts.push(host)
        super.attach(host)
      }
      override receive(data: JsonValue): void {
        got.push(data)
      }
    }
    const pair = await joined(
      {},
      () => {},
      new World({ engines: () => [new NativeEngine(), new Signalling({ id: 'Signals', media: ['Voice'] })] }),
    )
    pair.link.lose({ name: 'relay.send', slot: 'visitor' })
    const signal = { candidate: 'mine' }
    hosts.find(({ slot }) => slot === 'visitor')?.signal(signal)
    spoil(signal)
    await pair.clock.advance(10_000)
    expect(got).toEqual([{ candidate: 'mine' }])
  })
})
