/**
 * Defines the element `<duolog-widget>`.
 *
 * @module duolog/widget
 */
import type { DuologWidgetElement } from './widget-api.ts'
import { DuologWidget as Widget } from './widget.ts'

export type {
  DuologWidgetElement,
  WidgetEventMap,
  WidgetField,
  WidgetMessage,
  WidgetSettings,
  WidgetTexts,
} from './widget-api.ts'

/** The class of the element. On a server it exists and does nothing. */
export const DuologWidget: new () => DuologWidgetElement = Widget

declare global {
  interface HTMLElementTagNameMap {
    'duolog-widget': DuologWidgetElement
  }
}
