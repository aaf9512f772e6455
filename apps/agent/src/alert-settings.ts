/** Which alerts an agent wants: kept by this browser under their id. */
import { Changes, askToNotify, noticePermission } from '../../ui/src/index.ts'
import type { NoticePermission, Observable } from '../../ui/src/index.ts'

type Store = Pick<Storage, 'getItem' | 'setItem'>

/** What the browser says of notifications, and how it is asked. */
export interface Permission {
  readonly now: () => NoticePermission
  /** Called inside a click. */
  readonly ask: () => Promise<NoticePermission>
}

interface Wanted {
  readonly hasSound: boolean
  readonly hasNotices: boolean
}

/** Sound is on, and notifications are off, until the agent says otherwise. */
const STANDARD: Wanted = { hasSound: true, hasNotices: false }
const BROWSER: Permission = { now: noticePermission, ask: askToNotify }

/** A switch for the sound and one for notifications. Where storage is blocked, they last as long as the page. */
export class AlertSettings implements Observable {
  readonly #store: () => Store
  readonly #permission: Permission
  readonly #changes = new Changes()
  readonly subscribe: Observable['subscribe'] = (listener) => this.#changes.subscribe(listener)
  #agent: string | null = null
  #wanted = STANDARD
  /** The agent wants notifications, and the browser has not taken it. */
  #wasRefused = false

  constructor(store: () => Store = () => localStorage, permission = BROWSER) {
    this.#store = store
    this.#permission = permission
  }

  get hasSound(): boolean {
    return this.#wanted.hasSound
  }
  /** Wanted, and allowed by the browser. */
  get hasNotices(): boolean {
    return this.#wanted.hasNotices && this.#permission.now() === 'granted'
  }
  /** Why there are no notifications though the agent wants them. */
  get refusal(): 'denied' | 'none' | null {
    const now = this.#permission.now()
    const isWanted = this.#wasRefused || this.#wanted.hasNotices
    return isWanted && (now === 'denied' || now === 'none') ? now : null
  }

  /** Takes up what an agent wants; null: nobody is signed in. */
  use(agent: string | null): void {
    if (agent === this.#agent) return
    this.#agent = agent
    this.#wasRefused = false
    this.#wanted = agent === null ? STANDARD : this.#kept(agent)
  }

  setSound(hasSound: boolean): void {
    this.#is({ ...this.#wanted, hasSound })
  }

  /** Asks the browser where it has not decided yet. Called inside a click. */
  async setNotices(hasNotices: boolean): Promise<void> {
    const agent = this.#agent
    const answer = hasNotices ? await this.#permission.ask() : null
    if (agent !== this.#agent) return
    this.#wasRefused = hasNotices && answer !== 'granted'
    this.#is({ ...this.#wanted, hasNotices: answer === 'granted' })
  }

  #is(wanted: Wanted): void {
    this.#wanted = wanted
    try {
      if (this.#agent !== null) this.#store().setItem(keyOf(this.#agent), JSON.stringify(wanted))
    } catch {
      // Storage is blocked or full: the next page begins as standard.
    }
    this.#changes.announce()
  }

  #kept(agent: string): Wanted {
    try {
      const found: unknown = JSON.parse(this.#store().getItem(keyOf(agent)) ?? '{}')
      const { hasSound, hasNotices } = Object(found) as { readonly [name in keyof Wanted]?: unknown }
      return { hasSound: hasSound !== false, hasNotices: hasNotices === true }
    } catch {
      return STANDARD
    }
  }
}

const keyOf = (agent: string): string => `duolog-agent-alerts:${agent}`
