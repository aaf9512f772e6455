import { afterEach, describe, expect, it, vi } from 'vitest'
import type { KeyValueStore, Log } from '../../../sdk/api/client.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import type { Environment } from '../../../sdk/client/environment.ts'
import { createClient } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { textsOf, watch } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

const SERVICE = 'http://localhost'
const thrower = (): never => {
  throw new Error('of the application')
}
const later = (): Promise<never> => Promise.reject(new Error('of the application'))
const never = (): Promise<never> => new Promise(() => {})

/** What an application may hand over, each part of which fails in one way. */
function broken(fail: () => unknown): Pick<Environment, 'store' | 'tab' | 'log' | 'inspect'> {
  const store = { getItem: fail, setItem: fail, removeItem: fail } as KeyValueStore
  return { store, tab: store, log: { debug: fail, warn: fail } as Log, inspect: fail as () => void }
}

const rejections = vi.fn()
process.on('unhandledRejection', rejections)
afterEach(() => {
  if (rejections.mock.calls.length > 0) throw new Error('a rejection was not handled')
})

/** Two pages in an environment that is `given` in part: what they do, from the start to the end. */
async function wholeLife(given: Partial<Environment>) {
  const world = new World()
  const environment = { ...testEnvironment(world.clock, fakes), ...given }
  const client = new VisitorClient(
    { service: SERVICE, transport: world.link.transport({ slot: 'visitor', id: 'visitor-1' }) },
    environment,
  )
  const desk = new AgentImpl(
    {
      service: SERVICE,
      token: 'x',
      transport: world.link.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' }),
    },
    environment,
  )
  const visitor = await client.createContact()
  const agent = await desk.accept(visitor.id)
  visitor.on('Count', (_data, callback) => callback(null, 1))
  const texts = textsOf(visitor)
  await agent.join()
  await agent.sendText('one')
  const counted = await agent.request('Count')
  await settled()
  await visitor.leave()
  return { texts, counted, entries: world.entries }
}

describe('what an application hands over', () => {
  it('SND-302 in place of a clock that throws the page goes by its own', async () => {
    const clock = { now: thrower, setTimeout: thrower, clearTimeout: thrower }
    const { texts, counted, entries } = await wholeLife({ clock })
    expect([texts, counted, entries.at(-1)]).toEqual([['one'], 1, 'left'])
  })

  it.each([
    ['throws', thrower],
    ['rejects', later],
    ['never answers', never],
  ])(
    'SND-11 SND-24 SND-302 SND-303 a storage, a log and an observer of which each call %s disturb nothing',
    async (_how, fail) => {
      for (const [name, part] of Object.entries(broken(fail))) {
        const { texts, counted, entries } = await wholeLife({ [name]: part })
        expect([name, texts, counted, entries.at(-1)]).toEqual([name, ['one'], 1, 'left'])
      }
    },
  )

  it('SND-11 a storage that takes nothing any more: the page goes on in memory, its own values are the newer ones', async () => {
    const world = new World()
    const full = { ...memoryStore(), setItem: thrower }
    const environment = { ...testEnvironment(world.clock, fakes), store: full, tab: full }
    const page = () =>
      new VisitorClient(
        { service: SERVICE, transport: world.link.transport({ slot: 'visitor', id: 'visitor-1' }) },
        environment,
      )
    const first = page()
    const created = watch(first.createContact())
    await settled()
    expect(created.result).toMatchObject({ value: { id: 'contact-1' } })
    await first.close()
    expect(await page().resumeContact()).toEqual({ contact: null, resumed: false })
  })

  it('SND-11 a storage that forgets nothing: what the page has erased is not there', async () => {
    const world = new World()
    const stubborn = { ...memoryStore(), removeItem: thrower }
    const client = createClient({
      service: SERVICE,
      storage: stubborn,
      clock: world.clock,
      transport: world.link.transport({ slot: 'visitor', id: 'visitor-1' }),
    })
    const visitor = await client.createContact()
    await visitor.leave()
    expect(await client.resumeContact()).toEqual({ contact: null, resumed: false })
    await client.close()
  })
})
