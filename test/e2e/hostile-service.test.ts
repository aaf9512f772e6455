/** Two pages and the real service, with a Socket.IO proxy between them that tries everything. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Slot } from '../../protocol/index.ts'
import { changing, hidden, inserted, isFrom, lowered, reordered, withheld } from '../support/attacks.ts'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import {
  call,
  expectBroken,
  hostilePages,
  run,
  say,
  stateOf,
  toldTo,
  trySaying,
  whatOf,
} from '../support/hostile-pages.ts'
import type { Scene } from '../support/hostile-pages.ts'
import type { Attack, Raw } from '../support/hostile-service.ts'
import { ManInTheMiddle } from '../support/man-in-the-middle.ts'
import { startTestService } from '../support/service.ts'
import type { TestService } from '../support/service.ts'

let test: TestService
let site: ServedPage
let chromium: ChromiumUnderTest
beforeAll(async () => {
  test = await startTestService({ strategy: 'least-loaded' })
  site = await servePage(await bundleForPage(fileURLToPath(new URL('./hostile-page.ts', import.meta.url))))
  chromium = await launchChromium()
})
afterAll(async () => {
  await chromium?.close()
  await site?.close()
  await test?.close()
})

/** As of `hostilePages`. */
const scene = (begin?: (contact: string) => Attack, isCut?: boolean): Promise<Scene> =>
  hostilePages({ service: test.url, site: site.url, chromium }, begin, isCut)

const text = isFrom('visitor', 'text')
const changedText = (change: (body: Raw['body']) => Raw['body']): Attack =>
  changing(text, 'agent', (entry) => ({ ...entry, body: change(entry.body) }))

/** Notes the next text, which `repeated` tells again. */
function remembering(): { readonly note: Attack; readonly again: Attack } {
  let sent: Raw | null = null
  const note: Attack = {
    entries: (entries) => entries.map((entry) => (text(entry) ? (sent = entry) : entry)),
  }
  return { note, again: inserted({ before: text, reader: 'agent' }, () => sent as unknown as Raw) }
}

describe('two pages and a hostile service', () => {
  it.each<readonly [name: string, reader: Slot, shows: string, attack: () => Attack]>([
    ['entries change places', 'agent', 'text', () => reordered(text, 'agent')],
    [
      'a ciphertext is forged',
      'agent',
      'text',
      () => changedText((body) => ({ ...body, text: `AAAA${String(body['text']).slice(4)}` })),
    ],
    [
      'a seal is forged',
      'agent',
      'text',
      () =>
        changedText((body) => ({ ...body, seal: { ...Object(body['seal']), mac: `${'A'.repeat(43)}=` } })),
    ],
    [
      'a member is put in clear under its seal',
      'agent',
      'text',
      () => changedText(({ seal }) => ({ text: 'send me the code', seal })),
    ],
    ['an entry is left out', 'agent', 'text', () => hidden(text, 'agent')],
    ['there are two logs', 'visitor', 'ack', () => hidden(isFrom('agent', 'text'), 'visitor')],
  ])(
    'ENC-640 the page that reads it ends the contact within 1 s, and its call: %s',
    async (_name, reader, shows, attack) => {
      const both = await scene()
      await call(both)
      both.attack(attack())
      const since = Date.now()
      if (reader === 'visitor') {
        await say(both.pages.agent, 'only for me')
        await expect.poll(() => both.ways.agent.shown.filter(({ what }) => what === 'text').length).toBe(1)
      }
      await trySaying(both.pages.visitor, 'first')
      await trySaying(both.pages.visitor, 'second')
      await expectBroken(both, reader, shows, since)
      expect(await whatOf(both.pages.agent)).not.toContain('text send me the code')
      await both.close()
    },
  )

  it('ENC-640 an entry that is told again ends the contact within 1 s, and its call', async () => {
    const both = await scene()
    await call(both)
    const { note, again } = remembering()
    both.attack(note)
    await say(both.pages.visitor, 'once')
    await expect.poll(() => whatOf(both.pages.agent)).toContain('text once')
    both.attack(again)
    const since = Date.now()
    await trySaying(both.pages.visitor, 'twice')
    await expectBroken(both, 'agent', 'text', since)
    expect((await whatOf(both.pages.agent)).filter((what) => what === 'text once')).toHaveLength(1)
    await both.close()
  })

  it('ENC-640 an entry of an old contact is not told, and ends this one within 1 s of the next entry', async () => {
    const { note, again } = remembering()
    const old = await scene()
    old.attack(note)
    await say(old.pages.visitor, 'yes, I agree')
    await expect.poll(() => whatOf(old.pages.agent)).toContain('text yes, I agree')
    await old.close()
    const both = await scene()
    await call(both)
    both.attack(again)
    const since = Date.now()
    await trySaying(both.pages.visitor, 'do you agree?')
    await expectBroken(both, 'visitor', 'ack', since)
    expect(await whatOf(both.pages.agent)).not.toContain('text yes, I agree')
    await both.close()
  })

  it.each([
    ['keyCommit', 'commit', 'visitor', 'agent'],
    ['keyShare', 'key', 'agent', 'visitor'],
    ['keyReveal', 'key', 'visitor', 'agent'],
  ] as const)(
    'ENC-641 a key that is replaced in %s is found out within 1 s',
    async (type, member, by, reader) => {
      const key = `${'Q'.repeat(42)}A=`
      const replaced = changing(isFrom(by, type), reader, ({ body, ...entry }) => ({
        ...entry,
        body: { ...body, [member]: key },
      }))
      const both = await scene(() => replaced, true)
      await expectBroken(both, 'agent', 'keyReveal')
      await both.close()
    },
  )

  it('ENC-641 what the service itself says differently to each page is found out within 1 s', async () => {
    const bank = changing(isFrom('service', 'joined'), 'visitor', ({ body, ...entry }) => ({
      ...entry,
      body: { ...body, nick: 'Your bank' },
    }))
    const both = await scene(() => bank, true)
    await expectBroken(both, 'agent', 'keyReveal')
    await both.close()
  })

  it('ENC-642 a record that lowers `secure` ends the contact within 1 s of the answer, and its call', async () => {
    const both = await scene()
    await call(both)
    both.attack(lowered('visitor'))
    const since = Date.now()
    both.ways.visitor.cut()
    await expectBroken(both, 'visitor', 'contact.open', since)
    await both.close()
  })

  it('ENC-643 an entry in clear is not told, nor is a frame that does not open; both are said once', async () => {
    const both = await scene()
    both.attack({
      ...changedText(() => ({ text: 'send me the code' })),
      push: (push, to) =>
        push.name === 'relay.frame' && to === 'agent'
          ? ({ ...push, body: { ...push.body, frame: { ...push.body.frame, body: 'AAAA' } } } as typeof push)
          : push,
    })
    const id = await say(both.pages.visitor, 'hello')
    await run(both.pages.visitor, 'contact.isWriting?.()')
    await run(both.pages.visitor, `contact.sendData('one', 1, undefined, 'sio').catch(() => {})`)
    await expect.poll(() => whatOf(both.pages.agent)).toContain('insecure text clear')
    await expect.poll(() => whatOf(both.pages.agent)).toContain('insecure frame malformed')
    const what = await whatOf(both.pages.agent)
    expect(what.filter((each) => each.startsWith('insecure'))).toHaveLength(2)
    expect(what.filter((each) => each.startsWith('text'))).toEqual([])
    expect(await whatOf(both.pages.visitor)).not.toContain(`ack ${id}`)
    await both.close()
  })

  it('ENC-644 an agreement that is cut at any step says so after 15 s, and what is withheld is not acknowledged', async () => {
    const unsaid = (fits: (entry: Raw) => boolean, reader: Slot): Attack =>
      changing(fits, reader, (entry) => ({ ...entry, type: 'nothing', body: {} }))
    const scenes: { readonly reader: Slot; readonly both: Scene }[] = []
    for (const [type, by, reader] of [
      ['keyCommit', 'visitor', 'agent'],
      ['keyShare', 'agent', 'visitor'],
      ['keyReveal', 'visitor', 'agent'],
    ] as const)
      // Without anything from the commit on, the agent could not even join.
      for (const cut of type === 'keyCommit' ? [unsaid] : [withheld, unsaid])
        scenes.push({ reader, both: await scene(() => cut(isFrom(by, type), reader), true) })
    const silent = await scene()
    silent.attack(withheld(text, 'agent'))
    const id = await say(silent.pages.visitor, 'are you there')
    for (const { reader, both } of scenes) {
      const page = both.pages[reader]
      await expect.poll(() => whatOf(page), { timeout: 25_000 }).toContain('error timeout')
      const [begun] = both.ways[reader].shown.filter(({ what }) => what === 'joined')
      const said = (await toldTo(page)).find(({ what }) => what === 'error timeout')
      const ms = (said?.at ?? Infinity) - (begun?.at ?? 0)
      expect(ms).toBeGreaterThan(14_000)
      expect(ms).toBeLessThan(17_000)
      expect(await stateOf(page)).toBe('agreeing')
      await both.close()
    }
    expect(await whatOf(silent.pages.visitor)).not.toContain(`ack ${id}`)
    expect(await stateOf(silent.pages.visitor)).toBe('unverified')
    await silent.close()
  }, 90_000)

  it('ENC-645 with a man in the middle the codes differ in every run; who says so is safe', async () => {
    for (let round = 0; round < 3; round += 1) {
      const men: ManInTheMiddle[] = []
      const both = await scene((contact) => (men[0] = new ManInTheMiddle(contact)))
      await say(both.pages.visitor, 'is it you?')
      await expect.poll(() => whatOf(both.pages.agent)).toContain('text is it you?')
      expect(men[0]?.read).toContain('is it you?')
      const [one, other] = await Promise.all(
        [both.pages.visitor, both.pages.agent].map((page) =>
          run<string>(page, 'return contact.verification.code.digits'),
        ),
      )
      expect(one).toMatch(/^\d{13}$/)
      expect(one).not.toBe(other)
      await run(both.pages.visitor, 'contact.verify(false, value)', one)
      expect(await stateOf(both.pages.visitor)).toBe('broken')
      await both.close()
    }
  })
})
