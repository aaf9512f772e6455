/** The documentation site as somebody reads it: `npm run walks site`. With `DUOLOG_SHOTS=folder/` it takes pictures. */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileOf, serveFolder } from '../support/built-site.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'dist/docs')
const SHOTS = process.env['DUOLOG_SHOTS']
/** What somebody wants to do, as product.md says it, and the heading of the page that says how. */
const TASKS: Readonly<Record<string, string>> = {
  'Embed the widget': 'One tag',
  'Answer a call': 'Answer a call',
  'React, Vue, Svelte, plain': 'React: a chat of your own',
  Files: 'Files',
  Forms: 'Forms',
  'A media engine of your own': 'A media engine of your own',
  'An agent client of your own': 'An agent client of your own',
  'Theming and languages': 'Theming and languages',
  'Identity and OpenID Connect': 'Agents',
  'Test your application': 'Test your application',
  Deploy: 'Deploy: TLS, proxy, TURN',
  'Operate and upgrade': 'Operate and upgrade',
}
const QUESTIONS: Readonly<Record<string, RegExp>> = {
  'content security policy': /widget|embed/,
  TURN: /deploy/,
  rate_limited: /errors/,
  offerMedia: /./,
  useMessages: /./,
}

let site: ServedPage
let chromium: ChromiumUnderTest

const shot = async (page: Page, name: string): Promise<void> =>
  void (SHOTS && (await page.screenshot({ path: `${SHOTS}${name}.png` })))

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'scripts/docs.mjs')], { cwd: root, stdio: 'inherit' })
  site = await serveFolder(folder)
  chromium = await launchChromium()
})

afterAll(async () => {
  await chromium?.close()
  await site?.close()
})

describe('the documentation site', () => {
  it('PRD-230 has no link that leads nowhere', () => {
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.html'),
    )
    const texts = new Map(pages.map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]))
    const broken = pages.flatMap((name) => {
      const hrefs = [...(texts.get(join(folder, name)) ?? '').matchAll(/<a[^>]* href="([^"]+)"/g)]
      return [...new Set(hrefs.map(([, href = '']) => href.replaceAll('&amp;', '&')))].flatMap((href) => {
        if (/^[a-z]+:/i.test(href)) return []
        const [path = '', heading = ''] = href.split('#')
        const to =
          path === ''
            ? `/${name}`
            : posix.resolve('/', posix.dirname(name), path) + (path.endsWith('/') && path !== '/' ? '/' : '')
        const file = fileOf(folder, to)
        const isThere =
          file !== null &&
          (heading === '' || texts.get(file)?.includes(`id="${decodeURIComponent(heading)}"`) === true)
        return isThere ? [] : [`${name}: ${href}`]
      })
    })
    expect(pages.length).toBeGreaterThan(200)
    expect(broken.filter((each) => !each.startsWith('404.html'))).toEqual([])
  })

  it('PRD-231 leads to each of the twelve tasks in at most two clicks', async () => {
    const page = await chromium.newPage(site.url)
    expect(Object.keys(TASKS)).toHaveLength(12)
    for (const [link, heading] of Object.entries(TASKS)) {
      await page.goto(site.url)
      await page.locator('main').getByRole('link', { name: link, exact: true }).click()
      await page.locator('main').getByRole('heading', { name: heading }).first().waitFor()
      await shot(page, `task-${link.replaceAll(/\W+/g, '-')}`)
    }
    await page.close()
  })

  it('PRD-232 searches with the network cut', async () => {
    const page = await chromium.newPage(`${site.url}quick-start.html`)
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('localSearchIndexroot')),
    )
    await page.waitForLoadState('networkidle')
    await page.context().setOffline(true)
    await page.keyboard.press('/')
    const results = page.locator('.VPLocalSearchBox .result')
    for (const [question, address] of Object.entries(QUESTIONS)) {
      await page.locator('.search-input').fill(question)
      await expect
        .poll(() =>
          results
            .first()
            .getAttribute('href')
            .catch(() => ''),
        )
        .toMatch(address)
      await expect
        .poll(() => results.first().innerText())
        .toMatch(new RegExp(question.split(' ')[0] ?? '', 'i'))
    }
    await shot(page, 'search')
    await page.close()
  })

  it('PRD-233 runs both parties and the examples in the page, in every look', async () => {
    for (const [look, options] of Object.entries({
      light: { colorScheme: 'light' },
      dark: { colorScheme: 'dark' },
      mobile: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    } as const)) {
      const context = await chromium.browser.newContext(options)
      const page = await chromium.newPage(`${site.url}try.html`, context)
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      const write = page.getByRole('textbox').first()
      await write.fill('Good morning')
      await write.press('Enter')
      await page.getByText('Robin: Good morning').or(page.getByText('Ada: Good morning')).first().waitFor()
      await shot(page, `try-${look}`)
      for (const name of [
        'index',
        'quick-start',
        'guides/files',
        'comparison',
        'reference/index',
        'deploy',
        'machines/media',
        'errors',
      ]) {
        await page.goto(`${site.url}${name}.html`)
        await page.locator('main h1').first().waitFor()
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([name, look, wide <= 0]).toEqual([name, look, true])
        await shot(page, `${name.replaceAll('/', '-')}-${look}`)
      }
      await context.close()
    }
    expect(chromium.pageErrors).toEqual([])
  })

  it('PRD-234 has reference pages of every entry of the package', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, unknown>>
    }
    const entries = Object.keys(exports).filter((name) => !name.endsWith('.json'))
    const index = readFileSync(join(dirname(folder), 'docs/reference/index.html'), 'utf8')
    const missing = entries
      .map((name) => name.replace('.', 'duolog'))
      .filter((name) => !index.includes(`>${name}</a>`))
    expect(missing).toEqual([])
  })
})
