/**
 * How one state of a page looks and reads: axe-core, the names in Chromium's accessibility tree, contrast in the dark,
 * text fields that a phone does not zoom into, and what can be reached when it is zoomed.
 * With `DUOLOG_SHOTS=path` also pictures in each way in which people look at it.
 */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const SHOTS = process.env['DUOLOG_SHOTS']
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What colours can change. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
/** A window of 1280 × 800 (CSS pixels) at 200 and at 400 %. */
const ZOOMED = [
  ['200', 640, 400],
  ['400', 320, 256],
] as const

/** What axe finds by the rules, and on which elements. */
export async function audit(page: Page, rules: readonly string[] = RULES): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate<string[]>(
    `axe.run({ exclude: [['.skip']] }, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.flat().join(' ')).join(', ')))`,
  )
}

/** Controls within `root` that cannot be scrolled into view and clicked there, and whether the page is too wide. */
const unreachable = (root: string): readonly string[] => {
  const all = (node: ParentNode): Element[] =>
    [...node.querySelectorAll('*')].flatMap((each) => [
      each,
      ...(each.shadowRoot ? all(each.shadowRoot) : []),
    ])
  const host = document.querySelector(root)
  const inside = host ? all(host.shadowRoot ?? host) : []
  const dialog = inside.findLast((each) => each.matches('dialog[open]'))
  const within = dialog ? all(dialog) : inside
  const at = (x: number, y: number): Element | null => {
    let found = document.elementFromPoint(x, y)
    for (;;) {
      const inner = found?.shadowRoot?.elementFromPoint(x, y)
      if (!inner || inner === found) return found
      found = inner
    }
  }
  const missing = within.filter((each) => {
    if (!each.matches('button, a[href], input:not([type=file]), textarea, select, [role=radio]')) return false
    if (!each.checkVisibility({ visibilityProperty: true }) || each.closest('[inert]')) return false
    each.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    const { left, top, width, height } = each.getBoundingClientRect()
    if (width * height <= 1) return false
    const hit = at(left + width / 2, top + height / 2)
    // What a popup covers can be reached when it is closed.
    if (hit?.closest('[role=listbox]')) return false
    return !hit || !(each === hit || each.contains(hit) || hit.closest('label')?.contains(each))
  })
  const { scrollWidth, clientWidth } = document.documentElement
  return [
    ...missing.map((each) => each.getAttribute('data-testid') ?? each.outerHTML.slice(0, 80)),
    ...(scrollWidth > clientWidth ? [`${scrollWidth} px wide`] : []),
  ]
}

/** What a screen reader says by its name, by roles of Chromium's accessibility tree. */
const NAMED = new Set(
  'button link textbox searchbox checkbox switch radio combobox listbox slider dialog alertdialog group region log'.split(
    ' ',
  ),
)

/** What Chromium gives to a screen reader without a name, and whether it has more than one banner or first heading. */
async function unnamed(page: Page): Promise<readonly string[]> {
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  await devtools.detach()
  const told = nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? '').trim(),
      level: properties.find((each) => each.name === 'level')?.value.value,
    }))
  const banners = told.filter(({ role }) => role === 'banner')
  const headings = told.filter(({ role, level }) => role === 'heading' && level === 1)
  return [
    ...told
      .filter(({ role, name }) => NAMED.has(role) && name === '')
      .map(({ role }) => `${role} without a name`),
    ...(banners.length > 1 ? [`${banners.length} banners`] : []),
    ...(headings.length > 1 ? [`${headings.length} first headings`] : []),
  ]
}

/** Fields for letters whose letters are so small that a phone zooms in when they get the focus. */
const smallFields = (): readonly string[] => {
  const all = (node: ParentNode): Element[] =>
    [...node.querySelectorAll('*')].flatMap((each) => [
      each,
      ...(each.shadowRoot ? all(each.shadowRoot) : []),
    ])
  return all(document)
    .filter((each) =>
      each.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=file], [type=range])'),
    )
    .filter((each) => each.checkVisibility() && Number.parseFloat(getComputedStyle(each).fontSize) < 16)
    .map((each) => `${each.getAttribute('data-testid') ?? each.id}: ${getComputedStyle(each).fontSize}`)
}

/** Words of the page, not of those who talk, that a narrow window breaks in two. */
const brokenWords = (root: string): readonly string[] => {
  const texts = (node: Node): Text[] => {
    if (node instanceof Text) return [node]
    if (node instanceof Element && (node.matches('[dir=auto], style') || !node.checkVisibility())) return []
    const inside = node instanceof Element && node.shadowRoot ? node.shadowRoot : node
    return [...inside.childNodes].flatMap(texts)
  }
  const host = document.querySelector(root)
  return (host ? texts(host) : []).flatMap((text) =>
    [...text.data.matchAll(/\S+/g)]
      .filter(({ 0: word }) => word.length <= 16 && !/[-–—/@]/.test(word))
      .filter(({ index, 0: word }) => {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
        return new Set(tops).size > 1
      })
      .map(([word]) => word),
  )
}

/** Shows the page from right to left, and the widget in it in Arabic; resolves with what turns it back. */
async function inArabic(page: Page): Promise<() => Promise<void>> {
  const turn = async (dir: string, lang: string): Promise<string> => {
    const was = await page.evaluate(
      ([nextDir, nextLang]) => {
        document.documentElement.dir = nextDir
        const widget = document.querySelector<HTMLElement>('duolog-widget')
        const before = widget?.lang ?? ''
        if (widget?.shadowRoot) widget.lang = nextLang
        return before
      },
      [dir, lang] as const,
    )
    const shown = page.locator('duolog-widget [lang]').first()
    if (lang && (await shown.count()))
      await page.locator(`duolog-widget [lang="${lang}"]`).first().waitFor({ state: 'attached' })
    return was
  }
  const was = await turn('rtl', 'ar')
  return async () => void (await turn('ltr', was))
}

/** Each way of looking that is a matter of the page's media or direction. */
async function pictures(page: Page, name: string): Promise<void> {
  const shoot = async (way: string): Promise<void> =>
    void (await page.screenshot({ path: `${SHOTS}-${name}-${way}.png`, animations: 'disabled' }))
  await shoot('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot('dark')
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  await shoot('forced')
  await page.emulateMedia({ forcedColors: 'none' })
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await shoot('mobile')
  if (size) await page.setViewportSize(size)
  const turnBack = await inArabic(page)
  await shoot('rtl')
  await turnBack()
}

/**
 * Looks at a state of a page. `root`: the element that is ours; what stands around it is the site's.
 */
export async function look(page: Page, name: string, root = 'duolog-widget, duolog-console'): Promise<void> {
  expect.soft([name, await audit(page)]).toEqual([name, []])
  expect.soft([name, await unnamed(page)]).toEqual([name, []])
  expect.soft([name, await page.evaluate(smallFields)]).toEqual([name, []])
  // Colours that come slowly are not looked at on their way.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  expect.soft([name, 'dark', await audit(page, COLOUR_RULES)]).toEqual([name, 'dark', []])
  await page.emulateMedia({ colorScheme: 'light' })
  if (SHOTS) await pictures(page, name)
  const size = page.viewportSize()
  for (const [way, width, height] of ZOOMED) {
    await page.setViewportSize({ width, height })
    expect.soft([name, way, await page.evaluate(unreachable, root)]).toEqual([name, way, []])
    expect.soft([name, way, await page.evaluate(brokenWords, root)]).toEqual([name, way, []])
    if (SHOTS) await page.screenshot({ path: `${SHOTS}-${name}-${way}.png`, animations: 'disabled' })
  }
  if (size) await page.setViewportSize(size)
}
