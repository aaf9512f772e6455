/** What the sign-in page says: each cause in its own words. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConsoleModel } from '../../apps/agent/src/console-model.ts'
import { failureText } from '../../apps/agent/src/failure-words.ts'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { ContactError } from '../../protocol/index.ts'

const WAY = { way: 'oidc', issuer: 'https://id.example', client: 'console', scope: 'openid', parameters: {} }
const SESSION = { issuer: WAY.issuer, client: WAY.client, tokens: { token: 't', expires: 9e15 } }
let kept: Map<string, string>

beforeEach(() => {
  kept = new Map()
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('location', new URL('https://contact.example/agent/'))
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
})
afterEach(() => void vi.unstubAllGlobals())

/** The service takes no token: it answers with this status. */
const answering = (status: number): void =>
  void vi.stubGlobal('fetch', (address: URL) =>
    Promise.resolve(
      address.pathname.endsWith('/me')
        ? Response.json({}, { status })
        : Response.json({ ...WAY, token: 'access', parents: [] }),
    ),
  )

async function said(model: ConsoleModel): Promise<string> {
  await model.restore(null)
  const text = failureText(model, wordsFor(['en']))
  expect(model.phase).toBe('signed-out')
  model.close()
  return text
}
const given = (token: () => Promise<string>): ConsoleModel =>
  new ConsoleModel('https://contact.example', { token, signOut: async () => {}, forget: () => {} })

it('PRD-50 nothing is wrong with who has not signed in yet', async () => {
  answering(401)
  expect(await said(new ConsoleModel('https://contact.example'))).toBe('')
})

it.each([
  [401, 'Your session has ended. Please sign in again.'],
  [
    403,
    'This account is not an agent’s. Sign in with another account, or ask your organisation to make you an agent.',
  ],
])('PRD-50 who was signed in, and gets %i, reads "%s"', async (status, text) => {
  kept.set('duolog-agent-session', JSON.stringify(SESSION))
  answering(status)
  expect(await said(new ConsoleModel('https://contact.example'))).toBe(text)
})

it.each([
  [401, 'Signing in did not work. Please try again.'],
  [403, 'This account is not an agent’s. Ask your organisation to make you one.'],
])(
  'PRD-50 who was not signed in, and whose page gives a token that gets %i, reads "%s"',
  async (status, text) => {
    answering(status)
    expect(await said(given(async () => 't'))).toBe(text)
  },
)

it('PRD-50 a page that gives no token has not ended a session', async () => {
  answering(401)
  const refusing = given(async () => {
    throw new ContactError('unauthorized', 'no')
  })
  expect(await said(refusing)).toBe('Signing in did not work. Please try again.')
})
