/** What connects the tabs of a browser. */
export interface TabChannel {
  readonly post: (message: unknown) => void
  readonly close: () => void
}

/** Opens a channel of a name; null where there is none. */
export type OpenTabs = (name: string, onMessage: (message: unknown) => void) => TabChannel | null

/** Node ends though a channel is open. */
type Channel = BroadcastChannel & { readonly unref?: () => void }

/**
 * The browser's own channel between the pages of one origin; none where it blocks storage: Firefox throws
 * `SecurityError` where the user blocks cookies.
 */
export const pageTabs: OpenTabs = (name, onMessage) => {
  try {
    const channel: Channel = new BroadcastChannel(name)
    channel.unref?.()
    channel.addEventListener('message', ({ data }) => onMessage(data))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a window, which this is not
    return { post: (message) => channel.postMessage(message), close: () => channel.close() }
  } catch {
    return null
  }
}
