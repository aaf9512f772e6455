/** Keys among the tabs of a party: an older tab reads and writes under the key of the newest one. */
import type { Clock, Slot } from '../../protocol/index.ts'
import type { OpenTabs, TabChannel } from '../client/page-tabs.ts'

/** How long a page waits for what other tabs know. */
const ANSWER_LIMIT_MS = 200 // §3

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
