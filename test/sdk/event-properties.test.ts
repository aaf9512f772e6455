import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isOwnEvent } from '../../protocol/index.ts'
import type { ContactEventName, DataCollection, Push, Transport } from '../../protocol/index.ts'
import type { Contact } from '../../sdk/index.ts'
import { VisitorClient } from '../../sdk/create-client.ts'
import { settled } from '../../testing/index.ts'
import { testEnvironment } from '../../testing/test-contact.ts'
import { OFF, VOICE, World, answering, fakeOf, fakes } from '../support/contacts.ts'

interface Shape {
  readonly always: readonly string[]
  readonly sometimes?: readonly string[]
}

const SENDER = { always: ['from_id', 'agent'], sometimes: ['from_nick'] } as const
const from = (always: readonly string[], sometimes: readonly string[] = []): Shape => ({ always: [...always, ...SENDER.always], sometimes: [...sometimes, ...SENDER.sometimes] })

/** Properties that each event has, as the contract and `docs/events.md` list them. */
const DOCUMENTED: Readonly<Record<ContactEventName, Shape>> = {
  text: from(['text']),
  localtext: { always: ['text'] },
  link: from(['url'], ['desc']),
  locallink: { always: ['url'], sometimes: ['desc'] },
  attachment: from(['url', 'meta']),
  iswriting: SENDER,
  localiswriting: { always: [] },
  ack: from(['ref']),
  action: from(['action_code', 'args']),
  left: { always: ['id', 'channels'], sometimes: ['vvcu', 'user', 'reason'] },
  localleft: { always: [], sometimes: ['reason'] },
  cleared: { always: ['id'], sometimes: ['reason'] },
  joined: { always: ['id', 'user', 'nick'], sometimes: ['avatar'] },
  data: { always: ['channel', 'data'], sometimes: ['topic'] },
  transferred: { always: ['id', 'to'] },
  declined: { always: ['id', 'user', 'nick'] },
  localcapabilities: { always: ['Media', 'Mobile'], sometimes: ['CoBrowsing', 'WebRTC', 'MediaAvailability'] },
  capabilities: { always: ['Media', 'Mobile'], sometimes: ['CoBrowsing', 'WebRTC', 'MediaAvailability'] },
  datachannel: { always: ['id', 'type', 'send', 'close', 'on', 'off', 'once'] },
  mediaoffer: { always: ['offer', 'callback'] },
  mediachange: { always: ['newMedia', 'diff'] },
  telephone: { always: ['state'], sometimes: ['reason'] },
  datachange: { always: ['form', 'field', 'value', 'original', 'user'] },
  assigned: { always: ['id', 'user', 'nick'] },
  queue: { always: ['position'], sometimes: ['expectedWaitMs'] },
  mediastate: { always: ['state'] },
  connection: { always: ['state'] },
  statistics: { always: ['engine', 'media', 'score'], sometimes: ['roundTripMs'] },
  liveness: { always: ['engine', 'silent', 'step'] },
  remotehold: { always: ['engine', 'on'] },
  callsummary: { always: ['engine', 'durationMs', 'score', 'media', 'healing'], sometimes: ['roundTripMs'] },
  error: { always: ['code', 'message', 'retryable'], sometimes: ['cause', 'retryAfterMs', 'name', 'stack'] },
}
/** Arguments that are objects with a behaviour: their members are looked for, and may be more. */
const OBJECTS: ReadonlySet<string> = new Set(['datachannel', 'error'])
const DATA: DataCollection = [{ name: 'order', desc: 'Order', data: [{ name: 'note', desc: 'Note', type: 'text', value: 'x', editable: true }] }]

/** What is wrong with an argument. */
function faultOf(name: ContactEventName, args: readonly unknown[]): string | null {
  const { always, sometimes = [] } = DOCUMENTED[name]
  const [event, ...more] = args
  if (more.length > 0 || typeof event !== 'object' || event === null) return `${name} has ${args.length} arguments`
  const lacking = always.filter((key) => !(key in event))
  const extra = OBJECTS.has(name) ? [] : Object.keys(event).filter((key) => !always.includes(key) && !sometimes.includes(key))
  const empty = Object.entries(event).flatMap(([key, value]) => (value === undefined ? [key] : []))
  return lacking.length + extra.length + empty.length === 0 ? null : `${name} lacks ${lacking.join()}, has ${extra.join()}, undefined ${empty.join()}`
}

/** A whole life of a contact in which every event comes. */
async function live(watch: (contact: Contact) => void): Promise<void> {
  const world = new World()
  const party = { slot: 'visitor', id: 'visitor-1', nick: 'Vera' } as const
  let push = (_push: Push): void => {}
  const transport: Transport = {
    connect(onEvent) {
      push = (each) => onEvent({ type: 'push', push: each })
      return world.link.transport(party).connect(onEvent)
    },
  }
  const environment = { ...testEnvironment(world.clock, fakes), upload: world.link.files.upload.bind(world.link.files) }
  const client = new VisitorClient({ service: 'http://localhost', transport }, environment)
  const visitor = await client.createContact({ nick: 'Vera', data: DATA })
  watch(visitor)
  await settled()
  push({ name: 'contact.queue', body: { contact: visitor.id, position: 2, expectedWaitMs: 5_000 } })
  push({ name: 'contact.queue', body: { contact: visitor.id, position: 1 } })
  const first = world.agent({ avatar: { base_url: 'https://example.org/', images: [{ size: '40', file: 'a.png' }] } })
  await first.client.accept(visitor.id)
  await settled()
  await first.client.decline(visitor.id)
  await settled()
  const agent = await first.client.accept(visitor.id)
  watch(agent)
  answering(visitor)
  answering(agent)
  await agent.join()
  await settled()
  for (const [here, there] of [
    [visitor, agent],
    [agent, visitor],
  ] as const) {
    await here.sendText('hello', 'en')
    await here.sendLink('https://example.org', 'An example')
    await here.sendLink('https://example.org')
    await here.sendAction('Blink', ['a', 'b'])
    await here.attach(new File(['x'], 'x.txt'), 'A file', 'ref')
    here.sendIsWriting()
    await here.setLocalCapability('CoBrowsing', true)
    await here.sendData('pointer', 1)
    await here.sendData('pointer', 2, 'joined')
    await here.offerMedia(VOICE)
    await settled()
    fakeOf(there).host?.observed({ media: { Voice: { tx: { isFlowing: true, bitRate: 1 } } }, roundTripMs: 1, score: 4 })
    for (const on of [true, false]) fakeOf(there).host?.report({ type: 'remote_held', on })
    fakeOf(there).host?.report({ type: 'liveness', silent: ['Voice'], step: 'ice_restart' })
    await import('../../sdk/call-statistics.ts')
    await settled()
    await here.mergeAndTransitMedia({ Voice: OFF })
    await settled()
  }
  await agent.editData('order', 'note', 'y')
  world.link.cut('visitor')
  await world.clock.advance(5_000)
  await visitor.offerMedia(VOICE)
  fakeOf(visitor).script('undo', 'engine_failed')
  fakeOf(visitor).script('transit', 'media_failed')
  await visitor.mergeAndTransitMedia({ Voice: OFF }).catch(() => {})
  await world.clock.advance(40_000)
  await first.client.transfer(agent.id, { toAgent: 'agent-2' })
  await settled()
  const second = await world.agent({ id: 'agent-2', nick: 'Bo' }).client.accept(visitor.id)
  watch(second)
  await second.join()
  await settled()
  await second.leave()
  await settled()
}

describe('the argument of each event', () => {
  it('MSG-10 is one object with exactly the documented properties, on both sides, all through a contact', async () => {
    const seen = new Set<string>()
    const faults = new Set<string>()
    await live((contact) => {
      for (const name of Object.keys(DOCUMENTED) as ContactEventName[]) {
        contact.on(name, (...args: readonly unknown[]) => {
          seen.add(name)
          const fault = faultOf(name, args)
          if (fault !== null) faults.add(fault)
        })
      }
    })
    expect([...faults]).toEqual([])
    // That one needs a telephone: test/service/telephony.test.ts.
    expect(Object.keys(DOCUMENTED).filter((name) => !seen.has(name))).toEqual(['telephone'])
  })

  it('MSG-10 an event that is not as documented is found', () => {
    expect(faultOf('localtext', [{ text: 'x' }])).toBe(null)
    for (const args of [[{}], [{ text: 'x', id: '1' }], [{ text: 'x' }, 1], [], ['x'], [{ text: undefined }]]) expect(faultOf('localtext', args)).not.toBe(null)
  })

  it('MSG-10 NS-1 the page lists the events beyond the contract, each property of theirs, and no other event', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/events.md', import.meta.url)), 'utf8')
    const rows = new Map([...page.matchAll(/^\| `(\w+)` \| (.*?) \| /gm)].map(([, name = '', properties = '']) => [name, properties]))
    for (const [name, properties] of rows) {
      expect([name, isOwnEvent(name)]).toEqual([name, true])
      const { always, sometimes = [] } = DOCUMENTED[name as ContactEventName]
      if (name !== 'error') for (const key of [...always, ...sometimes]) expect([name, properties.includes(`\`${key}\``)]).toEqual([name, true])
    }
    expect(rows.size).toBe(11)
  })
})
