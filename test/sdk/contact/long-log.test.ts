import { describe, expect, it } from 'vitest'
import type { CallName, Transport } from '../../../protocol/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import type { TestClock } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { cursorsOf, joined, openTab, reload, watch } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

describe('a contact whose log is long', () => {
  it('SND-22 a page that is loaded anew reads from where the tab has come to, and everything is as it was', async () => {
    const pair = await joined()
    for (let n = 0; n < 200; n++) await pair.agent.sendText(`text ${n}`)
    await settled()
    const cursors = cursorsOf(pair)
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
  })

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
