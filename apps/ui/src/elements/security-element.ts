import { LitElement, css, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import { icons } from '../icons.ts'
import type { MessageKey } from '../messages/en.ts'
import { ObserverController } from '../observable.ts'
import type { Verification } from '../sdk.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { CompareElement } from './compare-element.ts'
import { define } from './define.ts'

/** Words and shape of the badge: nobody needs to see its colour. */
const BADGES: Readonly<
  Record<Verification['state'], { readonly text: MessageKey; readonly icon: TemplateResult }>
> = {
  agreeing: { text: 'secAgreeing', icon: icons.clock },
  unverified: { text: 'secUnverified', icon: icons.lock },
  verified: { text: 'secVerified', icon: icons.shield },
  changed: { text: 'secChanged', icon: icons.alert },
  broken: { text: 'secBroken', icon: icons.stop },
}

/** The badge of a secure contact, which opens the dialog to compare keys. Nothing in other contacts. */
class SecurityElement extends LitElement {
  static override properties = { session: { attribute: false }, words: { attribute: false } }
  static override styles = [
    base,
    css`
      button.badge {
        min-block-size: 24px;
        padding: 1px 10px 1px 6px;
        gap: 4px;
        font-size: 12px;
        line-height: 1.3;
        text-align: start;
        max-inline-size: 100%;
      }
      button.badge svg {
        inline-size: 16px;
        block-size: 16px;
        flex: none;
      }
      [data-state='verified'] {
        background: var(--p-accent-soft);
        color: var(--p-on-accent-soft);
      }
      [data-state='changed'] {
        background: var(--p-note-soft);
        color: var(--p-on-note-soft);
      }
      [data-state='broken'] {
        background: var(--p-danger-soft);
        color: var(--p-on-danger-soft);
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  readonly #watching = new ObserverController(this)

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) this.#watching.watch(this.session)
  }

  override render(): TemplateResult | typeof nothing {
    const { session, words } = this
    const verification = session?.state.verification
    if (!session || !words || !verification) return nothing
    const { text, icon } = BADGES[verification.state]
    return html`
      <div role="status">
        <button
          class="badge"
          data-testid="security"
          data-state=${verification.state}
          aria-haspopup="dialog"
          @click=${() => this.#compare()}
        >
          ${icon}<span>${words.t(text)}</span>
        </button>
      </div>
      <duolog-compare .session=${session} .words=${words}></duolog-compare>
    `
  }

  #compare(): void {
    const dialog = this.renderRoot.querySelector('duolog-compare')
    if (dialog instanceof CompareElement) dialog.open()
  }
}

define('duolog-security', SecurityElement)
