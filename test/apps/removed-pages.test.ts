import { afterEach, expect, it, vi } from 'vitest'
import { ConsoleModel } from '../../apps/agent/src/console-model.ts'
import { VisitorModel } from '../../apps/visitor/src/visitor-model.ts'
import { FakeContact } from './fake-contact.ts'

const world = vi.hoisted(() => ({ client: {}, agent: {}, agents: 0 }))
vi.mock(import('duolog'), async (original) => ({
  ...(await original()),
  createClient: () => world.client as never,
}))
vi.mock(import('duolog/agent'), async (original) => ({
  ...(await original()),
  createAgent: () => {
    world.agents++
    return world.agent as never
  },
}))

afterEach(() => void vi.unstubAllGlobals())

function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}
const nothing = (): Promise<void> => Promise.resolve()
const START = { nick: 'Robin', lang: 'en', firstMessage: 'hello', data: [] }
const signingIn = (): (() => void) => {
  const { promise, resolve } = later<Response>()
  vi.stubGlobal('fetch', () => promise)
  return () => resolve(Response.json({ token: 't', agent: { id: 'a1', nick: 'Ada' } }))
}

it.each(['createContact', 'resumeContact'] as const)(
  'SND-312 a widget that is removed during %s listens to no contact',
  async (operation) => {
    const fake = new FakeContact('visitor', { state: 'joined' })
    const { promise, resolve } = later<unknown>()
    world.client = {
      resumeContact: () => Promise.resolve({ contact: null, resumed: false }),
      close: nothing,
      [operation]: () => promise,
    }
    const model = new VisitorModel('http://localhost')
    if (operation === 'createContact') await model.resume()
    const starting = operation === 'createContact' ? model.start(START) : model.resume()
    model.close()
    resolve(operation === 'createContact' ? fake.contact : { contact: fake.contact, resumed: true })
    await starting
    expect([fake.handlerCount, fake.calls, model.session]).toEqual([0, [], null])
  },
)

it.each(['accept', 'contacts'] as const)(
  'SND-312 a console that is removed during %s listens to no contact',
  async (operation) => {
    const fake = new FakeContact('agent', { state: 'joined' })
    const { promise, resolve } = later<unknown>()
    const handlers = new Map<string, (event: object) => void>()
    const on = (name: string, handler: (event: object) => void): void => void handlers.set(name, handler)
    world.agent = {
      on,
      contacts: () => Promise.resolve([]),
      close: nothing,
      pause: nothing,
      [operation]: () => promise,
    }
    signingIn()()
    const model = new ConsoleModel('http://localhost')
    const signingInAs = model.signIn('Ada')
    if (operation === 'accept') await signingInAs
    else await expect.poll(() => model.phase).toBe('signed-in')
    handlers.get('distribution')?.({ id: 'c1', nick: 'Robin', expiresInMs: 30_000 })
    const accepting = operation === 'accept' ? model.accept('c1') : signingInAs
    model.close()
    resolve(operation === 'accept' ? fake.contact : [fake.contact])
    await accepting
    expect([fake.handlerCount, fake.calls, model.sessions]).toEqual([0, [], []])
  },
)

it('SND-312 a console that is removed while its agent signs in makes no connection', async () => {
  const answer = signingIn()
  world.agents = 0
  const model = new ConsoleModel('http://localhost')
  const signedIn = model.signIn('Ada')
  model.close()
  answer()
  await signedIn
  expect(world.agents).toBe(0)
})
