import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KnownVisitors } from '../../../sdk/link/known-visitors.ts'
import { VisitorTokens } from '../../../sdk/link/visitor-tokens.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { OpenTabs } from '../../../sdk/client/page-tabs.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { browser } from '../../support/browser-tabs.ts'
import { watch } from '../../support/contacts.ts'

const SERVICE = 'https://contact.example.org'
const MINUTES = 60_000
/** What the service answers to a request: a status and a body, or nothing for ever. */
type Answer = readonly [status: number, body: unknown] | 'silence'

let clock: TestClock
let today: number
let known: KnownVisitors
let openTabs: OpenTabs
let answers: Answer[]
let asked: (readonly [path: string, body: unknown])[]

const signedIn = (visitor: string, n: number): Answer => [
  200,
  { visitor, token: `token ${n}`, refresh: `refresh ${n}`, expiresInMs: 15 * MINUTES },
]
const refused = (status: number, code: string): Answer => [status, { error: { code, message: 'no' } }]
const tokens = (): VisitorTokens =>
  new VisitorTokens({ service: SERVICE, known, clock, openTabs, today: () => today })
/**
 * Time passes for the clock of the page, and the one on the wall; while the device sleeps, for that one only.
 */
const pass = (ms: number): Promise<void> => {
  today += ms
  return clock.advance(ms)
}

beforeEach(() => {
  clock = new TestClock()
  today = 1_000_000
  known = new KnownVisitors(memoryStore(), 'visitor')
  openTabs = browser()
  answers = []
  asked = []
  vi.stubGlobal('fetch', async (url: URL, { body }: { readonly body: string }) => {
    asked.push([url.pathname, JSON.parse(body)])
    const answer = answers.shift() ?? 'silence'
    if (answer === 'silence') return new Promise(() => {})
    const [status, given] = answer
    return {
      ok: status < 300,
      status,
      json: async () => (given === undefined ? Promise.reject(new SyntaxError('no JSON')) : given),
    }
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** A tab with a contact whose visitor has a token. */
async function inContact(): Promise<VisitorTokens> {
  answers = [signedIn('v', 1)]
  const tab = tokens()
  expect(await tab.token()).toBe('token 1')
  known.entered('v', 'contact-1', tab.refreshOf('v'))
  asked = []
  return tab
}

describe('tokens of a visitor', () => {
  it('SRV-20 one is used until a minute before it expires', async () => {
    const tab = await inContact()
    await pass(14 * MINUTES - 1)
    expect(await tab.token()).toBe('token 1')
    answers = [signedIn('v', 2)]
    await pass(1)
    expect([await tab.token(), asked, known.get('v')?.refresh]).toEqual([
      'token 2',
      [['/v1/visitors/refresh', { refresh: 'refresh 1' }]],
      'refresh 2',
    ])
  })

  it('SND-3 one that has expired while the device slept is not used', async () => {
    const tab = await inContact()
    today += 14 * MINUTES
    answers = [signedIn('v', 2)]
    expect(await tab.token()).toBe('token 2')
  })

  it('SND-3 the time of day may be set back', async () => {
    const tab = await inContact()
    await clock.advance(10 * MINUTES)
    today -= 1_000 * MINUTES
    answers = [signedIn('v', 2)]
    await clock.advance(4 * MINUTES)
    expect(await tab.token()).toBe('token 2')
  })

  it('SND-3 one that the service refuses is replaced, however good it seems', async () => {
    const tab = await inContact()
    answers = [signedIn('v', 2)]
    expect([await tab.token('token 1'), await tab.token('token 1'), asked.length]).toEqual([
      'token 2',
      'token 2',
      1,
    ])
  })

  it.each([
    ['404 of a balancer', [404, undefined], 'offline'],
    ['403 of a firewall', [403, { blocked: true }], 'offline'],
    ['401 of a proxy that wants a sign-in', [401, undefined], 'offline'],
    ['404 of a service of another version', refused(404, 'not_found'), 'not_found'],
    ['403 of the service, whose origin this is not', refused(403, 'forbidden'), 'forbidden'],
    ['400 of the service', refused(400, 'invalid_argument'), 'invalid_argument'],
    ['unauthorized with another status', refused(400, 'unauthorized'), 'offline'],
    ['429', refused(429, 'rate_limited'), 'rate_limited'],
    ['503', refused(503, 'offline'), 'offline'],
    ['page of a hotel', [200, undefined], 'offline'],
    ['200 that is of something else', [200, { ok: true }], 'offline'],
  ] as const)('SND-13 a %s forgets nobody', async (_what, answer, code) => {
    const tab = await inContact()
    answers = [answer, signedIn('v', 2)]
    await expect(tab.token('token 1')).rejects.toMatchObject({ name: 'ContactError', code })
    expect([known.get('v'), await tab.token('token 1')]).toEqual([
      { visitor: 'v', refresh: 'refresh 1', contacts: ['contact-1'] },
      'token 2',
    ])
  })

  it('SND-13 SND-304 what the service has decided ends the visitor with all contacts, and the tab is another one from then on', async () => {
    const tab = await inContact()
    known.entered('w', 'contact-2', 'refresh w')
    answers = [refused(401, 'unauthorized'), signedIn('x', 2)]
    await expect(tab.token('token 1')).rejects.toMatchObject({ code: 'unauthorized' })
    expect([known.get('v'), known.get('w')?.contacts]).toEqual([undefined, ['contact-2']])
    expect([await tab.token(), asked.at(-1)]).toEqual(['token 2', ['/v1/visitors', {}]])
  })

  it('SND-14 SND-303 a request that is never answered ends after 10 s, and the next one is made', async () => {
    const tab = await inContact()
    const first = watch(tab.token('token 1'))
    await pass(9_999)
    expect(first.result).toBe('pending')
    await pass(1)
    expect(first.result).toEqual({ code: 'offline' })
    answers = [signedIn('v', 2)]
    expect([await tab.token('token 1'), clock.pending]).toEqual(['token 2', 0])
  })

  it('SND-14 SND-303 neither does an answer whose body never ends hang', async () => {
    vi.stubGlobal('fetch', async () => ({ ok: true, status: 200, json: () => new Promise(() => {}) }))
    const asking = watch(tokens().token())
    await clock.advance(10_000)
    expect([asking.result, clock.pending]).toEqual([{ code: 'offline' }, 0])
  })

  it('SND-1 SND-304 a tab goes on as its own visitor, with the newest refresh token of any tab, or its own', async () => {
    const tab = await inContact()
    known.renewed('v', 'refresh of the other tab')
    known.entered('w', 'contact-2', 'refresh w')
    answers = [signedIn('v', 2), signedIn('v', 3)]
    await tab.token('token 1')
    known.over('contact-1')
    await tab.token('token 2')

    expect(asked.map(([, body]) => body)).toEqual([
      { refresh: 'refresh of the other tab' },
      { refresh: 'refresh 2' },
    ])
  })

  it('PRD-155 SND-304 a tab hears that another one has renewed the sign-in, also when nothing of the visitor is kept', async () => {
    const tab = await inContact()
    const other = tokens()
    other.actAs(known.get('v'))
    answers = [signedIn('v', 2), signedIn('v', 3), signedIn('v', 4)]
    await other.token()
    known.over('contact-1')
    await tab.token('token 1')
    await settled()
    await other.token('token 2')
    expect(asked.map(([, body]) => body)).toEqual([
      { refresh: 'refresh 1' },
      { refresh: 'refresh 2' },
      { refresh: 'refresh 3' },
    ])
  })

  it('PRD-155 what others tell of a visitor whom the tab has not been, and what is none of it, changes nothing', async () => {
    const tab = await inContact()
    const channel = openTabs(`duolog:${SERVICE}:visitor`, () => {})
    for (const message of [{ visitor: 'w', refresh: 'x' }, { visitor: 'v', refresh: 7 }, null, 'v'])
      channel?.post(message)
    await settled()
    expect([tab.refreshOf('v'), tab.refreshOf('w')]).toEqual(['refresh 1', undefined])
    tab.close()
    channel?.post({ visitor: 'v', refresh: 'y' })
    await settled()
    expect(tab.refreshOf('v')).toBe('refresh 1')
  })
})
