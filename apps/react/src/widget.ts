import { createComponent } from '@lit/react'
import type { EventName } from '@lit/react'
import * as React from 'react'
import type { CSSProperties, FunctionComponent, RefAttributes } from 'react'
import { DuologWidget as Element } from 'duolog/widget'
import type { DuologWidgetElement, WidgetEventMap, WidgetSettings } from 'duolog/widget'

/** What the component takes: the settings of the element, and its events. */
export interface DuologWidgetProps extends WidgetSettings, RefAttributes<DuologWidgetElement> {
  readonly id?: string
  readonly className?: string
  readonly style?: CSSProperties
  /** The panel was opened. */
  readonly onOpen?: (event: WidgetEventMap['duolog-open']) => void
  /** The panel was closed; the contact goes on. */
  readonly onClose?: (event: WidgetEventMap['duolog-close']) => void
  /** A message was stored, of either party. */
  readonly onMessage?: (event: WidgetEventMap['duolog-message']) => void
  /** The contact is over for the visitor. */
  readonly onEnd?: (event: WidgetEventMap['duolog-end']) => void
}

/** `<duolog-widget>` as a component. */
export const DuologWidget: FunctionComponent<DuologWidgetProps> = createComponent({
  react: React,
  tagName: 'duolog-widget',
  elementClass: Element,
  events: {
    onOpen: 'duolog-open' as EventName<WidgetEventMap['duolog-open']>,
    onClose: 'duolog-close' as EventName<WidgetEventMap['duolog-close']>,
    onMessage: 'duolog-message' as EventName<WidgetEventMap['duolog-message']>,
    onEnd: 'duolog-end' as EventName<WidgetEventMap['duolog-end']>,
  },
}) as FunctionComponent<DuologWidgetProps>
