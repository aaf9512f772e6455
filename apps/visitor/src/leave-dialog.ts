import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { ConfirmElement, waitsForLater } from '../../ui/src/index.ts'
import type { Conversation, Words } from '../../ui/src/index.ts'

/** Asks whether the contact is to end. */
interface Leaving {
  readonly state: Conversation | undefined
  readonly leave: () => void
}

export function askToLeave(root: ParentNode): void {
  const confirm = root.querySelector('duolog-confirm')
  if (confirm instanceof ConfirmElement) confirm.ask()
}

export const leaveDialog = (words: Words, { state, leave }: Leaving): TemplateResult =>
  html`<duolog-confirm
    dir=${words.dir === 'rtl' ? 'rtl' : nothing}
    .heading=${words.t('leaveTitle')}
    .text=${words.t(state && waitsForLater(state) ? 'leaveLaterText' : 'leaveText')}
    .yes=${words.t('leave')}
    .no=${words.t('stay')}
    @confirmed=${leave}
  ></duolog-confirm>`
