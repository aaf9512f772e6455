/** `widget.js` on pages of somebody else: one tag, no bundler, no import map. */
import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium, serveHtml } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { ask, endContact } from '../support/contact-by-hand.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { elementCode } from '../support/remote-picture.ts'
import { openTagged } from '../support/tagged-page.ts'
import type { TaggedOptions, TaggedPage } from '../support/tagged-page.ts'
import { seesFrames } from '../support/watch.ts'

let product: StartedProduct
let chromium: ChromiumUnderTest
let agent: Page
const opened: TaggedPage[] = []

const open = async (options?: TaggedOptions): Promise<TaggedPage> => {
  const site = await openTagged(chromium, product.url, options)
  opened.push(site)
  return site
}
/** Scripts that a page has asked the service for. */
const scripts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => /\.js$/.exec(name) && [name.replace(/^.*\//, '').replace(/-[A-Z0-9]{8}/, '')])
      .filter((name) => name !== null),
  )

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  agent = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  await agent.getByTestId('ready-switch').click()
})
afterEach(async () => {
  for (const site of opened.splice(0)) {
    await site.page.close()
    await site.close()
  }
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('a page with one tag', () => {
  it('PRD-1 shows the button and loads nothing more, moves nothing, then chats, and goes on after a load', async () => {
    const site = await open()
    const { page } = site
    const told = async (): Promise<string[]> =>
      (await site.told()).filter((each) => !each.startsWith('shift '))
    const launcher = page.getByTestId('launcher')
    await launcher.waitFor()
    expect(await launcher.innerText()).toBe('Chat with us')
    expect([await scripts(page), await site.told()]).toEqual([['widget.js'], []])
    await launcher.click()
    await page.getByTestId('nick').fill('Robin')
    await page.getByTestId('first-message').fill('Is the oak lamp in stock?')
    await page.getByTestId('start').click()
    await agent.getByTestId('accept-contact').click()
    await agent.getByTestId('messages').getByText('Is the oak lamp in stock?').waitFor()
    await agent.getByTestId('composer').fill('Two are left.')
    await agent.keyboard.press('Enter')
    await page.getByTestId('messages').getByText('Two are left.').waitFor()
    const heard = await told()
    expect(heard.map((each) => each.replace(/"id":"[^"]+",/, ''))).toEqual([
      'open null',
      'message {"own":true,"type":"text","text":"Is the oak lamp in stock?"}',
      'message {"own":false,"type":"text","text":"Two are left.","nick":"Ada"}',
    ])
    await page.reload()
    await page.getByTestId('messages').getByText('Two are left.').waitFor()
    await page.getByTestId('leave').click()
    await page.getByTestId('confirm-yes').click()
    await page.getByTestId('ending').waitFor()
    expect(await told()).toEqual(['open null', expect.stringMatching(/^end \{"reason":/)])
    expect(chromium.pageErrors).toEqual([])
  })

  it('PRD-1 MED-6 calls by the code of the tag alone, and pictures move both ways', async () => {
    const { page } = await open()
    await ask(page, agent, 'Can we talk?')
    await page.getByTestId('call-video').click()
    await agent.getByTestId('accept-offer').click()
    await Promise.all([page, agent].map((each) => seesFrames(each, { js: elementCode('remote-video') })))
    // An application that makes its page anew takes the element away, and puts it back.
    await page.locator('duolog-widget').evaluate(async (element) => {
      element.remove()
      await (element as HTMLElement & { readonly updateComplete: Promise<unknown> }).updateComplete
      document.body.append(element)
    })
    await seesFrames(page, { js: elementCode('remote-video') })
    await page.getByTestId('hangup').click()
    await agent.getByTestId('call').waitFor({ state: 'detached' })
    await endContact(page, agent)
    expect(chromium.pageErrors).toEqual([])
  })

  it('PRD-2 loads the panel when a pointer comes near, and by the focus; the focus stays on the button', async () => {
    const { page } = await open()
    await page.getByTestId('launcher').waitFor()
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    await page.mouse.move(width / 2, 20)
    await page.mouse.move(width - 200, height - 140)
    await page.locator('duolog-widget').locator('[part=panel]').waitFor({ state: 'attached' })
    const other = await open()
    await other.page.keyboard.press('Tab')
    await other.page.locator('duolog-widget').locator('[part=panel]').waitFor({ state: 'attached' })
    expect(await other.page.locator('duolog-widget [data-testid=launcher]').count()).toBe(1)
    await other.page.keyboard.press('Enter')
    await other.page.locator(':focus').and(other.page.getByTestId('nick')).waitFor()
    await other.page.keyboard.press('Escape')
    await other.page.locator(':focus').and(other.page.getByTestId('launcher')).waitFor()
  })

  it('PRD-1 PRD-2 is open where its element was taken away while the panel was loaded, and is put back', async () => {
    const { page } = await open()
    await page.getByTestId('launcher').waitFor()
    const element = await page.locator('duolog-widget').evaluateHandle((it) => it as HTMLElement)
    await element.evaluate((it) => {
      it.shadowRoot?.querySelector('button')?.click()
      it.remove()
    })
    await page.evaluate(() => customElements.whenDefined('duolog-widget').then(() => undefined))
    await element.evaluate((it) => document.body.append(it))
    await page.getByTestId('nick').waitFor()
    expect(chromium.pageErrors).toEqual([])
  })

  it('PRD-2 UI-13 says that the chat cannot be loaded, and loads it once there is a network', async () => {
    const { page } = await open()
    const launcher = page.getByTestId('launcher')
    await launcher.waitFor()
    await page.route(`${product.url}/sdk/**`, (route) => route.abort())
    await launcher.focus()
    await page.keyboard.press('Enter')
    await launcher.getByText('The chat cannot be loaded. Try again').waitFor()
    await look(page, 'not-loaded', 'body')
    await page.unroute(`${product.url}/sdk/**`)
    await page.keyboard.press('Enter')
    await page.getByTestId('nick').waitFor()
  })

  it.each(['http://[', 'localhost:8090'])(
    'PRD-4 tells the developer that data-service="%s" is no address, and shows nothing',
    async (service) => {
      const tag = `<script src="${product.url}/widget.js" data-service="${service}"></script>`
      const site = await serveHtml(`<!doctype html><title>shop</title><body>${tag}</body>`)
      const page = await chromium.newPage()
      opened.push({ ...site, page, told: async () => [] })
      const warnings: string[] = []
      page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
      await page.goto(site.url)
      const line = `widget.js is unable to show the chat; data-service "${service}" is not an address`
      await expect.poll(() => warnings).toEqual([line])
      expect(await page.locator('duolog-widget').count()).toBe(0)
      expect(chromium.pageErrors).toEqual([])
    },
  )

  it('PRD-3 takes commands from before it is there', async () => {
    const queue = `<script>
      window.DuologWidget ??= function () { (DuologWidget.q ??= []).push(arguments) }
      DuologWidget('set', { label: 'Ask us' })
      DuologWidget('open', 'About delivery: ')
    </script>`
    const { page } = await open({ body: queue })
    await page.getByTestId('nick').waitFor()
    expect(await page.getByTestId('first-message').inputValue()).toBe('About delivery: ')
    await page.evaluate(`DuologWidget('close')`)
    expect(await page.getByTestId('launcher').innerText()).toBe('Ask us')
    await page.evaluate(`DuologWidget('hide')`)
    await page.getByTestId('launcher').waitFor({ state: 'hidden' })
    await page.evaluate(`DuologWidget('hide', false)`)
    await page.evaluate(`document.body.replaceWith(document.createElement('body'))`)
    await page.evaluate(`DuologWidget('open')`)
    await page.getByTestId('nick').waitFor()
  })

  it('PRD-3 has the methods of the element before the panel is there', async () => {
    const { page } = await open()
    await page.getByTestId('launcher').waitFor()
    await page.evaluate(`document.querySelector('duolog-widget').close()`)
    expect(await scripts(page)).toEqual(['widget.js'])
    await page.evaluate(`document.querySelector('duolog-widget').open('About delivery: ')`)
    await page.getByTestId('nick').waitFor()
    expect(await page.getByTestId('first-message').inputValue()).toBe('About delivery: ')
    await page.evaluate(`document.querySelector('duolog-widget').close()`)
    await page.getByTestId('nick').waitFor({ state: 'hidden' })
  })

  it('PRD-4 looks and asks as the attributes of the tag say', async () => {
    const fields = [{ name: 'order', label: 'Order number', type: 'text', required: true }]
    const { page } = await open({
      tag: `data-lang="it" data-accent="rgb(91, 42, 134)" data-position="start" data-theme="light" data-hours="Mo-Su 00:00-00:00"
        data-greeting="Buongiorno!" data-radius="2px" data-font="Georgia" data-width="350px" data-height="500px" data-fields='${JSON.stringify(fields)}'`,
    })
    const launcher = page.getByTestId('launcher')
    await launcher.waitFor()
    const shown = (): Promise<unknown> =>
      launcher.evaluate((button) => [
        button.textContent.trim(),
        getComputedStyle(button).backgroundColor,
        Math.round(button.getBoundingClientRect().left),
      ])
    const before = await shown()
    expect(before).toEqual(['Scrivici', 'rgb(91, 42, 134)', 20])
    await launcher.focus()
    await page.locator('[part=panel]').waitFor({ state: 'attached' })
    expect(await shown()).toEqual(before)
    await launcher.click()
    await page.getByText('Buongiorno!').waitFor()
    const panel = await page.getByTestId('panel').evaluate((each) => {
      const { width, height, borderRadius, fontFamily } = getComputedStyle(each)
      return [width, height, borderRadius, fontFamily]
    })
    expect(panel).toEqual(['350px', '500px', '2px', 'Georgia'])
    await page.getByTestId('nick').fill('Robin')
    await page.getByTestId('start').click()
    await page.getByText('Compila questo campo').waitFor()
    await page.locator(':focus').and(page.locator('#field-order')).fill('A-17')
    await page.getByTestId('start').click()
    await agent.getByTestId('accept-contact').click()
    await agent.getByTestId('peer-name').waitFor()
    await agent.getByTestId('visitor-data').getByText('A-17').waitFor()
    await page.getByTestId('leave').click()
    await page.getByTestId('confirm-yes').click()
  })

  it('PRD-4 leaves out what it cannot use of the tag and of commands, tells the developer, and chats', async () => {
    const { page } = await open({
      tag: `data-theme="blue" data-accent="nocolour" data-width="wide" data-fields='[{"name":"order","type":"text",}]'`,
      body: `<script>
        window.DuologWidget ??= function () { (DuologWidget.q ??= []).push(arguments) }
        DuologWidget('set', { data: { name: 'order' } })
      </script>`,
    })
    const told: string[] = []
    page.on('console', (message) => message.type() === 'warning' && told.push(message.text()))
    page.on('pageerror', ({ message }) => told.push(message))
    const launcher = page.getByTestId('launcher')
    const colour = (): Promise<string> => launcher.evaluate((each) => getComputedStyle(each).backgroundColor)
    await launcher.waitFor()
    expect(await colour()).toBe('rgb(28, 102, 80)')
    await launcher.click()
    const width = await page.getByTestId('panel').evaluate((each) => getComputedStyle(each).width)
    expect(width).toBe('390px')
    await page.getByTestId('nick').fill('Robin')
    await page.getByTestId('start').click()
    await page.getByTestId('leave').click()
    await page.getByTestId('confirm-yes').click()
    await page.evaluate(`DuologWidget('set', { theme: 'blue', fields: [{ name: 'x', type: 'tel' }] })`)
    const unable = (title: string): unknown =>
      expect.stringContaining(`<duolog-widget> is unable to use "${title}"; `)
    await expect
      .poll(() => told)
      .toEqual(['accent', 'width', 'theme', 'fields', 'data', 'fields'].map(unable))
  })

  const connect = (): string =>
    `connect-src ${product.url} ${product.url.replace('http', 'ws')}; style-src 'none'; require-trusted-types-for 'script'; trusted-types lit-html`
  const hash = async (): Promise<string> =>
    createHash('sha384')
      .update(Buffer.from(await (await fetch(`${product.url}/widget.js`)).arrayBuffer()))
      .digest('base64')

  it.each(['nonce', 'hash', 'host'] as const)(
    'PRD-5 works under a policy with a %s, and Trusted Types, and breaks nothing of it',
    async (kind) => {
      const sha = await hash()
      const [sources, tag = ''] = {
        nonce: [`'nonce-abc123'`, 'nonce="abc123"'],
        hash: [`'sha384-${sha}' 'strict-dynamic'`, `integrity="sha384-${sha}" crossorigin="anonymous"`],
        host: [product.url, ''],
      }[kind]
      const { page, told } = await open({
        policy: `default-src 'none'; img-src data:; script-src ${sources}; ${connect()}`,
        tag,
      })
      await page.getByTestId('launcher').click()
      await page.getByTestId('nick').fill('Robin')
      await page.getByTestId('start').click()
      await page.getByTestId('queue').waitFor()
      await page.getByTestId('leave').click()
      await page.getByTestId('confirm-yes').click()
      await page.getByTestId('ending').waitFor()
      expect((await told()).filter((each) => !/^(?:open|close|end|shift)/.test(each))).toEqual([])
    },
  )
})
