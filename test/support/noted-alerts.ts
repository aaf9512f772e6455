/** What a page calls its reader with: tones, notifications and badges, all of them real, and noted. */
import type { BrowserContext, Page } from 'playwright-core'
import type { ChromiumUnderTest } from './chromium.ts'

export interface NotedNotice {
  readonly body: string
  readonly isSilent: boolean
  /** The browser has shown it. */
  readonly wasShown: boolean
  readonly isClosed: boolean
}

export interface NotedAlerts {
  readonly tones: number
  /** How often the browser was asked whether notifications are allowed. */
  readonly asked: number
  readonly badges: readonly number[]
  readonly notices: readonly NotedNotice[]
}

/** Runs in the page before its own scripts, as text: the test runner would rewrite it. */
const NOTE = `{
  window.noted = { tones: 0, asked: 0, badges: [], notices: [] }
  const sources = AudioScheduledSourceNode.prototype
  const start = sources.start
  sources.start = function (...when) {
    noted.tones += 1
    console.debug('noted: tone')
    return start.apply(this, when)
  }
  navigator.setAppBadge = async (count) => {
    noted.badges.push(count)
    console.debug('noted: badge ' + count)
  }
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options)
      const note = { body: this.body, isSilent: this.silent === true, wasShown: false, isClosed: false }
      noted.notices.push(note)
      window.newest = this
      this.addEventListener('show', () => (note.wasShown = true))
      this.close = () => {
        note.isClosed = true
        super.close()
      }
    }
    static requestPermission(...given) {
      noted.asked += 1
      return super.requestPermission(...given)
    }
  }
  let sight = 'visible'
  Object.defineProperty(document, 'visibilityState', { get: () => sight })
  window.look = (now) => {
    sight = now
    document.dispatchEvent(new Event('visibilitychange'))
  }
}`

export interface NotedOptions {
  /** What the reader has answered; where it is not given, nothing yet. */
  readonly notifications?: 'granted' | 'denied'
  /** The page's clock can be put forward. */
  readonly hasClock?: boolean
  /** Runs in the page before its own scripts. */
  readonly before?: string
  readonly context?: BrowserContext
}

/** Opens a page whose alerts are noted. */
export async function notedPage(
  chromium: ChromiumUnderTest,
  url: string,
  { notifications, hasClock = false, before = '', context: given }: NotedOptions = {},
): Promise<Page> {
  const context = given ?? (await chromium.browser.newContext())
  if (notifications) await answer(context, url, notifications)
  const page = await chromium.newPage(undefined, context)
  page.setDefaultTimeout(10_000)
  if (hasClock) await page.clock.install()
  await page.addInitScript(`${NOTE}${before}`)
  await page.goto(url)
  return page
}

/** What is granted refuses all that is not. */
const answer = (context: BrowserContext, url: string, said: 'granted' | 'denied'): Promise<void> =>
  context.grantPermissions([said === 'granted' ? 'notifications' : 'geolocation'], {
    origin: new URL(url).origin,
  })

/** The reader answers the question of the browser. */
export const allowNotices = (page: Page): Promise<void> => answer(page.context(), page.url(), 'granted')

export const noted = (page: Page): Promise<NotedAlerts> => page.evaluate('noted')

/** Longer than from one tone of a ringing call to the next one. */
const RING_MS = 2_500

/** Whether a tone comes in the time in which a call that rings has another one. */
export async function isRinging(page: Page): Promise<boolean> {
  const before = (await noted(page)).tones
  await page.clock.fastForward(RING_MS)
  return (await noted(page)).tones > before
}

/** The reader looks elsewhere, or comes back. */
export const look = (page: Page, sight: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate(`look('${sight}')`)

/** The reader chooses the newest notification. */
export const choose = (page: Page): Promise<void> => page.evaluate(`newest.dispatchEvent(new Event('click'))`)
