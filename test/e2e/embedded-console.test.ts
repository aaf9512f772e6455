/** The console in a page of the organisation, which gives it the agent's tokens, and in pages that should not. */
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey } from 'jose'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { contactPage } from '../support/visitor-page.ts'

const [ISSUER, AUDIENCE] = ['https://id.example', 'https://contact.example']
/** The service asks for another token of a connection this long before its own expires. */
const WARNING_S = 30
/** Each window notes from which origins it was told something. */
const NOTE = `window.toldBy = []; addEventListener('message', ({ origin }) => toldBy.push(origin))`

let product: StartedProduct
let chromium: ChromiumUnderTest
/** Serves its keys, and pages of one origin. */
let desk: Server
let elsewhere: Server
let privateKey: CryptoKey
let page: Page
let tokens = 0

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const mint = (nick: string, lifeSeconds = 600): Promise<string> => {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: nick.toLowerCase(), name: nick, roles: ['agent'] }
  return new SignJWT({ ...claims, iat: now, exp: now + lifeSeconds, jti: `j${(tokens += 1)}` })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey)
}
const statusOf = async (token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${product.url}/v1/agents/me`, { headers })).status
}

/**
 * As docs/sign-in.md shows it, except that it gives a refused token once more before another one. Beside the console
 * stand a frame of the page's own origin and one of another.
 */
const deskPage = (): string => `<!doctype html><title>desk</title><link rel="icon" href="data:,">
  <script>
    window.heard = []
    addEventListener('message', async ({ origin, source, data }) => {
      const frame = document.querySelector('iframe')
      if (origin !== '${product.url}' || source !== frame.contentWindow) return
      heard.push(data)
      if (data.type !== 'duolog.token.wanted') return
      const give = (token) => source.postMessage({ type: 'duolog.token', token }, origin)
      if (data.refused) give(window.given)
      give((window.given = await freshToken(data.refused)))
    })
  </script>
  <iframe src="${product.url}/agent/?lang=en" width="900" height="500"></iframe>
  <iframe src="/frame"></iframe><iframe src="${originOf(elsewhere)}/frame"></iframe>`
/** Embeds the console without being named. */
const thiefPage = (): string => `<!doctype html><title>thief</title><link rel="icon" href="data:,">
  <iframe src="${product.url}/agent/?lang=en" width="900" height="500"></iframe>`

async function serve(pages: Readonly<Record<string, () => string>>): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const text = pages[url]?.()
    const type = text?.startsWith('{') ? 'application/json' : 'text/html'
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** A page in which each window notes who has told it something. */
async function opened(): Promise<Page> {
  const made = await chromium.newPage()
  made.setDefaultTimeout(10_000)
  await made.addInitScript(NOTE)
  return made
}
async function frameAt(of: Page, address: string): Promise<Frame> {
  await expect.poll(() => of.frames().some((frame) => frame.url().startsWith(address))).toBe(true)
  return of.frames().find((frame) => frame.url().startsWith(address)) ?? expect.fail()
}
const consoleIn = (of: Page): Promise<Frame> => frameAt(of, `${product.url}/agent/`)
const toldBy = (frame: Frame): Promise<string[]> => frame.evaluate<string[]>('toldBy')
const heard = (): Promise<{ type: string; refused?: boolean }[]> => page.evaluate('heard')
const asked = async (): Promise<(boolean | undefined)[]> =>
  (await heard()).filter(({ type }) => type === 'duolog.token.wanted').map(({ refused }) => refused)

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  privateKey = pair.privateKey
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }]
  const frame = (): string => '<!doctype html><title>frame</title>'
  desk = await serve({ '/jwks': () => JSON.stringify({ keys }), '/': deskPage, '/frame': frame })
  elsewhere = await serve({ '/': thiefPage, '/frame': frame })
  product = await startProduct([
    ...['--agent-issuer', ISSUER, '--agent-audience', AUDIENCE, '--agent-jwks', `${originOf(desk)}/jwks`],
    ...['--console-parent', originOf(desk)],
  ])
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
  for (const server of [desk, elsewhere]) {
    server?.closeAllConnections()
    server?.close()
  }
})

describe('the console in a page that may give it tokens', () => {
  /** The first one is given at the sign-in and to the connection, and lives a moment longer than that. */
  const given: string[] = []
  let sockets = 0
  let release: () => void = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))

  it('PRD-272 takes no token of another window, be it of the same origin, and none in another form', async () => {
    page = await opened()
    page.on('websocket', () => (sockets += 1))
    await page.exposeFunction('freshToken', async (isRefused: boolean) => {
      await isReleased
      const isFirst = given.length < 2
      const isOther = given.length === 0 || given.length === 2 || isRefused
      const token = isOther ? await mint('Ada', isFirst ? WARNING_S + 2 : 600) : (given.at(-1) ?? '')
      given.push(token)
      return token
    })
    await page.goto(originOf(desk))
    const inside = await consoleIn(page)
    await expect.poll(asked).toEqual([false])
    const eve = JSON.stringify({ type: 'duolog.token', token: await mint('Eve') })
    for (const origin of [originOf(desk), originOf(elsewhere)]) {
      const frame = await frameAt(page, `${origin}/frame`)
      await frame.evaluate(`parent.frames[0].postMessage(${eve}, '*')`)
    }
    const others = [
      { type: 'duolog.other', token: 'x' },
      { type: 'duolog.token', token: 1 },
      null,
      'duolog.token',
    ]
    for (const other of others)
      await page.evaluate(`frames[0].postMessage(${JSON.stringify(other)}, '${product.url}')`)
    await expect.poll(async () => (await toldBy(inside)).length).toBe(2 + others.length)
    expect(new Set(await toldBy(inside))).toEqual(new Set([originOf(desk), originOf(elsewhere)]))
    expect(await inside.getByTestId('agent-nick').count()).toBe(0)
    release()
    await inside.getByTestId('agent-nick').getByText('Ada', { exact: true }).waitFor()
  })

  it('PRD-272 asks for another token before the one of its connection ends, and goes on with it', async () => {
    const inside = await consoleIn(page)
    await inside
      .locator('[data-testid=console-connection][data-connection=online]')
      .waitFor({ state: 'attached' })
    await expect.poll(() => given.length).toBe(3)
    expect([await asked(), given[1] === given[0], given[2] === given[0]]).toEqual([
      ...[[false, false, false], true, false],
    ])
    await inside.getByTestId('ready-switch').click()
    await contactPage(chromium, product.url, { nick: 'Robin' })
    await inside.getByTestId('accept-contact').click()
    await inside.getByTestId('composer').waitFor()
    expect([sockets, given.length]).toEqual([1, 3])
  })

  it('PRD-272 asks for another token where the service has refused the one that it was given', async () => {
    const inside = await consoleIn(page)
    const refused = given.at(-1) ?? ''
    const headers = { authorization: `Bearer ${refused}` }
    await fetch(`${product.url}/v1/agents/sign-out`, { method: 'POST', headers })
    await expect.poll(async () => (await asked()).at(-1)).toBe(true)
    await expect.poll(() => given.at(-1)).not.toBe(refused)
    await inside
      .locator('[data-testid=console-connection][data-connection=online]')
      .waitFor({ state: 'attached' })
    expect([await statusOf(refused), await statusOf(given.at(-1) ?? '')]).toEqual([401, 200])
    expect(await inside.getByTestId('contact-item').count()).toBe(1)
  })

  it('PRD-272 PRD-52 tells the page of a sign-out, after which its token is void', async () => {
    const inside = await consoleIn(page)
    await inside.getByTestId('sign-out').click()
    await expect.poll(async () => (await heard()).at(-1)).toEqual({ type: 'duolog.signed-out' })
    expect(await statusOf(given.at(-1) ?? '')).toBe(401)
    expect(chromium.pageErrors).toEqual([])
  })
})

describe('a page of another origin', () => {
  it('PRD-55 cannot embed the console', async () => {
    const thief = await opened()
    const refusals: string[] = []
    thief.on('console', (message) => void refusals.push(message.text()))
    await thief.goto(originOf(elsewhere))
    await expect.poll(() => refusals.join()).toContain('frame-ancestors')
    expect(thief.frames().some((frame) => frame.url().startsWith(product.url))).toBe(false)
    await thief.context().close()
  })

  it('PRD-272 is asked for nothing and gives nothing, in a browser that embeds the console all the same', async () => {
    const thief = await opened()
    await thief.route(`${product.url}/agent/**`, async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': _policy, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    await thief.goto(originOf(elsewhere))
    const inside = await consoleIn(thief)
    await inside.getByTestId('sign-in-elsewhere').waitFor()
    const eve = JSON.stringify({ type: 'duolog.token', token: await mint('Eve') })
    await thief.evaluate(`frames[0].postMessage(${eve}, '*')`)
    await expect.poll(() => toldBy(inside)).toEqual([originOf(elsewhere)])
    expect([await thief.evaluate('toldBy'), await inside.getByTestId('agent-nick').count()]).toEqual([[], 0])
    await thief.context().close()
  })
})
