/**
 * The widget as a component, and hooks for a chat of one's own.
 *
 * @module duolog/react
 */
export { useContact, useMedia, useMessages } from './hooks.ts'
export type { UsedContact, UsedMedia, UsedMessages } from './hooks.ts'
export type { ContactPhase, ContactSnapshot } from './contact-store.ts'
export type { MediaSnapshot } from './media-store.ts'
export type { Message } from './messages-store.ts'
export { DuologWidget } from './widget.ts'
export type { DuologWidgetProps } from './widget.ts'
