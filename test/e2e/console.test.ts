/**
 * The agent's console as agents use it. `DUOLOG_SHOTS`: beginning of the paths of pictures for whoever
 * changes the pages.
 */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConsoleModel } from '../../apps/agent/src/console-model.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { contactPage, say } from '../support/visitor-page.ts'
import { FORMS } from './visitor-forms.ts'
import { at } from '../support/pages.ts'

const SHOTS = process.env['DUOLOG_SHOTS']

let product: StartedProduct
let chromium: ChromiumUnderTest
let ada: Page
let bo: Page
let robin: Page
let kim: Page

const field = (name: string): Locator => ada.locator(`duolog-field[data-name=${name}]`)
const shot = async (name: string): Promise<void> =>
  void (SHOTS && (await ada.screenshot({ path: `${SHOTS}-${name}.png` })))
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element instanceof HTMLElement ? (element.dataset['testid'] ?? element.tagName) : ''
  })
/** All text of an element, in any depth. */
const textIn = (locator: Locator): Promise<string> =>
  locator.evaluate((element) => {
    const read = (node: Node): string =>
      node instanceof HTMLStyleElement
        ? ''
        : node.nodeType === Node.TEXT_NODE
          ? (node.textContent ?? '')
          : [...((node instanceof Element && node.shadowRoot) || node).childNodes].map(read).join(' ')
    return read(element)
  })
/** The value of a field, as the visitor's SDK has it. */
const held = (name: string): Promise<unknown> =>
  robin.evaluate(
    (wanted) => globalThis.__contact.data().data[0]?.data.find((each) => each.name === wanted),
    name,
  )

beforeAll(async () => {
  product = await startProduct()
  chromium = await launchChromium()
  ada = await chromium.newPage(`${product.url}/agent/?nick=Ada`)
  await ada.setViewportSize({ width: 1200, height: 800 })
  ada.setDefaultTimeout(10_000)
  await at(ada, 'ready-switch').click()
})
afterAll(async () => {
  await chromium?.close()
  await product?.stop()
})

describe('the console', () => {
  it('UI-6 SRV-10 shows each offer with the time that is left, and takes several contacts at once', async () => {
    robin = await contactPage(chromium, product.url, { nick: 'Robin', data: FORMS, lang: 'en' })
    kim = await contactPage(chromium, product.url, { nick: 'Kim' })
    const card = at(ada, 'incoming').filter({ hasText: 'Robin' })
    const left = async (): Promise<number> => Number(/(\d+) s left/.exec(await card.innerText())?.[1])
    const before = await left()
    expect(before).toBeGreaterThan(5)
    expect(before).toBeLessThanOrEqual(30)
    await expect.poll(left).toBeLessThan(before)
    await shot('offers')
    await at(card, 'accept-contact').click()
    await at(at(ada, 'incoming').filter({ hasText: 'Kim' }), 'accept-contact').click()
    await expect.poll(() => at(ada, 'contact-item').count()).toBe(2)
    await expect.poll(() => at(ada, 'incoming').count()).toBe(0)
  })

  it('UI-6 UI-2 what waits in another contact is counted, and said once with the name', async () => {
    await at(ada, 'contact-item').filter({ hasText: 'Robin' }).click()
    await say(kim, 'Is anybody there?', 'Hello?')
    await at(ada, 'unread').filter({ hasText: '2 new messages' }).waitFor()
    expect(await at(ada, 'news').innerText()).toBe('Kim: 2 new messages')
    await at(ada, 'contact-item').filter({ hasText: 'Kim' }).click()
    await at(ada, 'messages').getByText('Is anybody there?').waitFor()
    await at(ada, 'unread').waitFor({ state: 'detached' })
    expect(await at(ada, 'news').innerText()).toBe('')
  })

  it('SND-312 UI-6 what is written to one contact stays with it', async () => {
    const open = (name: string): Promise<void> => at(ada, 'contact-item').filter({ hasText: name }).click()
    const [toKim, toRobin] = ['only for Kim', 'only for Robin']
    await at(ada, 'composer').fill(toKim)
    await open('Robin')
    await expect.poll(() => at(ada, 'composer').inputValue()).toBe('')
    await at(ada, 'composer').fill(toRobin)
    await open('Kim')
    await expect.poll(() => at(ada, 'composer').inputValue()).toBe(toKim)
    await open('Robin')
    await expect.poll(() => at(ada, 'composer').inputValue()).toBe(toRobin)
    await at(ada, 'composer').fill('')
    await open('Kim')
    await ada.keyboard.press('Enter')
    await at(ada, 'messages').getByText(toKim).waitFor()
    expect(await at(ada, 'composer').inputValue()).toBe('')
  })

  it('UI-13 SND-312 UI-6 a question whether to end a contact is not answered for the contact that comes under it', async () => {
    const lee = await contactPage(chromium, product.url, { nick: 'Lee' })
    await at(at(ada, 'incoming').filter({ hasText: 'Lee' }), 'accept-contact').waitFor()
    await at(ada, 'end-contact').click()
    await at(ada, 'confirm-yes').waitFor()
    await look(ada, 'confirm')
    // A click on "accept" whose answer takes as long as that.
    await ada.evaluate(async () => {
      const { model } = document.querySelector('duolog-console') as unknown as { model: ConsoleModel }
      await model.accept(model.incoming[0]?.offered.id ?? '')
    })
    await expect.poll(() => at(ada, 'peer-name').innerText()).toBe('Lee')
    await at(ada, 'confirm-yes').waitFor({ state: 'hidden' })
    const stages = (): Promise<(string | undefined)[]> =>
      at(ada, 'contact-item').evaluateAll((all) =>
        all.map((item) => (item instanceof HTMLElement ? item.dataset['stage'] : '')),
      )
    await expect.poll(stages).toEqual(['talking', 'talking', 'talking'])
    await at(ada, 'end-contact').click()
    await at(ada, 'confirm-yes').click()
    await at(ada, 'dismiss-contact').click()
    await at(ada, 'contact-item').filter({ hasText: 'Kim' }).click()
    await lee.close()
  })

  it('UI-2 another contact is another log: a list that is shown anew is no news', async () => {
    const log = await at(ada, 'messages').elementHandle()
    await at(ada, 'contact-item').filter({ hasText: 'Robin' }).click()
    await expect.poll(() => log?.evaluate((element) => element.isConnected)).toBe(false)
    await at(ada, 'messages').evaluate((element) => {
      Object.assign(globalThis, { __news: [] as string[] })
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records) {
          for (const node of addedNodes)
            if (node.textContent?.trim())
              (globalThis as unknown as { __news: string[] }).__news.push(
                node.textContent.replaceAll(/\s+/g, ' ').trim(),
              )
          for (const node of removedNodes)
            if (node.textContent?.trim())
              (globalThis as unknown as { __news: string[] }).__news.push(`gone: ${node.textContent}`)
        }
      }).observe(element, { childList: true, subtree: true })
    })
    await say(robin, 'first', 'second')
    await at(ada, 'messages').getByText('second').waitFor()
    await at(ada, 'composer').fill('third')
    await ada.keyboard.press('Enter')
    await ada.locator(':is([data-delivery=delivered], [data-delivery=read])').waitFor()
    const news = () => ada.evaluate(() => (globalThis as unknown as { __news: string[] }).__news)
    await expect
      .poll(async () => (await news()).map((text) => /first|second|third/.exec(text)?.[0]))
      .toEqual(['first', 'second', 'third'])
    const { role, live, relevant } = await at(ada, 'messages').evaluate((element) => ({
      role: element.role,
      live: element.ariaLive,
      relevant: element.getAttribute('aria-relevant'),
    }))
    expect([role, live, relevant]).toEqual(['log', 'polite', 'additions'])
  })

  it('UI-7 FORM-4 shows what the agent may know of the visitor, and whether the contact is encrypted', async () => {
    const data = at(ada, 'visitor-data')
    const text = await textIn(data)
    for (const shown of [
      'Robin',
      'robin@example.org',
      'English',
      'Not end-to-end encrypted',
      'Order',
      'Wants our news',
      '12.5',
    ])
      expect(text).toContain(shown)
    expect(text).not.toContain('hidden from the console')
    expect(
      await data.getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.ariaLabel)),
    ).toEqual(['Change E-mail for the bill', 'Change Phone', 'Change Wants our news'])
  })

  it('UI-13 UI-7 FORM-6 FORM-2 with the keyboard: a field is changed, what is wrong is said in words, and what was before stays to be seen', async () => {
    await ada.getByRole('button', { name: 'Change E-mail for the bill' }).press('Enter')
    await expect.poll(() => focused(ada)).toBe('field-input')
    const input = ada.getByRole('textbox', { name: 'E-mail for the bill' })
    await ada.keyboard.type('nobody')
    await ada.keyboard.press('Enter')
    await ada.getByRole('alert').filter({ hasText: 'Please write an e-mail address.' }).waitFor()
    expect([await input.getAttribute('aria-invalid'), await focused(ada), await held('mail')]).toMatchObject([
      'true',
      'field-input',
      { value: 'robin@example.org' },
    ])
    await look(ada, 'field-refused')
    await input.fill('kim@example.org')
    await ada.keyboard.press('Enter')
    await at(field('mail'), 'field-value').filter({ hasText: 'kim@example.org' }).waitFor()
    await expect.poll(() => focused(ada)).toBe('edit-field')
    expect(await at(field('mail'), 'field-before').innerText()).toBe(
      'Changed by Ada. Before: robin@example.org',
    )
    await expect
      .poll(() => held('mail'))
      .toMatchObject({ value: 'kim@example.org', original: 'robin@example.org' })
    await expect.poll(() => at(ada, 'visitor-data').locator('dl').innerText()).toContain('kim@example.org')
    expect(await robin.evaluate(() => globalThis.__contact.data().visitor.email)).toBe('kim@example.org')
  })

  it('UI-7 FORM-6 a checkbox is ticked, an empty field is filled, and Escape leaves all as it was', async () => {
    await at(field('news'), 'edit-field').press('Enter')
    await expect.poll(() => focused(ada)).toBe('field-input')
    await ada.keyboard.press('Space')
    await ada.keyboard.press('Enter')
    await at(field('news'), 'field-value').filter({ hasText: 'Yes' }).waitFor()
    expect(await at(field('news'), 'field-before').innerText()).toBe('Changed by Ada. Before: No')
    await at(field('phone'), 'edit-field').press('Enter')
    await ada.keyboard.type('0039 02')
    await ada.keyboard.press('Escape')
    expect([
      await at(field('phone'), 'field-value').innerText(),
      await at(field('phone'), 'field-before').count(),
      await focused(ada),
    ]).toEqual(['–', 0, 'edit-field'])
    await at(field('phone'), 'edit-field').press('Enter')
    await ada.keyboard.type('+390200000000')
    await ada.keyboard.press('Enter')
    await expect.poll(() => held('phone')).toMatchObject({ value: '+390200000000', original: null })
    expect(await held('news')).toMatchObject({ checked: true, original: false })
  })

  it('UI-3 UI-6 on a phone nothing of the head lies over anything else, and each control has its name', async () => {
    await ada.setViewportSize({ width: 390, height: 780 })
    const name = await at(ada, 'peer-name').boundingBox()
    const buttons = await ada
      .locator('header.bar button')
      .evaluateAll((all) =>
        all
          .filter((button) => button.checkVisibility())
          .map((button) => [button.ariaLabel, button.getBoundingClientRect().left]),
      )
    expect(name?.width).toBeGreaterThan(50)
    expect(buttons.map(([label]) => label)).toEqual([
      'Back to the list',
      'About the visitor, and private notes',
      'Pass on',
      'End contact',
    ])
    for (const [label, left] of buttons.slice(1))
      expect([label, Number(left) >= (name ? name.x + name.width : 0)]).toEqual([label, true])
    await ada.setViewportSize({ width: 1200, height: 800 })
  })

  it('UI-13 UI-6 LIFE-15 PRD-57 PRD-58 hands a contact on to a colleague, says in words what cannot be, and the visitor goes on', async () => {
    bo = await chromium.newPage(`${product.url}/agent/?nick=Bo`)
    await at(bo, 'ready-switch').click()
    await at(bo, 'console-connection')
      .and(bo.locator('[data-connection=online]'))
      .waitFor({ state: 'attached' })
    await expect.poll(() => at(bo, 'ready-switch').getAttribute('aria-checked')).toBe('true')
    await at(ada, 'transfer-contact').press('Enter')
    await at(ada, 'transfer-to-agent').check()
    await at(ada, 'transfer-what').fill('nobody')
    await ada.keyboard.press('Enter')
    await at(ada, 'transfer-failure').filter({ hasText: 'There is no such colleague.' }).waitFor()
    await look(ada, 'transfer')
    expect(await at(ada, 'colleagues').locator('option').first().getAttribute('value')).toBe('Bo')
    await at(ada, 'transfer-what').fill('bo')
    await at(ada, 'transfer-note').fill('Wants a refund')
    await at(ada, 'transfer-what').press('Enter')
    await at(ada, 'ending').filter({ hasText: 'This contact has been passed on.' }).waitFor()
    expect(await at(ada, 'edit-field').count()).toBe(0)
    await at(bo, 'handed-by')
      .filter({ hasText: 'Passed on by Ada' })
      .filter({ hasText: 'Wants a refund' })
      .waitFor()
    await look(bo, 'handed')
    await look(ada, 'passed-on')
    await at(bo, 'accept-contact').click()
    const earlier = at(bo, 'messages').locator('.message', { hasText: 'third' })
    expect([await earlier.getAttribute('data-own'), await earlier.locator('.who').innerText()]).toEqual([
      'false',
      'Ada',
    ])
    await say(robin, 'Good to see you')
    await at(bo, 'messages').getByText('Good to see you').waitFor()
    expect(await textIn(at(bo, 'visitor-data'))).toContain('kim@example.org')
    await at(ada, 'dismiss-contact').click()
    expect([await at(ada, 'contact-item').count(), chromium.pageErrors]).toEqual([1, []])
  })
})
