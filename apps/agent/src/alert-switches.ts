import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { icons } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import type { AlertSettings } from './alert-settings.ts'

/** The agent's switches for sound and notifications, and why the browser shows none. */
export function alertSwitches(settings: AlertSettings, desk: DeskWords): TemplateResult {
  const { hasSound, hasNotices, refusal } = settings
  return html`<div class="tools" role="group" aria-label=${desk.t('alerts')}>
    ${switchFor('alert-sound', {
      isOn: hasSound,
      icon: icons.sound,
      text: desk.t('alertSound'),
      onClick: () => settings.setSound(!hasSound),
    })}
    ${switchFor('alert-notices', {
      isOn: hasNotices,
      icon: icons.bell,
      text: desk.t('alertNotices'),
      onClick: () => void settings.setNotices(!hasNotices),
    })}
    <div role="alert">
      ${
        refusal === null
          ? nothing
          : html`<p class="note" data-testid="alert-refusal" data-refusal=${refusal}>
              <span>${desk.t(refusal === 'denied' ? 'alertsDenied' : 'alertsNone')}</span>
            </p>`
      }
    </div>
  </div>`
}

interface Switch {
  readonly isOn: boolean
  readonly icon: TemplateResult
  readonly text: string
  readonly onClick: () => void
}

const switchFor = (id: string, { isOn, icon, text, onClick }: Switch): TemplateResult =>
  html`<button class="tool" role="switch" aria-checked=${String(isOn)} data-testid=${id} @click=${onClick}>
    ${icon}<span class="label">${text}</span
    ><span class="track" aria-hidden="true"><span class="thumb"></span></span>
  </button>`
