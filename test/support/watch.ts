/** What a person in front of a page would see and hear, with a deadline. */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { Colour } from './camera.ts'
import { bundleForPage } from './chromium.ts'

/**
 * A `video` or `audio` element by its selector, or JavaScript that yields a MediaStream:
 * `{ js: 'window.remote' }`.
 */
export type Target = string | { readonly js: string }

const DEADLINE_MS = 10_000
const POLL_MS = 50

let probeCode: Promise<string> | undefined

async function install(page: Page): Promise<void> {
  probeCode ??= bundleForPage(fileURLToPath(new URL('./page-probe.ts', import.meta.url)))
  await page.evaluate(await probeCode)
}

const codeOf = (target: Target): string =>
  typeof target === 'string' ? `document.querySelector(${JSON.stringify(target)})` : `(${target.js})`

/** Asks from outside: a page with a policy evaluates nothing by itself. */
async function until(page: Page, what: string, condition: string, deadlineMs = DEADLINE_MS): Promise<void> {
  await install(page)
  const limit = performance.now() + deadlineMs
  while (!(await page.evaluate<boolean>(condition))) {
    if (performance.now() > limit) throw new Error(`not within ${deadlineMs} ms: ${what}`)
    await delay(POLL_MS)
  }
}

/** Waits until decoded pictures of this colour are shown. */
export async function sees(page: Page, target: Target, colour: Colour, deadlineMs?: number): Promise<void> {
  const close = `(c) => c !== undefined && ${JSON.stringify(colour)}.every((value, i) => Math.abs(value - c[i]) <= 40)`
  await until(
    page,
    `colour ${colour.join()} in ${codeOf(target)}`,
    `(${close})(__duologProbe.colour(${codeOf(target)}))`,
    deadlineMs,
  )
}

/** Waits until `count` more frames have been decoded. */
export async function seesFrames(page: Page, target: Target, count = 5, deadlineMs?: number): Promise<void> {
  await install(page)
  const before = await page.evaluate<number>(`__duologProbe.frames(${codeOf(target)})`)
  await until(
    page,
    `${count} new frames in ${codeOf(target)}`,
    `__duologProbe.frames(${codeOf(target)}) >= ${before + count}`,
    deadlineMs,
  )
}

/** Waits until the tone is heard. */
export async function hears(page: Page, target: Target, hz: number, deadlineMs?: number): Promise<void> {
  await until(
    page,
    `${hz} Hz from ${codeOf(target)}`,
    `__duologProbe.hears(${codeOf(target)}, ${hz})`,
    deadlineMs,
  )
}

/** Waits until nothing has been heard for a while. */
export async function hearsSilence(
  page: Page,
  target: Target,
  forMs = 500,
  deadlineMs?: number,
): Promise<void> {
  await until(
    page,
    `silence from ${codeOf(target)}`,
    `__duologProbe.silentForMs(${codeOf(target)}) >= ${forMs}`,
    deadlineMs,
  )
}

/** Mean colour of the middle of the picture now. */
export async function colourNow(page: Page, target: Target): Promise<readonly number[] | undefined> {
  await install(page)
  return page.evaluate<readonly number[] | undefined>(`__duologProbe.colour(${codeOf(target)})`)
}
