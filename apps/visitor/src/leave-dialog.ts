import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { Words } from '../../ui/src/index.ts'

/** Asks whether the contact is to end. */
export const leaveDialog = (words: Words, leave: () => void): TemplateResult =>
  html`<duolog-confirm
    dir=${words.dir === 'rtl' ? 'rtl' : nothing}
    .heading=${words.t('leaveTitle')}
    .text=${words.t('leaveText')}
    .yes=${words.t('leave')}
    .no=${words.t('stay')}
    @confirmed=${leave}
  ></duolog-confirm>`
