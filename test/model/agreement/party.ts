/** One party of a secure contact: its pages, each with a log of its own, and what they tell each other. */
import type { OpenTabs } from '../../../sdk/client/page-tabs.ts'
import type { Draft, Slot } from '../../../protocol/index.ts'
import type { Production } from './load.ts'
import { CONTACTS, Page } from './page.ts'
import type { PageOptions } from './page.ts'
import { Randomness, drawing } from './symbols.ts'

export interface PartyOptions {
  readonly production: Production
  readonly slot: Slot
  /** The organisation signs the agent's keys, and visitors ask for that. */
  readonly isSigned: boolean
}

/** What happens to a party, but for what its pages read. */
export type Happening = 'accepted' | 'compared' | 'opened' | 'reload' | 'returned' | 'transferred'

interface Listener {
  readonly name: string
  readonly hear: (message: unknown) => void
}

/** A party in one moment of a run. */
export class Party {
  readonly slot: Slot
  readonly written: Draft[] = []
  /** The newest is the last: it holds the slot as soon as the log says so. */
  readonly pages: Page[] = []
  readonly #options: PartyOptions
  readonly #random: Randomness
  readonly #listeners = new Set<Listener>()
  /** What tabs have told and others have not heard. */
  readonly #told: { readonly from: Listener; readonly message: unknown }[] = []
  #sessions = 0

  constructor(options: PartyOptions) {
    this.#options = options
    this.slot = options.slot
    this.#random = new Randomness(options.slot)
    this.#opened(CONTACTS[0], false)
  }

  get front(): Page {
    return this.pages.at(-1) as Page
  }

  /** Secrets of its key pairs, by their public keys, the oldest first. */
  get pairs(): ReadonlyMap<string, string> {
    return this.#random.pairs
  }

  /** @param tab the page to which it happens, where several could be meant */
  async happen(happening: Happening, tab?: number): Promise<void> {
    const page = this.pages[tab ?? this.pages.length - 1] as Page
    if (happening === 'reload') page.reload()
    else if (happening === 'compared') page.compared()
    else if (happening === 'accepted') page.accepted()
    else if (happening === 'opened') this.#opened(page.contact, true, { log: [...page.entries] })
    else this.#transferred(happening)
    await this.settled()
  }

  /** What it writes without anybody having done anything. Tabs hear each other, and nobody else answers them. */
  async settled(): Promise<this> {
    this.#send()
    this.#heard()
    for (const page of this.pages) page.limitIsOver()
    this.#heard()
    this.#send()
    if (!this.#options.isSigned || this.slot !== 'agent') return this
    // The organisation has signed.
    await new Promise((settle) => setImmediate(settle))
    this.#send()
    return this
  }

  #send(): void {
    for (const page of this.pages) page.send()
  }

  /** The visitor goes on; another agent comes, or the same one in the same tab. */
  #transferred(happening: 'returned' | 'transferred'): void {
    if (this.slot === 'visitor') return this.pages.forEach((page) => page.transfer(CONTACTS[1]))
    const { store } = this.front
    for (const page of this.pages.splice(0)) page.end(true)
    if (happening === 'transferred') this.#opened(CONTACTS[1], false)
    else this.#opened(CONTACTS[1], true, { store, before: CONTACTS[0] })
  }

  #opened(
    contact: string,
    isResumed: boolean,
    tab: Pick<Partial<PageOptions>, 'before' | 'log' | 'store'> = {},
  ): void {
    const store = new Map<string, string>()
    this.pages.push(
      new Page({
        ...{ store, ...tab, ...this.#options, contact, isResumed },
        ...{ random: this.#random, written: this.written },
        newSession: () => `${this.slot}-${this.#sessions++}`,
        openTabs: this.#openTabs,
      }),
    )
  }

  readonly #openTabs: OpenTabs = (name, hear) => {
    const listener = { name, hear }
    this.#listeners.add(listener)
    return {
      post: (message) => void this.#told.push({ from: listener, message: structuredClone(message) }),
      close: () => void this.#listeners.delete(listener),
    }
  }

  #heard(): void {
    for (const { from, message } of this.#told.splice(0)) this.#pass(from, message)
    if (this.#told.length > 0) this.#heard()
  }

  #pass(from: Listener, message: unknown): void {
    for (const other of this.#listeners)
      if (other !== from && other.name === from.name) drawing(this.#random, () => other.hear(message))
  }
}
