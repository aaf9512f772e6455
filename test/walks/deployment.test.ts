/**
 * Walk (e): docs/deploy.md on Debian, word for word: each command that runs here is one that the page has, with other
 * folders, ports and names of tarballs. What needs the first process of a machine or the internet is left out:
 * systemd (its unit is read for what it would start), certbot, apt.
 */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLOURS } from '../support/camera.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { ask } from '../support/contact-by-hand.ts'
import { freePort } from '../support/free-port.ts'
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts'
import type { IdentityProvider } from '../support/identity-provider.ts'
import { shows } from '../support/remote-picture.ts'
import { adapted, asUser, makeCertificate, startNginx, startPostgres, startTurn, written } from './debian.ts'
import { NewFolder, SERVICE } from './new-folder.ts'

const NAME = 'contact.example.org'
const PACKAGE = 'node_modules/duolog-service'
const SECRET = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6'
const folder = new NewFolder()
/** An address that coturn may lead to: no loopback. */
const address =
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1'
let provider: IdentityProvider
let turn: { output(): string }
let ports: Record<'http' | 'https' | 'service' | 'database' | 'provider' | 'turn', number>
let browsers: { readonly visitor: ChromiumUnderTest; readonly agent: ChromiumUnderTest }
let visitor: Page
let agent: Page

const at = (page: Page, id: string): Locator => page.getByTestId(id)
const copied = (from: string): string => folder.run(`cat ${PACKAGE}/${from}`)

/** Steps 2 and 3: the role and the database; the package, its unit and its variables. */
async function install(): Promise<{ readonly password: string }> {
  const password = folder.run(written('openssl rand -hex 24')).trim()
  const sql = await startPostgres(folder, ports.database)
  sql(
    adapted(
      written(
        `psql -c "create role duolog login password '$password'" -c 'create database duolog owner duolog'`,
      ),
      [['$password', password]],
    ),
  )
  folder.run(
    adapted(written('npm install --prefix /opt/duolog --omit=optional duolog-service'), [
      ['/opt/duolog', folder.path],
      ['duolog-service', `--no-audit --no-fund --loglevel=error ${SERVICE}`],
    ]),
  )
  return { password }
}

/** Step 5: the variables, with what the page says to write into them. */
function variables(password: string): Readonly<Record<string, string>> {
  const text = adapted(copied(written('deploy/systemd/duolog.env.example')), [
    [
      'postgres://duolog:…@127.0.0.1:5432/duolog',
      `postgres://duolog:${password}@127.0.0.1:${ports.database}/duolog`,
    ],
    ['DUOLOG_PORT=8090', `DUOLOG_PORT=${ports.service}`],
    ['https://id.example.org/jwks', `http://127.0.0.1:${ports.provider}/jwks`],
    [`DUOLOG_AGENT_AUDIENCE=https://${NAME}`, `DUOLOG_AGENT_AUDIENCE=${AUDIENCE}`],
    [`${NAME}:3478`, `${address}:${ports.turn}`],
    ['DUOLOG_TURN_SECRET=…', `DUOLOG_TURN_SECRET=${SECRET}`],
    ['DUOLOG_ADMIN_TOKEN=…', `DUOLOG_ADMIN_TOKEN=${folder.run('openssl rand -hex 24').trim()}`],
  ])
  const unit = copied(written('deploy/systemd/duolog-service.service'))
  const own = (/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').replace('/var/lib/duolog', `${folder.path}/state`)
  const lines = [...text.split('\n'), ...own.split(' ')].filter((line) => /^\w+=/.test(line))
  return {
    ...Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string])),
    DUOLOG_AGENT_PARAMETER: `resource=${AUDIENCE}`,
  }
}

/** Step 8, as systemd would: the command of the unit, as another user. */
async function startService(env: Readonly<Record<string, string>>): Promise<void> {
  const unit = copied('deploy/systemd/duolog-service.service')
  const command = adapted(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '', [
    ['/usr/bin/node', process.execPath],
    ['/opt/duolog', folder.path],
  ])
  folder.run(`mkdir state && ${process.getuid?.() === 0 ? 'chown nobody state' : 'true'}`)
  await folder.start(`exec ${asUser('nobody', `exec ${command}`)}`, /\/agent\//, env)
}

/** What the test has beside the project's site: the shop, and the provider of the organisation. */
const others = (): string => `
  server { listen ${ports.https} ssl; server_name www.example.org; ssl_certificate ${folder.path}/fullchain.pem; ssl_certificate_key ${folder.path}/privkey.pem;
    root ${folder.path}/shop; }
  server { listen ${ports.https} ssl; server_name id.example.org; ssl_certificate ${folder.path}/fullchain.pem; ssl_certificate_key ${folder.path}/privkey.pem;
    location / { proxy_pass http://127.0.0.1:${ports.provider}; proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto https; } }`

/** Steps 6 and 7. */
async function startAround(): Promise<void> {
  makeCertificate(folder, [NAME, 'www.example.org', 'id.example.org'])
  folder.write(
    'shop/index.html',
    `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${written(`<script async src="https://${NAME}/widget.js"></script>`)}`,
  )
  turn = await startTurn(
    folder,
    `${adapted(copied(written('deploy/coturn/turnserver.conf')), [['listening-port=3478', `listening-port=${ports.turn}`]])}
${written(`realm=${NAME}`)}
static-auth-secret=${SECRET}
external-ip=${address}
listening-ip=${address}\n`,
  )
  await startNginx(
    folder,
    adapted(copied(written('deploy/nginx/duolog.conf')), [
      [`/etc/letsencrypt/live/${NAME}/`, `${folder.path}/`],
      ['listen 80;', `listen ${ports.http};`],
      ['listen [::]:80;', ''],
      ['listen 443 ssl http2;', `listen ${ports.https} ssl http2;`],
      ['listen [::]:443 ssl http2;', ''],
      ['127.0.0.1:8090', `127.0.0.1:${ports.service}`],
    ]),
    others(),
  )
}

/** A browser for which the names lead here, and which may use nothing but TURN. */
async function openBrowser(colour: keyof typeof COLOURS): Promise<[ChromiumUnderTest, BrowserContext]> {
  const browser = await launchChromium({
    camera: COLOURS[colour],
    args: [`--host-resolver-rules=MAP *.example.org:443 127.0.0.1:${ports.https}`],
  })
  const context = await browser.browser.newContext({ ignoreHTTPSErrors: true })
  await context.addInitScript(`window.connections = []
    window.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(options) { super({ ...options, iceTransportPolicy: 'relay' }); connections.push(this) }
    }`)
  return [browser, context]
}

beforeAll(async () => {
  const names = ['http', 'https', 'service', 'database', 'provider', 'turn'] as const
  const free: number[] = []
  for (const _name of names) free.push(await freePort())
  ports = Object.fromEntries(names.map((name, index) => [name, free[index]])) as typeof ports
  const { password } = await install()
  await startAround()
  provider = await startIdentityProvider({
    port: ports.provider,
    console: `https://${NAME}/agent/`,
    issuer: 'https://id.example.org',
  })
  await startService(variables(password))
  const [first, second] = await Promise.all([openBrowser('red'), openBrowser('blue')])
  browsers = { visitor: first[0], agent: second[0] }
  visitor = await first[0].newPage('https://www.example.org/', first[1])
  agent = await second[0].newPage(`https://${NAME}/agent/?lang=en`, second[1])
})

afterAll(async () => {
  await Promise.all([browsers?.visitor.close(), browsers?.agent.close()])
  await provider?.close()
  await folder.remove()
})

describe('docs/deploy.md on Debian', () => {
  const curl = (url: string, more = ''): string =>
    folder.run(
      `curl -sS ${more} --cacert fullchain.pem --connect-to ${NAME}:443:127.0.0.1:${ports.https} --connect-to ${NAME}:80:127.0.0.1:${ports.http} ${url}`,
    )

  it('PRD-224 is ready over TLS; what is plain is sent there; strangers see no figures', () => {
    expect(written('curl https://contact.example.org/readyz     # {"status":"ok"}')).toContain(
      curl(`https://${NAME}/readyz`),
    )
    expect(curl(`http://${NAME}/agent/`, '-i')).toMatch(
      /^HTTP\/1.1 308[\s\S]*location: https:\/\/contact.example.org\/agent\//i,
    )
    expect(curl(`https://${NAME}/metrics`, '-i')).toMatch(/^HTTP\/2 404/)
    expect(curl(`https://${NAME}/widget.js`, '-i -o /dev/null -D - -H "accept-encoding: br"')).toMatch(
      /strict-transport-security[\s\S]*content-encoding: br|content-encoding: br[\s\S]*strict-transport-security/i,
    )
  })

  it('PRD-224 an agent signs in by redirect at the provider', async () => {
    await at(agent, 'sign-in').click()
    await agent.waitForURL('https://id.example.org/**')
    await agent.locator('[name=login]').fill('ada')
    await agent.keyboard.press('Enter')
    await at(agent, 'agent-nick').filter({ hasText: 'Ada Lovelace' }).waitFor()
    expect(agent.url()).toBe(`https://${NAME}/agent/?lang=en`)
    await at(agent, 'ready-switch').click()
  })

  it('PRD-224 a visitor of the shop asks by the tag, and calls over TURN', async () => {
    await ask(visitor, agent, 'Is the oak lamp in stock?')
    await at(visitor, 'call-video').click()
    await at(agent, 'accept-offer').click()
    await Promise.all([shows(visitor, COLOURS.blue), shows(agent, COLOURS.red)])
    const pair = `(async () => {
      const stats = await connections.at(-1).getStats()
      const { selectedCandidatePairId } = [...stats.values()].find(({ type }) => type === 'transport')
      const pair = stats.get(selectedCandidatePairId)
      return [stats.get(pair.localCandidateId).candidateType, stats.get(pair.remoteCandidateId).candidateType]
    })()`
    for (const page of [visitor, agent]) expect(await page.evaluate(pair)).toEqual(['relay', 'relay'])
    expect(turn.output()).toMatch(/ALLOCATE processed, success/)
    await at(visitor, 'hangup').click()
    await at(agent, 'call').waitFor({ state: 'detached' })
  })

  it('PRD-224 a file goes through the proxy, and no page has an error', async () => {
    await at(visitor, 'file-input').setInputFiles({
      name: 'lamp.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(3_000_000, 7),
    })
    await at(agent, 'file-name').filter({ hasText: 'lamp.bin' }).waitFor()
    const [download] = await Promise.all([
      agent.waitForEvent('download'),
      at(agent, 'download').last().click(),
    ])
    const path = join(folder.path, 'lamp.bin')
    await download.saveAs(path)
    expect(folder.run(`wc -c < lamp.bin`).trim()).toBe('3000000')
    expect([browsers.visitor.pageErrors, browsers.agent.pageErrors]).toEqual([[], []])
  })
})
