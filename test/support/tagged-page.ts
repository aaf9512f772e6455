/** A page of somebody else's with `widget.js` on it. */
import type { Page } from 'playwright-core'
import type { ChromiumUnderTest, ServedPage } from './chromium.ts'
import { serveHtml } from './chromium.ts'

export interface TaggedPage extends ServedPage {
  readonly page: Page
  /** What the page was told by events of the widget, and what a policy has refused. */
  readonly told: () => Promise<readonly string[]>
}

export interface TaggedOptions {
  /** Content security policy. */
  readonly policy?: string
  /** Attributes of the tag besides `src`. */
  readonly tag?: string
  /** In the body, before the tag. */
  readonly body?: string
}

const LISTEN = `
  window.told = []
  for (const type of ['duolog-open', 'duolog-close', 'duolog-message', 'duolog-end'])
    document.addEventListener(type, ({ detail }) => told.push(type.slice(7) + ' ' + JSON.stringify(detail)))
  document.addEventListener('securitypolicyviolation', (event) => told.push(event.violatedDirective + ' ' + event.blockedURI))
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) told.push('shift ' + value) })
    .observe({ type: 'layout-shift', buffered: true })
`

/** Serves the page at another origin than the service's, and opens it. */
export async function openTagged(
  chromium: ChromiumUnderTest,
  service: string,
  { policy, tag = '', body = '' }: TaggedOptions = {},
): Promise<TaggedPage> {
  const meta = policy ? `<meta http-equiv="content-security-policy" content="${policy}">` : ''
  const site = await serveHtml(
    `<!doctype html><html lang="en"><head><meta charset="utf-8">${meta}<title>shop</title><link rel="icon" href="data:,">
    <script async src="${service}/widget.js" ${tag}></script></head><body>${body}<main><h1>Shop</h1></main></body></html>`,
  )
  const page = await chromium.newPage()
  await page.addInitScript(LISTEN)
  await page.goto(site.url)
  const told = (): Promise<string[]> => page.evaluate('told')
  return { ...site, page, told }
}
