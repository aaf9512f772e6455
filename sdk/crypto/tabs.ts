/** Keys among the tabs of a party: an older tab reads and writes under the key of the newest one. */
import type { Clock, Slot } from '../../protocol/index.ts'

/** What connects the tabs of a browser. */
export interface TabChannel {
  readonly post: (message: unknown) => void
  readonly close: () => void
}

/** Opens a channel of a name; null where there is none. */
export type OpenTabs = (name: string, onMessage: (message: unknown) => void) => TabChannel | null

/** How long a page waits for what other tabs know. */
const ANSWER_LIMIT_MS = 200 // §3

/** The browser's own channel between the pages of one origin; none where it blocks storage. */
export const pageTabs: OpenTabs = (name, onMessage) => {
  const channel = channelOf(name)
  if (!channel) return null
  channel.addEventListener('message', ({ data }) => onMessage(data))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a window, which this is not
  const post = (message: unknown): void => channel.postMessage(message)
  return { post, close: () => channel.close() }
}

/** Firefox throws `SecurityError` where the user blocks cookies. */
function channelOf(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}

export interface TabsOptions {
  readonly service: string
  /** Pages of the other party in the same browser are not meant. */
  readonly role: Slot
  readonly clock: Clock
  readonly open: OpenTabs
  /** Keys that this tab holds. */
  readonly keys: () => readonly unknown[]
  /** Takes keys of another tab, whatever they are. */
  readonly onKeys: (keys: unknown) => void
  /** Nobody answers any more. */
  readonly onAsked: () => void
}

/** The other tabs of the party, in one contact. */
export class Tabs {
  readonly #options: TabsOptions
  #channel: TabChannel | null = null
  #asking: unknown = null

  constructor(options: TabsOptions) {
    this.#options = options
  }

  /** Whether an answer of another tab may still come. */
  get isAsking(): boolean {
    return this.#asking !== null
  }

  /** From now on the keys of this contact are shared. `asks`: another tab may have newer ones. */
  begin(contact: string, asks: boolean): void {
    this.end()
    const { service, role, open, clock } = this.#options
    this.#channel = open(`duolog:${service}:${contact}:${role}`, (message) => this.#heard(message)) // §3
    if (!asks || !this.#channel) return
    this.#asking = clock.setTimeout(() => this.#asked(), ANSWER_LIMIT_MS)
    this.#channel.post({ type: 'ask' })
  }

  /** This tab has other keys now. */
  tell = (): void => this.#channel?.post({ type: 'keys', keys: this.#options.keys() })

  end(): void {
    this.#options.clock.clearTimeout(this.#asking)
    this.#asking = null
    this.#channel?.close()
    this.#channel = null
  }

  #heard(message: unknown): void {
    const { type, keys } = Object(message) as { readonly type?: unknown; readonly keys?: unknown }
    if (type === 'ask' && this.#options.keys().length > 0) this.tell()
    if (type !== 'keys') return
    this.#options.onKeys(keys)
    if (this.isAsking) this.#asked()
  }

  #asked(): void {
    this.#options.clock.clearTimeout(this.#asking)
    this.#asking = null
    this.#options.onAsked()
  }
}
