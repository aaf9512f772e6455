/** A page as somebody uses it who has a keyboard and nothing else. */
import type { Page } from 'playwright-core'

/** What has the focus. */
export interface Focused {
  /** Its `data-testid`; empty for what is none of ours. */
  readonly id: string
  /** The ring around it can be seen, and so can it. */
  readonly isVisible: boolean
}

export const focusOf = (page: Page): Promise<Focused> =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    if (!(element instanceof HTMLElement)) return { id: '', isVisible: false }
    const { outlineStyle, outlineWidth, outlineColor, visibility, opacity } = getComputedStyle(element)
    const { left, top, width, height } = element.getBoundingClientRect()
    const inView =
      width > 0 &&
      height > 0 &&
      left < innerWidth &&
      top < innerHeight &&
      left + width > 0 &&
      top + height > 0
    const ring = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !outlineColor.endsWith(', 0)')
    return {
      id: element.dataset['testid'] ?? '',
      isVisible: ring && inView && visibility === 'visible' && Number(opacity) > 0,
    }
  })

/**
 * Presses Tab until a control has the focus. Gives what was passed on the way, in order; fails where a focus
 * cannot be seen.
 */
export async function tabTo(page: Page, id: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<string[]> {
  const passed: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key)
    const focused = await focusOf(page)
    passed.push(focused.id)
    if (focused.id !== '' && !focused.isVisible)
      throw new Error(`the focus on ${focused.id} cannot be seen; before: ${passed.join(' ')}`)
    if (focused.id === id) return passed
  }
  throw new Error(`${id} is not reached: ${passed.join(' ')}`)
}
