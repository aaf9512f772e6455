import { LitElement, html } from 'lit'
import type { TemplateResult } from 'lit'
import { base, dialogStyle } from '../styles.ts'
import { define } from './define.ts'
import { valueOf } from './submitted.ts'

/**
 * A question before something that cannot be undone. The browser keeps the focus inside and gives it back.
 */
export class ConfirmElement extends LitElement {
  static override properties = { heading: {}, text: {}, yes: {}, no: {} }
  static override styles = [base, dialogStyle]

  declare heading: string
  declare text: string
  declare yes: string
  declare no: string

  constructor() {
    super()
    this.heading = ''
    this.text = ''
    this.yes = ''
    this.no = ''
  }

  /** Asks. Fires `confirmed` if the answer is yes. */
  ask(): void {
    this.#dialog()?.showModal()
  }

  override render(): TemplateResult {
    return html`
      <dialog
        aria-labelledby="heading"
        aria-describedby="text"
        @keydown=${(event: Event) => event.stopPropagation()}
      >
        <form method="dialog" @submit=${this.#answered}>
          <h2 id="heading" dir="auto">${this.heading}</h2>
          <p id="text">${this.text}</p>
          <div class="buttons">
            <button value="no" data-testid="confirm-no" autofocus>${this.no}</button>
            <button class="danger" value="yes" data-testid="confirm-yes">${this.yes}</button>
          </div>
        </form>
      </dialog>
    `
  }

  /** The event `close` comes with the next frame, which a page that is hidden or closed never has. */
  readonly #answered = (event: SubmitEvent): void => {
    event.preventDefault()
    this.#dialog()?.close()
    if (valueOf(event) === 'yes') this.dispatchEvent(new Event('confirmed'))
  }

  #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }
}

define('duolog-confirm', ConfirmElement)
