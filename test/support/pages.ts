/** The two pages of the product as people open them, each in a browser with a camera of its own. */
import type { Locator, Page } from 'playwright-core'
import { COLOURS } from './camera.ts'
import { launchChromium } from './chromium.ts'
import type { ChromiumOptions, ChromiumUnderTest } from './chromium.ts'
import { startProduct } from './npm-start.ts'

/** An element of a page by its test id. */
export const at = (page: Page | Locator, id: string): Locator => page.getByTestId(id)

export interface OpenedPages {
  readonly visitor: Page
  readonly agent: Page
  readonly browsers: Readonly<Record<'visitor' | 'agent', ChromiumUnderTest>>
  close(): Promise<void>
}

/** Starts the product; the visitor's camera is red, that of the agent Ada blue. `options`: of both browsers. */
export async function openPages(options: ChromiumOptions = {}): Promise<OpenedPages> {
  const product = await startProduct()
  const [first, second] = await Promise.all([
    launchChromium({ camera: COLOURS.red, ...options }),
    launchChromium({ camera: COLOURS.blue, ...options }),
  ])
  const agent = await second.newPage(`${product.url}/agent/?nick=Ada`)
  const visitor = await first.newPage(`${product.url}/visitor/`)
  for (const page of [visitor, agent]) await page.setViewportSize({ width: 1000, height: 760 })
  const close = async (): Promise<void> => {
    await Promise.all([first.close(), second.close()])
    await product.stop()
  }
  return { visitor, agent, browsers: { visitor: first, agent: second }, close }
}
