/**
 * What calls a reader back who looks elsewhere: the title of the page, a badge, a sound, a notification where the
 * reader has allowed one.
 */
const COUNT = /^\(\d+\) /

/** A notification. `id`: a later one of the same matter takes its place. */
export interface Notice {
  readonly id: string
  readonly text: string
  readonly isSilent: boolean
  /** The reader has chosen it; the page has the focus then. */
  readonly onChosen: () => void
}

/** The page, as far as alerts need it. */
export interface AlertWorld {
  title: string
  readonly badge: (count: number) => void
  /** Plays a short tone, or does nothing before the first gesture. */
  readonly sound: () => void
  /** Plays the tone again and again, or stops. */
  readonly ring: (on: boolean) => void
  readonly notify: (notice: Notice) => void
  /** Takes a notification away, where it is still shown. */
  readonly withdraw: (id: string) => void
}

/** A matter that waits for the reader: messages of a contact, an offered contact, a call. */
export interface Waiting {
  readonly id: string
  /** More than before is news, and nothing is none: that takes the notification away. */
  readonly count: number
  /** It rings for as long as it waits. */
  readonly rings: boolean
  /** What it says in a notification; empty where the reader sees it. */
  readonly text: string
  /** What it counts at first an earlier page has told of. */
  readonly isContinued?: boolean
}

export interface News {
  /** Stands in the title and the badge. */
  readonly count: number
  readonly waiting: readonly Waiting[]
  readonly hasSound: boolean
  readonly hasNotices: boolean
}

export const NO_NEWS: News = { count: 0, waiting: [], hasSound: false, hasNotices: false }

/** Tells of what is new, each of it once. */
export class Alerts {
  readonly #world: AlertWorld
  readonly #onChosen: (id: string) => void
  /** How much of each matter was told. */
  #told: ReadonlyMap<string, number> = new Map()
  readonly #notices = new Set<string>()
  #count = 0
  #isRinging = false

  /** `onChosen`: called with the matter whose notification the reader has chosen. */
  constructor(world: AlertWorld, onChosen: (id: string) => void = () => {}) {
    this.#world = world
    this.#onChosen = onChosen
  }

  tell({ count, waiting, hasSound, hasNotices }: News): void {
    const isMore = ({ id, count: n, isContinued }: Waiting): boolean =>
      n > (this.#told.get(id) ?? (isContinued ? n : 0))
    const fresh = waiting.filter(isMore)
    this.#told = new Map(waiting.map((each) => [each.id, each.count]))
    this.#ring(hasSound && waiting.some((each) => each.rings && each.count > 0))
    this.#show(count)
    if (hasSound && fresh.some(({ rings }) => !rings)) this.#world.sound()
    this.#withdrawRead()
    if (hasNotices) for (const each of fresh) this.#notify(each, !hasSound)
  }

  #notify({ id, text }: Waiting, isSilent: boolean): void {
    if (text === '') return
    this.#notices.add(id)
    this.#world.notify({ id, text, isSilent, onChosen: () => this.#onChosen(id) })
  }

  #withdrawRead(): void {
    for (const id of this.#notices)
      if (!this.#told.get(id)) {
        this.#notices.delete(id)
        this.#world.withdraw(id)
      }
  }

  #ring(on: boolean): void {
    if (on !== this.#isRinging) this.#world.ring(on)
    this.#isRinging = on
  }

  #show(count: number): void {
    if (count === this.#count) return
    this.#count = count
    const title = this.#world.title.replace(COUNT, '')
    this.#world.title = count > 0 ? `(${count}) ${title}` : title
    this.#world.badge(count)
  }
}
