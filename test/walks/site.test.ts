/** The documentation site as `npm run docs` builds it, on a web server, for a reader without any other network. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { preview } from 'vite'
import type { PreviewServer } from 'vite'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { audit } from '../support/looks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Each task, by the link of the start page and the title of its guide. */
const TASKS = [
  ['Embed the widget', 'Embed the widget'],
  ['Answer a call', 'Answer a call'],
  ['React, Vue, Svelte, plain', 'React, Vue, Svelte, plain'],
  ['Files', 'Files'],
  ['Forms', 'Forms'],
  ['A media engine of your own', 'A media engine of your own'],
  ['An agent client of your own', 'An agent client of your own'],
  ['Theming and languages', 'Theming and languages'],
  ['Identity and OpenID Connect', 'Identity and OpenID Connect'],
  ['Test your application', 'Test your application'],
  ['Deploy', 'Deploy: TLS, proxy, TURN'],
  ['Operate and upgrade', 'Operate and upgrade'],
] as const
/** Guides with an example that runs in the page. */
const RUNNING = ['answer-a-call', 'files', 'forms', 'own-engine', 'agent-client']
/** A page of each kind. */
const KINDS = [
  '',
  'try.html',
  'comparison.html',
  'guides/embed.html',
  'guides/answer-a-call.html',
  'machines/media.html',
  'reference/duolog/react/functions/useMedia.html',
]
const PLAIN = { colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' } as const
/** How people look at a page: colours, a telephone, and a window of 1280 × 800 at 200 and at 400 %. */
const WAYS = [
  ['light', 1280, 800, {}],
  ['dark', 1280, 800, { colorScheme: 'dark' }],
  ['forced colours', 1280, 800, { forcedColors: 'active' }],
  ['a telephone', 375, 812, {}],
  ['200 %', 640, 400, {}],
  ['400 %', 320, 256, {}],
] as const

let server: PreviewServer
let chromium: ChromiumUnderTest
let site: string
let page: Page
/** Addresses elsewhere that a page has asked for. */
const elsewhere: string[] = []

/** The page listens to keys once Vue has taken it up. */
const taken = (): Promise<unknown> => page.waitForFunction(`document.querySelector('#app').__vue_app__`)

/** What is wrong with a page in each way of looking. */
/** The page follows its media by scripts and transitions: axe is asked when these are over. */
const atRest = `(async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
  const finite = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
  await Promise.allSettled(finite.map(({ finished }) => finished))
})()`

async function looked(): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const [way, width, height, media] of WAYS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ ...PLAIN, ...media })
    await page.evaluate(atRest)
    const isWide = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth > clientWidth
    })
    wrong.push(...[...(await audit(page)), ...(isWide ? ['too wide'] : [])].map((each) => `${way}: ${each}`))
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia(PLAIN)
  return wrong
}

async function search(words: string): Promise<void> {
  await page.goto(site)
  await taken()
  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill(words)
  await page.locator('.VPLocalSearchBox a.result').first().waitFor()
}

const title = (): ReturnType<Page['locator']> => page.locator('#VPContent h1')

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', '--silent', 'docs'], { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  server = await preview({
    root,
    configFile: false,
    appType: 'mpa',
    logLevel: 'silent',
    build: { outDir: 'dist/docs' },
    preview: { host: '127.0.0.1', port: 0 },
  })
  site = server.resolvedUrls?.local[0] ?? ''
  chromium = await launchChromium({ args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'] })
  page = await chromium.newPage()
  page.on('request', (request) => {
    if (/^(?:https?|wss?):/.test(request.url()) && !request.url().startsWith(site))
      elsewhere.push(request.url())
  })
})

afterAll(async () => {
  await chromium?.close()
  await server?.close()
})

describe('the documentation site', () => {
  it.each(TASKS)('PRD-241 leads from its start page to "%s" by one click', async (link, heading) => {
    await page.goto(site)
    await page.locator('#VPContent').getByRole('link', { name: link, exact: true }).first().click()
    await title().filter({ hasText: heading }).waitFor()
  })

  it.each([
    ['media_denied', 'errors'],
    ['coturn', 'deploy'],
    ['useMessages', 'reference/duolog/react/'],
  ])('PRD-242 finds %s without any other network', async (words, path) => {
    await search(words)
    await page.locator(`.VPLocalSearchBox a.result[href*="/${path}"]`).first().click()
    await page.waitForURL(new RegExp(`/${path}`))
    await title().waitFor()
  })

  it.each(['duolog', 'duolog/agent', 'duolog/widget', 'duolog/react', 'duolog/testing'])(
    'PRD-243 has the reference of %s',
    async (entry) => {
      await page.goto(`${site}reference/`)
      await page.locator('#VPContent').getByRole('link', { name: entry, exact: true }).click()
      await title()
        .filter({ hasText: new RegExp(`^${entry}\\b`) })
        .waitFor()
    },
  )

  it.each(RUNNING)('PRD-244 runs the example of the guide %s in its page', async (guide) => {
    await page.goto(`${site}guides/${guide}.html`)
    await page.getByRole('button', { name: 'Run it here' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^done$/ })
      .waitFor()
  })

  it.each(['media', 'membership', 'link', 'outbox'])(
    'PRD-247 runs the machine %s of two parties in its page',
    async (machine) => {
      await page.goto(`${site}machines/${machine}.html`)
      await page.getByRole('button', { name: 'Run it here' }).click()
      for (const slot of ['visitor', 'agent'])
        await page
          .getByTestId(`live-${slot}`)
          .getByTestId('value')
          .filter({ hasNotText: 'not started' })
          .waitFor()
    },
  )

  it('PRD-247 follows an offer from one party to the other', async () => {
    const value = (slot: string): ReturnType<Page['locator']> =>
      page.getByTestId(`live-${slot}`).getByTestId('value')
    await page.goto(`${site}machines/media.html`)
    await page.getByRole('button', { name: 'Run it here' }).click()
    await value('agent').getByText('idle').waitFor()
    await page.getByTestId('offer-voice-visitor').click()
    await value('visitor').getByText('offering').waitFor()
    await value('agent').getByText('offered').waitFor()
  })

  it('PRD-248 has its pages as one list and as one text, for programs that read them', async () => {
    const [list, text] = await Promise.all(
      ['llms.txt', 'llms-full.txt'].map(async (name) => (await fetch(`${site}${name}`)).text()),
    )
    for (const page of ['/guides/embed', '/errors', '/reference/']) expect(list).toContain(page)
    expect(text).toContain('src="http://localhost:8090/widget.js"')
  })

  it.each(KINDS)('PRD-249 everybody can read and use /%s', async (path) => {
    await page.goto(site + path)
    await taken()
    const run = page.getByRole('button', { name: 'Run it here' })
    if (await run.count()) {
      await run.first().click()
      await page.locator('.parties :is(.who, duolog-live-chart)').first().waitFor()
    }
    expect(await looked()).toEqual([])
  })

  it('PRD-249 everybody can read and use the search', async () => {
    await search('offer')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    expect(await looked()).toEqual([])
  })

  it('PRD-249 forced colours show the icons, and the page that is read in the list of pages', async () => {
    await page.goto(`${site}guides/embed.html`)
    await page.emulateMedia({ ...PLAIN, forcedColors: 'active' })
    const styleOf = (selector: string, name: 'backgroundColor' | 'textDecorationLine'): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element, property) => getComputedStyle(element)[property], name)
    const ground = await styleOf('body', 'backgroundColor')
    for (const icon of ['.DocSearch-Search-Icon', '.VPSidebar .caret-icon', '.VPSwitch .check'])
      expect([icon, await styleOf(icon, 'backgroundColor')]).not.toEqual([icon, ground])
    expect(await styleOf('.VPSidebarItem.is-active > .item .text', 'textDecorationLine')).toBe('underline')
    await page.emulateMedia(PLAIN)
  })

  it('PRD-249 a group of the list of pages is opened by the keyboard', async () => {
    await page.goto(`${site}guides/embed.html`)
    await taken()
    const group = page.getByRole('button', { name: 'Decisions' })
    for (const [key, isOpen] of [
      ['Enter', 'true'],
      ['Space', 'false'],
    ] as const) {
      await group.press(key)
      await expect.poll(() => group.getAttribute('aria-expanded')).toBe(isOpen)
    }
  })

  it('PRD-242 asks for nothing elsewhere, and no page has an error', () => {
    expect([elsewhere, chromium.pageErrors]).toEqual([[], []])
  })
})
