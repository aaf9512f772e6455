/** What a browser does not let play until there is a click. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import type { ConsoleModel } from '../../apps/agent/src/console-model.ts'
import { openProduct } from '../support/product-page.ts'
import type { ProductPage } from '../support/product-page.ts'
import { hears } from '../support/watch.ts'

const TONE_HZ = 880

/** Beginning of the paths of pictures for whoever changes the pages. */
const SHOTS = process.env['DUOLOG_SHOTS']

let product: ProductPage

const shoot = async (page: Page, name: string): Promise<void> =>
  void (SHOTS && (await page.screenshot({ path: `${SHOTS}-${name}.png` })))

/**
 * Whatever Playwright evaluates counts as a click: the page has to do it by itself, and to tell by its
 * console.
 */
const LISTENER = `(async () => {
  const { service } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (!service) return;
  const { createClient } = await import(service + '/sdk/duolog.js');
  const { Playback } = await import(service + '/sdk/engines.js');
  document.body.innerHTML = '<audio></audio><button>Listen</button><button>Call of the telephone</button>';
  const [audio, [listen, ring]] = [document.querySelector('audio'), document.querySelectorAll('button')];
  const playback = new Playback(audio, (state) => console.log(state));
  listen.addEventListener('click', () => playback.resume());
  ring.addEventListener('click', () => audio.pause());
  const contact = await createClient({ service }).createContact({ nick: 'Robin' });
  contact.on('mediaoffer', ({ callback }) => callback(null, { Chat: { tx: true, rx: true }, Sharing: { tx: true, rx: true }, Voice: { tx: false, rx: true } }));
  contact.on('mediachange', ({ newMedia }) => playback.play(newMedia.Voice?.data?.rx_stream));
})()`

beforeAll(async () => {
  product = await openProduct(LISTENER, {
    toneHz: TONE_HZ,
    args: ['--autoplay-policy=document-user-activation-required'],
  })
})
afterAll(async () => {
  await product?.close()
})

async function plays(player: Locator): Promise<void> {
  await expect
    .poll(() => player.evaluate((each: HTMLAudioElement) => !each.paused && each.currentTime > 0.2))
    .toBe(true)
}

it('ENG-16 the sound of a call that a page without a click may not play is told as blocked; it is heard after one, and again when the system had paused it', async () => {
  const agent = await product.browser.newPage(product.site)
  await agent.evaluate(`(async () => {
    const { createAgent } = await import('${product.service}/sdk/agent.js');
    const desk = createAgent({ service: '${product.service}', token: '${product.token}' });
    window.taken = new Promise((resolve) => desk.on('distribution', async ({ id }) => { window.contact = await desk.accept(id); await contact.join(); resolve(); }));
    await desk.ready();
  })()`)
  const visitor = await product.browser.newPage()
  const states: string[] = []
  visitor.on('console', (message) => void states.push(message.text()))
  await visitor.goto(`${product.site}#service=${product.service}`)
  await agent.evaluate(
    `taken.then(async () => contact.offerMedia({ ...await contact.getMediaOffer(), Voice: { tx: 'required', rx: 'off' } }))`,
  )
  await expect.poll(() => states).toEqual(['blocked'])
  await visitor.click('text=Listen')
  await expect.poll(() => states).toEqual(['blocked', 'playing'])
  await hears(visitor, 'audio', TONE_HZ)
  await visitor.click('text=Call of')
  await expect.poll(() => states.at(-1)).toBe('interrupted')
  await visitor.click('text=Listen')
  await expect.poll(() => states.slice(2)).toEqual(['interrupted', 'playing'])
  await plays(visitor.locator('audio'))
  await Promise.all([visitor.close(), agent.close()])
})

/** Lets nothing play before a click, as browsers do where a page uses no microphone yet. */
const strict = (): void => {
  let isClicked = false
  window.addEventListener('click', () => (isClicked = true), { once: true, capture: true })
  const play = Reflect.get(HTMLMediaElement.prototype, 'play') as (this: HTMLMediaElement) => Promise<void>
  HTMLMediaElement.prototype.play = function playIfAllowed() {
    return isClicked || this.muted
      ? play.call(this)
      : Promise.reject(new DOMException('not before a click', 'NotAllowedError'))
  }
}

it('UI-9 ENG-16 the widget offers a button where the browser blocks the sound of a call that came back with the page; one press of a key, and the agent is heard', async () => {
  const [visitor, agent] = [
    await product.browser.newPage(`${product.service}/visitor/`),
    await product.browser.newPage(`${product.service}/agent/?nick=Bea`),
  ]
  await agent.getByTestId('ready-switch').press('Space')
  await visitor.getByTestId('launcher').press('Enter')
  await visitor.getByTestId('nick').pressSequentially('Robin')
  await visitor.getByTestId('start').press('Enter')
  await agent.getByTestId('accept-contact').press('Enter')
  await visitor.getByTestId('call-voice').press('Enter')
  await agent.getByTestId('accept-offer').press('Enter')
  await visitor.getByTestId('hangup').waitFor()
  await visitor.addInitScript(strict)
  await visitor.reload()
  const button = visitor.getByRole('button', { name: 'Tap to hear Bea' })
  await button.waitFor()
  await button.press('Enter')
  await button.waitFor({ state: 'detached' })
  await plays(visitor.getByTestId('remote-audio'))
  await visitor.getByTestId('close-panel').press('Enter')
  await visitor.reload()
  const minimised = visitor.getByTestId('live-resume-audio')
  await minimised.waitFor()
  await shoot(visitor, 'silent-minimised')
  await minimised.press('Enter')
  await minimised.waitFor({ state: 'detached' })
  await plays(visitor.getByTestId('remote-audio'))
  await visitor.getByTestId('live-hangup').click()
  await agent.getByTestId('hangup').waitFor({ state: 'detached' })
  await Promise.all([visitor.close(), agent.close()])
  expect(product.browser.pageErrors).toEqual([])
})

it('SND-312 ENG-16 the console offers the same button where another contact than that of the call is looked at', async () => {
  const [visitor, agent] = [
    await product.browser.newPage(`${product.service}/visitor/`),
    await product.browser.newPage(`${product.service}/agent/?nick=Cleo`),
  ]
  await agent.getByTestId('ready-switch').press('Space')
  await visitor.getByTestId('launcher').press('Enter')
  await visitor.getByTestId('nick').pressSequentially('Robin')
  await visitor.getByTestId('start').press('Enter')
  await agent.getByTestId('accept-contact').press('Enter')
  await visitor.getByTestId('call-voice').press('Enter')
  await agent.getByTestId('accept-offer').press('Enter')
  await plays(agent.getByTestId('remote-audio'))
  await agent.evaluate(strict)
  // Without a click, as when the contact that is looked at ends.
  await agent.evaluate(() =>
    (document.querySelector('duolog-console') as unknown as { model: ConsoleModel }).model.select(null),
  )
  const button = agent.getByRole('button', { name: 'Tap to hear Robin' })
  await button.waitFor()
  await shoot(agent, 'silent-console')
  await button.press('Enter')
  await button.waitFor({ state: 'detached' })
  await plays(agent.getByTestId('live-audio'))
  expect(product.browser.pageErrors).toEqual([])
})
