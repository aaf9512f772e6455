import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { VisitorModel } from '../../apps/visitor/src/visitor-model.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ErrorCode } from '../../protocol/index.ts'
import { FakeContact } from './fake-contact.ts'

const world = vi.hoisted(() => ({ client: {} }))
vi.mock(import('duolog'), async (original) => ({
  ...(await original()),
  createClient: () => world.client as never,
}))

const NONE = { contact: null, resumed: false }
const resumeContact = vi.fn<() => Promise<unknown>>()
const refuse = (code: ErrorCode): Promise<never> => Promise.reject(new ContactError(code, 'no'))

beforeEach(() => {
  vi.useFakeTimers()
  resumeContact.mockReset()
  world.client = { resumeContact, close: () => Promise.resolve() }
})
afterEach(() => void vi.useRealTimers())

it.each(['offline', 'timeout', 'rate_limited'] as const)(
  'SND-312 a page that is told %s asks for its contact again, until it is known whether there is one',
  async (code) => {
    const fake = new FakeContact('visitor', { state: 'joined' })
    resumeContact
      .mockImplementationOnce(() => refuse(code))
      .mockImplementationOnce(() => refuse(code))
      .mockResolvedValueOnce({ contact: fake.contact, resumed: true })
    const model = new VisitorModel('http://localhost')
    const resumed = model.resume()
    await vi.advanceTimersByTimeAsync(0)
    expect(model.phase).toBe('unreachable')
    await vi.advanceTimersByTimeAsync(3_000)
    expect([model.phase, model.session?.contact, await resumed]).toEqual(['conversation', fake.contact, true])
    model.close()
    expect(vi.getTimerCount()).toBe(0)
  },
)

it('SND-312 a page asks at once when the network is back', async () => {
  const window = new EventTarget()
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  resumeContact.mockImplementationOnce(() => refuse('offline')).mockResolvedValueOnce(NONE)
  const model = new VisitorModel('http://localhost')
  const resumed = model.resume()
  await vi.advanceTimersByTimeAsync(0)
  window.dispatchEvent(new Event('online'))
  expect([await resumed, model.phase, vi.getTimerCount()]).toEqual([false, 'form', 0])
  vi.unstubAllGlobals()
})

it('SND-312 a refusal that is decided leads to the form', async () => {
  resumeContact.mockImplementationOnce(() => refuse('unauthorized'))
  const model = new VisitorModel('http://localhost')
  expect([await model.resume(), model.phase]).toEqual([false, 'form'])
})

it('SND-312 a page that is removed while it waits asks no more', async () => {
  resumeContact.mockImplementation(() => refuse('offline'))
  const model = new VisitorModel('http://localhost')
  const resumed = model.resume()
  await vi.advanceTimersByTimeAsync(0)
  model.close()
  expect([await resumed, vi.getTimerCount(), resumeContact.mock.calls.length]).toEqual([false, 0, 1])
})

it('PRD-4 tells the developer why the service takes no start, once', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  resumeContact.mockResolvedValue(NONE)
  const createContact = vi
    .fn<() => Promise<never>>()
    .mockImplementationOnce(() => refuse('offline'))
    .mockImplementation(() => Promise.reject(new ContactError('invalid_argument', 'phone must be E.164')))
  world.client = { resumeContact, createContact, close: () => Promise.resolve() }
  const model = new VisitorModel('http://localhost')
  await model.resume()
  const start = (): Promise<void> => model.start({ lang: 'en', firstMessage: '', data: [] })
  await start()
  expect([model.failure, warn.mock.calls]).toEqual(['offline', []])
  await start()
  await start()
  expect([model.failure, warn.mock.calls]).toEqual([
    'invalid_argument',
    [['<duolog-widget>: phone must be E.164']],
  ])
  warn.mockRestore()
  model.close()
})

it('PRD-31 a start without a message where nobody is there asks for one, and leaves nothing behind', async () => {
  resumeContact.mockResolvedValue(NONE)
  const fakes = [true, true, false].map((later) => new FakeContact('visitor', { state: 'queued', later }))
  const left = fakes.map(({ contact }) => vi.spyOn(contact, 'leave').mockResolvedValue())
  const createContact = vi.fn<() => Promise<unknown>>()
  for (const { contact } of fakes) createContact.mockResolvedValueOnce(contact)
  world.client = { resumeContact, createContact, close: () => Promise.resolve() }
  const after = async (firstMessage: string): Promise<unknown> => {
    const model = new VisitorModel('http://localhost')
    await model.resume()
    await model.start({ lang: 'en', firstMessage, data: [], later: 'unattended' })
    const state = [model.phase, model.isUnattended]
    model.close()
    return state
  }
  expect([await after(''), await after('Hello'), await after('')]).toEqual([
    ['form', true],
    ['conversation', false],
    ['conversation', false],
  ])
  expect(left.map((leave) => leave.mock.calls.length)).toEqual([1, 0, 0])
})

it.each([
  ['not_found', '--visitor-secret or --visitor-jwks'],
  ['unauthorized', 'does not accept the JWT'],
] as const)(
  'PRD-190 tells the developer once what to check where an identity is refused (%s)',
  async (code, what) => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    resumeContact.mockImplementation(() => refuse(code))
    world.client = { resumeContact, createContact: () => refuse(code), close: () => Promise.resolve() }
    for (const options of [{ identity: 'jwt' }, {}]) {
      const model = new VisitorModel('http://localhost', options)
      await model.resume()
      await model.start({ lang: 'en', firstMessage: 'Hello', data: [] })
      expect(model.failure).toBe(code)
      model.close()
    }
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(`unable to sign the visitor in with "identity" [(]${code}[)]; .*${what}`)],
    ])
    warn.mockRestore()
  },
)
