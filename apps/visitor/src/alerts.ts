/**
 * What calls a visitor back who looks elsewhere: the title of the page, a badge, a sound, a notification where the
 * visitor has allowed one.
 */
const COUNT = /^\(\d+\) /

/** The page, as far as alerts need it. */
export interface AlertWorld {
  title: string
  readonly isHidden: () => boolean
  readonly badge: (count: number) => void
  /** Plays a short tone, or does nothing before the first gesture. */
  readonly sound: () => void
  readonly notify: (text: string) => void
}

export interface News {
  readonly unread: number
  /** The unread messages in words. */
  readonly messages: string
  /** A call that rings, in words; empty where none does. */
  readonly call: string
  readonly hasSound: boolean
}

/** Tells of what is new, each of it once. */
export class Alerts {
  readonly #world: AlertWorld
  #unread = 0
  #call = ''

  constructor(world: AlertWorld) {
    this.#world = world
  }

  tell({ unread, messages, call, hasSound }: News): void {
    const isCalled = call !== '' && call !== this.#call
    const isMore = unread > this.#unread || isCalled
    if (unread !== this.#unread) this.#count(unread)
    this.#unread = unread
    this.#call = call
    if (!isMore) return
    if (hasSound) this.#world.sound()
    if (this.#world.isHidden()) this.#world.notify(isCalled ? call : messages)
  }

  #count(unread: number): void {
    const title = this.#world.title.replace(COUNT, '')
    this.#world.title = unread > 0 ? `(${unread}) ${title}` : title
    this.#world.badge(unread)
  }
}
