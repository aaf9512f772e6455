import { launchChromium, servePage } from './chromium.ts'
import type { ChromiumOptions, ChromiumUnderTest } from './chromium.ts'
import { startProduct } from './npm-start.ts'
import { signInAgent } from './service.ts'

export interface ProductPage {
  /** Origin of the service. */
  readonly service: string
  /** Address of a page of somebody else's, which may use the service. */
  readonly site: string
  /** Of an agent. */
  readonly token: string
  readonly browser: ChromiumUnderTest
  close(): Promise<void>
}

/** The product, a page with `script` in it elsewhere, and one browser. */
export async function openProduct(script: string, options?: ChromiumOptions): Promise<ProductPage> {
  const [site, browser, product] = [
    await servePage(script),
    await launchChromium(options),
    await startProduct(),
  ]
  const { token } = await signInAgent(product.url, 'Ada')
  const close = async (): Promise<void> => {
    await browser.close()
    await site.close()
    await product.stop()
  }
  return { service: product.url, site: site.url, token, browser, close }
}
