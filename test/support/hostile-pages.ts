/** Two pages in browsers and the real service, with a proxy before it that may become hostile. */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Slot } from '../../protocol/index.ts'
import { attackable } from './attacks.ts'
import type { ChromiumUnderTest } from './chromium.ts'
import { hostileProxy } from './hostile-proxy.ts'
import type { HostileProxy, Shown } from './hostile-proxy.ts'
import type { Attack } from './hostile-service.ts'
import { signInAgent } from './service.ts'

export interface Scene {
  readonly pages: Readonly<Record<Slot, Page>>
  readonly ways: Readonly<Record<Slot, HostileProxy>>
  /** From now on the service is hostile in this way. */
  readonly attack: (attack: Attack) => void
  readonly close: () => Promise<void>
}

export const run = <T>(page: Page, code: string, value: unknown = null): Promise<T> =>
  page.evaluate<T>(`(async (value) => { ${code} })(${JSON.stringify(value)})`)
export const stateOf = (page: Page): Promise<string> => run(page, 'return contact.verification.state')
export const toldTo = (page: Page): Promise<readonly Shown[]> => run(page, 'return told')
export const whatOf = async (page: Page): Promise<readonly string[]> =>
  (await toldTo(page)).map(({ what }) => what)
export const say = (page: Page, text: string): Promise<string> =>
  run(page, 'return contact.sendText(value)', text)
/** Says something of which nothing may come. */
export const trySaying = (page: Page, text: string): Promise<void> =>
  run(page, 'contact.sendText(value).catch(() => {})', text)

/** Where the pages are, and what they speak to. */
export interface Stage {
  readonly service: string
  readonly site: string
  readonly chromium: ChromiumUnderTest
}

/** Two pages of a secure contact; `begin` is what the service does from the start; `isCut`: they do not agree. */
export async function hostilePages(
  { service, site, chromium }: Stage,
  begin: (contact: string) => Attack = () => ({}),
  isCut = false,
): Promise<Scene> {
  const hands = attackable()
  hands.attack = {
    answer(name, result: { readonly contact?: string }) {
      if (name === 'contact.create') hands.attack = begin(result.contact ?? '')
      return result
    },
  }
  const tag = `Ada ${randomUUID().slice(0, 8)}`
  const { token } = await signInAgent(service, tag)
  const ways = {
    visitor: await hostileProxy(service, 'visitor', hands.service),
    agent: await hostileProxy(service, 'agent', hands.service),
  }
  const pages = { visitor: await chromium.newPage(site), agent: await chromium.newPage(site) }
  await run(pages.agent, 'await attend(value.url, value.token, value.tag)', {
    url: ways.agent.url,
    token,
    tag,
  })
  await run(pages.visitor, 'await visit(value.url, value.tag)', { url: ways.visitor.url, tag })
  await run(pages.agent, 'await joined')
  if (!isCut)
    for (const page of Object.values(pages)) await expect.poll(() => stateOf(page)).not.toBe('agreeing')
  const close = async (): Promise<void> => {
    for (const page of Object.values(pages)) await page.context().close()
    for (const way of Object.values(ways)) await way.close()
  }
  return { pages, ways, attack: (attack) => void (hands.attack = attack), close }
}

export async function call({ pages }: Scene): Promise<void> {
  await run(
    pages.visitor,
    `await contact.offerMedia({ ...(await contact.getMediaOffer()), Voice: { tx: 'required', rx: 'required' } })`,
  )
  for (const page of Object.values(pages)) await expect.poll(() => run(page, 'return isCalling()')).toBe(true)
}

/** The page ends the contact within a second of the first `what` that it was told after `since`; all media are off. */
export async function expectBroken(
  { pages, ways }: Scene,
  slot: Slot,
  what: string,
  since = 0,
): Promise<void> {
  const page = pages[slot]
  await expect.poll(() => whatOf(page)).toContain('broken')
  const shown = ways[slot].shown.find((each) => each.at >= since && each.what === what)
  const broken = (await toldTo(page)).find((each) => each.what === 'broken')
  expect(shown).toBeDefined()
  const ms = (broken?.at ?? Infinity) - (shown?.at ?? 0)
  if (process.env['DUOLOG_TIMES']) console.log(`${expect.getState().currentTestName}: ${ms} ms`)
  expect(ms).toBeLessThan(1000)
  await expect.poll(() => run(page, 'return [isOn(), contact.mediaState]')).toEqual([false, 'init'])
  const refused = await run<unknown>(page, `return contact.sendText('x').catch(({ code }) => code)`)
  expect(refused).toBe('tampered')
  await run(page, 'await contact.leave()')
}
