import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConsoleModel } from '../../apps/agent/src/console-model.ts'
import { ContactError } from '../../protocol/index.ts'
import { FakeAgent } from './fake-agent.ts'
import { FakeContact } from './fake-contact.ts'

const world = vi.hoisted(() => ({ agent: {} }))
vi.mock(import('duolog/agent'), async (original) => ({
  ...(await original()),
  createAgent: () => world.agent as never,
}))

const READY = 'duolog-agent-ready'

let agent: FakeAgent
let kept: Map<string, string>

beforeEach(() => {
  vi.useFakeTimers()
  agent = new FakeAgent()
  world.agent = agent
  kept = new Map([['duolog-agent', JSON.stringify({ token: 't', agent: { id: 'a1', nick: 'Ada' } })]])
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size
    },
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
async function signedIn(): Promise<ConsoleModel> {
  const model = new ConsoleModel('http://localhost')
  void model.restore(null)
  await settle()
  return model
}
const offer = (id: string): object => ({ id, nick: 'Robin', tags: [], expiresInMs: 30_000 })
const cards = (model: ConsoleModel): string[] => model.incoming.map(({ offered }) => offered.id)

it('SND-312 a console that is loaded while the network is away has contacts and presence when it is back', async () => {
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal('window', new EventTarget())
  kept.set(READY, 'yes')
  agent.failures.set('contacts', ['offline', 'timeout'])
  agent.failures.set('ready', ['offline'])
  const fake = new FakeContact('agent', { state: 'joined' })
  agent.list = [fake.contact]
  const model = await signedIn()
  expect([model.sessions, model.failure, kept.get(READY)]).toEqual([[], 'offline', 'yes'])
  for (let times = 0; times < 3; times++) {
    agent.emit('connection', { state: 'online' })
    await settle()
  }
  expect([model.selected?.contact, model.isReady, model.failure]).toEqual([fake.contact, true, null])
  model.close()
  expect(vi.getTimerCount()).toBe(0)
})

it('SND-312 an agent enters a contact as soon as there is a connection', async () => {
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal('window', new EventTarget())
  const fake = new FakeContact('agent', { state: 'assigned' })
  fake.failures.set('join', new ContactError('offline', 'no'))
  agent.list = [fake.contact]
  const model = await signedIn()
  expect(model.selected?.state).toMatchObject({ stage: 'assigned', problem: null })
  fake.emit('connection', { state: 'online' })
  await settle()
  expect(model.selected?.state.stage).toBe('talking')
  model.close()
})

it('SND-312 an agent whom the service has paused is shown so, also on the next page', async () => {
  const model = await signedIn()
  await model.setReady(true)
  expect(kept.get(READY)).toBe('yes')
  agent.emit('paused', { reason: 'expired' })
  expect([model.isReady, model.failure, kept.has(READY)]).toEqual([false, 'paused', false])
  await model.setReady(true)
  expect([model.isReady, model.failure]).toEqual([true, null])
})

it('SND-312 presence is what the service has taken: a failure leaves it, in the tab too', async () => {
  const model = await signedIn()
  agent.failures.set('ready', ['offline'])
  const asked = model.setReady(true)
  expect(model.isReady).toBe(true)
  await asked
  expect([model.isReady, model.failure, kept.has(READY)]).toEqual([false, 'offline', false])
  await model.setReady(true)
  agent.failures.set('pause', ['timeout'])
  const pausing = model.setReady(false)
  agent.emit('error', new ContactError('protocol', 'of something else'))
  await pausing
  expect([model.isReady, kept.get(READY)]).toEqual([true, 'yes'])
  const quickly = [model.setReady(false), model.setReady(true), model.setReady(false)]
  agent.emit('error', new ContactError('protocol', 'of something else'))
  await Promise.all(quickly)
  expect([model.isReady, kept.has(READY)]).toEqual([false, false])
})

it('SND-312 a sign-in that is lost while pausing leaves nobody ready', async () => {
  const model = await signedIn()
  await model.setReady(true)
  agent.failures.set('pause', ['unauthorized'])
  await model.setReady(false)
  expect([model.phase, model.isReady, kept.has(READY)]).toEqual(['signed-out', false, false])
})

it('SND-301 nothing that visitors wrote stays in the tab after signing out, and what is not the console’s does', async () => {
  vi.stubGlobal('document', { visibilityState: 'visible' })
  const fake = new FakeContact('agent', { state: 'joined' })
  agent.list = [fake.contact]
  kept.set('duolog-shown:c9', 'of a visitor’s page')
  const model = await signedIn()
  const said = { text: 'my card is 4111', id: 'm1', ts: 1, from_id: 'v1', agent: false }
  fake.emit('text', said)
  expect([...kept.values()].some((value) => value.includes('4111'))).toBe(true)
  model.dismiss('c1')
  await model.signOut()
  expect([...kept]).toEqual([['duolog-shown:c9', 'of a visitor’s page']])
})

it('SND-312 an offer is shown until its time is over, and one that is told again stands once', async () => {
  const model = await signedIn()
  agent.emit('distribution', offer('c1'))
  agent.emit('distribution', offer('c2'))
  agent.emit('distribution', { ...offer('c1'), expiresInMs: 10_000 })
  expect(cards(model)).toEqual(['c2', 'c1'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(cards(model)).toEqual(['c2'])
  agent.emit('withdrawn', { id: 'c2', reason: 'taken' })
  expect([cards(model), vi.getTimerCount()]).toEqual([[], 0])
})

it('SND-312 an offer that is being answered stays until the answer is known', async () => {
  vi.stubGlobal('document', { visibilityState: 'visible' })
  const model = await signedIn()
  const fake = new FakeContact('agent', { state: 'assigned' })
  let give = (_contact: unknown): void => {}
  agent.accept = () => new Promise((resolve) => (give = resolve))
  agent.emit('distribution', offer('c1'))
  const accepted = model.accept('c1')
  agent.emit('distribution', offer('c1'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(model.incoming.map(({ isAnswered }) => isAnswered)).toEqual([true])
  give(fake.contact)
  await accepted
  expect([cards(model), model.selected?.contact]).toEqual([[], fake.contact])
  model.close()
})
