import { attempt } from './attempt.ts'

/** What connects the pages of one origin in this browser. */
export interface PageChannel {
  readonly send: (message: unknown) => void
  readonly close: () => void
}

/**
 * The channel of a name. Where the browser blocks storage it may have none (Firefox throws `SecurityError`):
 * this page hears nothing then, and no other page hears of it.
 */
export function pageChannel(name: string, onMessage: (message: unknown) => void): PageChannel {
  const channel = attempt(() => new BroadcastChannel(name), null)
  channel?.addEventListener('message', ({ data }) => onMessage(data))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows
  const send = (message: unknown): void => channel?.postMessage(message)
  return { send, close: () => channel?.close() }
}
