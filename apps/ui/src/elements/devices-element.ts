import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { DeviceController } from '../device-controller.ts'
import { DEVICE_KINDS } from '../devices.ts'
import type { DeviceKind, Devices } from '../devices.ts'
import { base, dialogStyle } from '../styles.ts'
import type { MessageKey } from '../messages/en.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'

const WORDS: Readonly<Record<DeviceKind, MessageKey>> = {
  audioinput: 'microphone',
  videoinput: 'camera',
  audiooutput: 'speaker',
}

/** Microphone, camera and speaker, in a dialog. The browser keeps the focus inside and gives it back. */
export class DevicesElement extends LitElement {
  static override properties = {
    desk: { attribute: false },
    devices: { attribute: false },
    words: { attribute: false },
  }
  static override styles = [
    base,
    dialogStyle,
    css`
      label {
        display: block;
        font-size: 14px;
        margin-block-end: 12px;
      }
      select {
        display: block;
        inline-size: 100%;
        min-block-size: 44px;
        margin-block-start: 4px;
        padding: 0 10px;
        font: inherit;
        font-size: 16px;
        color: inherit;
        background: var(--p-surface);
        border: 1px solid var(--p-control);
        border-radius: 10px;
      }
    `,
  ]

  declare desk: DeviceController | undefined
  declare devices: Devices | null
  declare words: Words | undefined

  constructor() {
    super()
    this.devices = null
  }

  /** Shows the devices that there are now. */
  async open(): Promise<void> {
    await this.desk?.look()
    // The page shows what was found first: the first choice gets the focus.
    await new Promise(requestAnimationFrame)
    await this.updateComplete
    this.renderRoot.querySelector('dialog')?.showModal()
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`
      <dialog aria-labelledby="title" data-testid="devices" @keydown=${keepEscape}>
        <h2 id="title">${words.t('devices')}</h2>
        ${DEVICE_KINDS.map((kind) => this.#row(kind, words))}
        <form method="dialog">
          <button class="primary" data-testid="devices-done">${words.t('done')}</button>
        </form>
      </dialog>
    `
  }

  #row(kind: DeviceKind, words: Words): TemplateResult | typeof nothing {
    const list = this.devices?.list.filter((device) => device.kind === kind) ?? []
    const chosen = this.devices?.chosen[kind] ?? ''
    if (list.length === 0) return nothing
    const isGone = chosen !== '' && !list.some(({ deviceId }) => deviceId === chosen)
    return html`<label>
      ${words.t(WORDS[kind])}
      <select
        data-testid=${kind}
        @change=${(event: Event) => void this.desk?.choose(kind, (event.target as HTMLSelectElement).value)}
      >
        <option value="" ?selected=${chosen === ''}>${words.t('systemDevice')}</option>
        ${list.map(
          ({ deviceId, label }, index) =>
            html`<option value=${deviceId} ?selected=${deviceId === chosen}>
              ${label || `${words.t(WORDS[kind])} ${index + 1}`}
            </option>`,
        )}
        ${isGone ? html`<option value=${chosen} selected>${words.t('deviceGone')}</option>` : nothing}
      </select>
    </label>`
  }
}

/** Escape closes the dialog, and not what is behind it. */
const keepEscape = (event: KeyboardEvent): void => {
  if (event.key === 'Escape') event.stopPropagation()
}

define('duolog-devices', DevicesElement)
