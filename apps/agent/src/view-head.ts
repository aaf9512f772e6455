import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'

interface ViewHead {
  readonly title: string
  readonly words: DeskWords
  /** Stands beside the title. */
  readonly beside?: TemplateResult | typeof nothing
}

/** The head of what is shown in place of a conversation; its button closes it, by `view-closed` of the element. */
export const viewHead = (
  element: EventTarget,
  { title, words: { words }, beside = nothing }: ViewHead,
): TemplateResult =>
  html`<div class="head">
    <button
      class="icon flips"
      data-testid="view-back"
      aria-label=${words.t('back')}
      title=${words.t('back')}
      @click=${() => element.dispatchEvent(new Event('view-closed'))}
    >
      ${icons.back}
    </button>
    <h2 id="heading" tabindex="-1">${title}</h2>
    ${beside}
  </div>`
