/** Where the focus goes in the widget: to what asks to be used next. */
import type { LitElement } from 'lit'
import { ConversationElement } from '../../ui/src/index.ts'
import { StartForm } from './start-form.ts'

/** The panel was opened before there was anything to use in it. */
export const doesFocusWait = ({ renderRoot }: LitElement): boolean =>
  renderRoot.querySelector('header button:focus') !== null

/**
 * After what the widget shows has changed. `isOpen`: the panel is. `gone`: a control that had the focus, and the
 * elements around it.
 */
export async function focusWidget(
  { renderRoot, isOpen }: LitElement & { isOpen: boolean },
  gone: readonly Element[],
): Promise<void> {
  const inside = renderRoot.querySelector('duolog-conversation, duolog-start-form')
  const after = renderRoot.querySelector<HTMLElement>('.after button')
  const earlier = renderRoot.querySelector<LitElement>('duolog-earlier')
  if (!isOpen) return renderRoot.querySelector<HTMLElement>('.launcher')?.focus()
  if (after) return after.focus()
  await earlier?.updateComplete
  if (earlier) return earlier.focus()
  if (!(inside instanceof ConversationElement) && !(inside instanceof StartForm))
    return renderRoot.querySelector<HTMLElement>('header button')?.focus()
  await inside.updateComplete
  if (inside instanceof ConversationElement) inside.focusAfter(gone)
  else inside.focus()
}
