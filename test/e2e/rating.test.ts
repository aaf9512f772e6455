/**
 * What the visitor is asked after the end, and what the service writes, on the pages. With `DUOLOG_SHOTS=path` it
 * also takes pictures.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { launchChromium } from '../support/chromium.ts'
import type { ChromiumUnderTest } from '../support/chromium.ts'
import { look } from '../support/looks.ts'
import { startProduct } from '../support/npm-start.ts'
import type { StartedProduct } from '../support/npm-start.ts'
import { at } from '../support/pages.ts'

let product: StartedProduct
let browser: ChromiumUnderTest
let visitor: Page
let agent: Page

async function post(path: string, body: object, token?: string): Promise<Record<string, string>> {
  const answer = await fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Record<string, string>
}

/** The visitor starts a chat, and the agent takes it. */
async function chat(question: string): Promise<void> {
  await at(visitor, 'nick').fill('Robin')
  await at(visitor, 'first-message').fill(question)
  await at(visitor, 'start').click()
  await at(agent, 'accept-contact').click()
  await agent.getByText(question).last().waitFor()
}

/** The visitor ends it. */
async function leave(): Promise<void> {
  await at(visitor, 'leave').click()
  await at(visitor, 'confirm-yes').click()
  await at(visitor, 'rating').waitFor()
}

beforeAll(async () => {
  product = await startProduct()
  browser = await launchChromium()
  agent = await browser.newPage(`${product.url}/agent/?nick=Ada`)
  visitor = await browser.newPage(`${product.url}/visitor/`)
  await at(agent, 'ready-switch').click()
  await at(visitor, 'launcher').click()
})
afterAll(async () => {
  await browser?.close()
  await product?.stop()
})

describe('on the pages', () => {
  it('UI-13 PRD-160 both sides show what the service writes, and who wrote it, also after a reload', async () => {
    await chat('Where is my parcel?')
    const { token } = await post('/v1/dev/agents', {
      nick: 'Back end',
      rights: ['contacts:read', 'contacts:write'],
    })
    const answer = await fetch(`${product.url}/v1/contacts?limit=1`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { contacts } = (await answer.json()) as { readonly contacts: readonly { readonly id: string }[] }
    const place = `/v1/contacts/${contacts[0]?.id}/messages`
    await post(place, { text: 'It arrives tomorrow' }, token)
    await post(place, { text: 'Rate us!', nick: 'Parcel desk' }, token)
    for (const page of [visitor, agent])
      await page.getByText('Rate us!').filter({ visible: true }).last().waitFor()
    await visitor.reload()
    for (const page of [visitor, agent]) {
      const messages = at(page, 'message').filter({ hasText: /It arrives tomorrow|Rate us!/ })
      await expect.poll(() => messages.count()).toBe(2)
      expect(await messages.first().textContent()).toContain('Automatic message')
      expect(await messages.last().textContent()).toContain('Parcel desk')
      expect(await messages.first().getAttribute('data-own')).toBe('false')
    }
    await look(visitor, 'notice')
  })

  it('UI-13 PRD-156 after the end the visitor gives stars and a comment by the keyboard, and the console shows them', async () => {
    await leave()
    const group = visitor.getByRole('radiogroup', { name: 'How was this chat?' })
    expect(await group.getByRole('radio').count()).toBe(5)
    await group.getByRole('radio', { name: '1 of 5 stars' }).focus()
    await visitor.keyboard.press('Space')
    for (let press = 0; press < 3; press += 1) await visitor.keyboard.press('ArrowRight')
    expect(await group.getByRole('radio', { name: '4 of 5 stars' }).isChecked()).toBe(true)
    await visitor.keyboard.press('Tab')
    await visitor.keyboard.type('Quick and kind')
    await look(visitor, 'rating')
    await visitor.keyboard.press('Tab')
    await visitor.keyboard.press('Enter')
    await at(visitor, 'rating-status').filter({ hasText: 'Thank you for your rating.' }).waitFor()
    expect(await at(visitor, 'rating').count()).toBe(0)
    const data = at(agent, 'visitor-data')
    await data.getByText('4 of 5 stars').waitFor()
    await data.getByText('Quick and kind').waitFor()
    await look(agent, 'rated')
    const middleOf = (id: string): Promise<number> =>
      at(visitor, id).evaluate((element) => {
        const text = document.createRange()
        text.selectNodeContents(element)
        const { left, right } = text.getBoundingClientRect()
        return (left + right) / 2
      })
    expect(Math.abs((await middleOf('rating-status')) - (await middleOf('ending')))).toBeLessThan(2)
    await look(visitor, 'rating-given')
  })

  it('UI-13 PRD-156 who says nothing starts again all the same, and a rating that fails can be sent again', async () => {
    await at(visitor, 'start-again').click()
    await chat('And now?')
    await leave()
    await visitor.context().setOffline(true)
    await at(visitor, 'star').nth(4).check({ force: true })
    await at(visitor, 'send-rating').click()
    await at(visitor, 'rating-failure').filter({ hasText: /./ }).waitFor()
    await look(visitor, 'rating-failed')
    await visitor.context().setOffline(false)
    await at(visitor, 'send-rating').press('Enter')
    await at(visitor, 'rating-status').filter({ hasText: 'Thank you' }).waitFor()
    await visitor.locator(':focus').and(at(visitor, 'rating-status')).waitFor()
    expect(browser.pageErrors).toEqual([])
  })

  it('UI-13 PRD-155 who had the chat in two tabs rates it with the sign-in that the other tab has renewed', async () => {
    await at(visitor, 'start-again').click()
    await chat('In two tabs?')
    const used: string[] = []
    const renewed: string[] = []
    visitor.context().on('response', async (response) => {
      if (!response.url().endsWith('/v1/visitors/refresh')) return
      used.push((response.request().postDataJSON() as { readonly refresh: string }).refresh)
      renewed.push(((await response.json()) as { readonly refresh: string }).refresh)
    })
    const other = await visitor.context().newPage()
    await other.goto(`${product.url}/visitor/`)
    await other.getByText('In two tabs?').last().waitFor()
    await at(agent, 'end-contact').click()
    await at(agent, 'confirm-yes').click()
    await at(visitor, 'rating').waitFor()
    await at(visitor, 'star').nth(3).check({ force: true })
    await at(visitor, 'send-rating').click()
    await at(visitor, 'rating-status').filter({ hasText: 'Thank you' }).waitFor()
    await expect.poll(() => renewed.length).toBe(2)
    expect(used[1]).toBe(renewed[0])
    await other.close()
    expect(browser.pageErrors).toEqual([])
  })
})
