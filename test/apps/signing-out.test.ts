/** Who signs in and out of the console, and what the service says too late. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConsoleModel } from '../../apps/agent/src/console-model.ts'
import { ContactError } from '../../protocol/index.ts'
import { FakeAgent } from './fake-agent.ts'
import { CHAT, FakeContact } from './fake-contact.ts'

const world = vi.hoisted(() => ({ agent: {} }))
vi.mock(import('duolog/agent'), async (original) => ({
  ...(await original()),
  createAgent: () => world.agent as never,
}))

const identity = (nick: string): string => JSON.stringify({ token: 't', agent: { id: nick, nick } })
let agent: FakeAgent
let kept: Map<string, string>

beforeEach(() => {
  vi.useFakeTimers()
  agent = new FakeAgent()
  world.agent = agent
  kept = new Map([['duolog-agent', identity('Ada')]])
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal('window', new EventTarget())
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

function answeredBy(nick: string): FakeAgent {
  const next = new FakeAgent()
  world.agent = next
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(JSON.parse(identity(nick)))))
  return next
}

it.each(['the request', 'its body'])('SND-303 signing in ends although %s never settles', async (what) => {
  kept.clear()
  const never = new Promise<never>(() => {})
  const response = { ok: true, status: 200, json: () => never }
  vi.stubGlobal('fetch', () => (what === 'the request' ? never : Promise.resolve(response)))
  const model = new ConsoleModel('http://localhost')
  void model.signIn('Ada')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([model.phase, model.failure]).toEqual(['signed-out', 'sign-in'])
  expect(vi.getTimerCount()).toBe(0)
})

it('SND-312 who signs out is signed out at once, is heard no more and leaves nothing, whatever the service does', async () => {
  const Voice = { tx: true, rx: true, via: 'net', engine: 'WebRTC' }
  const fake = new FakeContact('agent', {
    state: 'joined',
    agent: { user: 'Ada', nick: 'Ada' },
    mediaState: { ...CHAT, Voice },
  })
  fake.media = { ...CHAT, Voice }
  agent.list = [fake.contact]
  const given: string[] = []
  Object.assign(fake.engine, { endCapture: (medium: string) => void given.push(medium) })
  const model = await signedIn()
  fake.emit('text', { text: 'secret', id: 'm1', ts: 1, agent: false, from_id: 'v1' })
  agent.pending.set('pause', new Promise(() => {}))
  void model.signOut()
  expect([model.phase, model.sessions.length, [...kept.keys()]]).toEqual(['signed-out', 0, []])
  expect(given).toContain('Voice')
  await vi.advanceTimersByTimeAsync(2_000)
  expect([agent.calls.slice(-2), vi.getTimerCount(), [...kept.keys()]]).toEqual([['pause', 'close'], 0, []])
})

it('SND-312 a sign-out that is answered late does not sign the next agent out, nor do events of the agent before', async () => {
  const model = await signedIn()
  const former = agent
  let answer = (): void => {}
  former.pending.set('pause', new Promise<void>((resolve) => (answer = resolve)))
  void model.signOut()
  former.emit('error', new ContactError('unauthorized', 'over'))
  answeredBy('Bea')
  void model.signIn('Bea')
  await settle()
  answer()
  former.emit('distribution', { id: 'c1', nick: 'Robin', tags: [], expiresInMs: 30_000 })
  former.emit('paused', { reason: 'expired' })
  former.emit('error', new ContactError('unauthorized', 'over'))
  await settle()
  expect([model.phase, model.identity?.agent.nick, model.incoming, model.failure]).toEqual([
    'signed-in',
    'Bea',
    [],
    null,
  ])
  expect(former.calls.at(-1)).toBe('close')
  model.close()
})

it('SND-312 presence that was asked for before signing out is not kept for the next agent', async () => {
  const model = await signedIn()
  let answer = (): void => {}
  agent.pending.set('ready', new Promise<void>((resolve) => (answer = resolve)))
  void model.setReady(true)
  await model.signOut()
  answer()
  await settle()
  expect([model.isReady, [...kept.keys()]]).toEqual([false, []])
})

it('SND-312 ready that the service takes after it has paused the agent is shown as ready', async () => {
  kept.set('duolog-agent-ready', 'yes')
  let answer = (): void => {}
  agent.pending.set('ready', new Promise<void>((resolve) => (answer = resolve)))
  const model = await signedIn()
  expect(agent.calls).toContain('ready')
  agent.emit('paused', { reason: 'expired' })
  answer()
  await settle()
  expect([model.isReady, model.failure, kept.get('duolog-agent-ready')]).toEqual([true, null, 'yes'])
  model.close()
})

it('SND-312 ready that the service refuses after it has paused the agent is shown as paused', async () => {
  let refuse = (_thrown: Error): void => {}
  agent.pending.set('ready', new Promise<void>((_taken, reject) => (refuse = reject)))
  const model = await signedIn()
  const asked = model.setReady(true)
  agent.emit('paused', { reason: 'expired' })
  refuse(new ContactError('timeout', 'no'))
  await asked
  expect([model.isReady, model.failure, kept.has('duolog-agent-ready')]).toEqual([false, 'timeout', false])
  model.close()
})

it.each(['offline', 'timeout'] as const)(
  'SND-312 a contact whose accept has no answer (%s) is taken up where the service has it with this agent',
  async (code) => {
    const fake = new FakeContact('agent', { state: 'assigned' })
    const model = await signedIn()
    agent.emit('distribution', { id: 'c1', nick: 'Robin', tags: [], expiresInMs: 30_000 })
    agent.list = [fake.contact]
    agent.failures.set('accept', [code])
    agent.failures.set('contacts', ['offline'])
    const accepted = model.accept('c1')
    await settle()
    expect([model.failure, model.incoming.length]).toEqual(['offline', 1])
    agent.emit('connection', { state: 'online' })
    await accepted
    await settle()
    expect([model.selected?.contact, model.selected?.state.stage]).toEqual([fake.contact, 'talking'])
    expect([model.incoming, model.failure]).toEqual([[], null])
    model.close()
    expect(vi.getTimerCount()).toBe(0)
  },
)

it('SND-312 an accept without an answer that the service has not got is told', async () => {
  const model = await signedIn()
  agent.emit('distribution', { id: 'c1', nick: 'Robin', tags: [], expiresInMs: 30_000 })
  agent.failures.set('accept', ['timeout'])
  await model.accept('c1')
  expect([model.sessions, model.incoming, model.failure]).toEqual([[], [], 'timeout'])
  model.close()
})
