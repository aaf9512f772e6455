/** What a site sets on the widget: which of it are attributes, and what holds where nothing is set. */
import type { PropertyDeclarations } from 'lit'
import type { WidgetSettings } from './widget-api.ts'

export const settingProperties: PropertyDeclarations = {
  service: {},
  lang: {},
  secure: { type: Boolean },
  label: {},
  greeting: {},
  position: { reflect: true },
  theme: { reflect: true },
  hours: {},
  timeZone: { attribute: 'time-zone' },
  // Its JSON is read by `settings-check.ts`.
  fields: {},
  tags: {},
  identity: {},
  noReceipts: { type: Boolean, attribute: 'no-receipts' },
  silent: { type: Boolean },
  data: { attribute: false },
  ownWords: { attribute: false },
}

export const defaultSettings: Required<WidgetSettings> = {
  service: '',
  lang: '',
  secure: false,
  label: '',
  greeting: '',
  position: 'end',
  theme: 'auto',
  hours: '',
  timeZone: '',
  fields: [],
  tags: '',
  identity: '',
  noReceipts: false,
  silent: false,
  data: [],
  ownWords: {},
}
