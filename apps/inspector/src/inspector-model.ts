import type { Slot } from 'duolog'
import { Changes } from '../../ui/src/index.ts'
import type { Observable } from '../../ui/src/index.ts'
import { Demo } from './demo.ts'
import { watchPages } from './recorder.ts'
import { fromFile, isStep, toFile } from './recording.ts'
import type { Step } from './recording.ts'
import { contactsOf, momentOf, stepsOf } from './timeline.ts'
import type { Moment } from './timeline.ts'

export type Source = 'demo' | 'live' | 'file'

const MOST_STEPS = 20_000
/** Between two steps while they are played one after the other. */
const PACE_MS = 220
/** Further behind, several steps are shown at once. */
const MOST_BEHIND = 40

/**
 * Everything that the inspector shows: the steps of three sources, and a moment among those of one contact.
 */
export class InspectorModel implements Observable {
  readonly #changes = new Changes()
  readonly #steps: Record<Source, Step[]> = { demo: [], live: [], file: [] }
  readonly #known = new Set<string>()
  #source: Source = 'demo'
  #chosen: string | null = null
  #cursor = 0
  #isFollowing = true
  #isPaced = !matchMedia('(prefers-reduced-motion: reduce)').matches
  #timer: ReturnType<typeof setTimeout> | null = null
  #shown: readonly Step[] = []
  #demo: Demo | null = null
  #failure = ''
  #isScheduled = false

  constructor() {
    watchPages((steps) => this.#add('live', Array.isArray(steps) ? steps.filter(isStep) : []))
    void this.restartDemo()
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  get source(): Source {
    return this.#source
  }
  get demo(): Demo | null {
    return this.#demo
  }
  /** Steps of the contact that is shown. */
  get steps(): readonly Step[] {
    return this.#shown
  }
  get contacts(): readonly string[] {
    return contactsOf(this.#steps[this.#source])
  }
  get contact(): string | null {
    return this.#chosen !== null && this.contacts.includes(this.#chosen)
      ? this.#chosen
      : (this.contacts[0] ?? null)
  }
  /** Number of steps that the moment includes. */
  get cursor(): number {
    return this.#cursor
  }
  get isFollowing(): boolean {
    return this.#isFollowing
  }
  get isPaced(): boolean {
    return this.#isPaced
  }
  get failure(): string {
    return this.#failure
  }
  get moment(): Moment {
    return momentOf(this.#shown, this.#cursor, this.contact)
  }

  countOf = (slot: Slot): number => this.#shown.filter((step) => step.slot === slot).length

  show(source: Source): void {
    this.#source = source
    this.#chosen = null
    this.#failure = ''
    this.#update(true)
  }

  choose(contact: string): void {
    this.#chosen = contact
    this.#update(true)
  }

  /** Shows the moment after the first `count` steps. */
  moveTo(count: number): void {
    this.#stopPacing()
    this.#cursor = Math.max(0, Math.min(count, this.#shown.length))
    this.#isFollowing = this.#cursor === this.#shown.length
    this.#changes.announce()
  }

  /** Plays what is left, and what comes, one step after the other; or all at once. */
  pace(isPaced: boolean): void {
    this.#isPaced = isPaced
    this.follow()
  }

  follow(): void {
    this.#isFollowing = true
    this.#update(false)
  }

  /** Plays from the moment that is shown, or from the start. */
  play(): void {
    if (this.#cursor >= this.#shown.length) this.#cursor = 0
    this.#isFollowing = true
    this.#playOn()
  }

  pause(): void {
    this.moveTo(this.#cursor)
    this.#isFollowing = false
    this.#changes.announce()
  }

  async restartDemo(): Promise<void> {
    this.#steps.demo = []
    this.#demo = null
    this.#demo = await Demo.start((step) => this.#add('demo', [step]))
    this.#demo.subscribe(() => this.#changes.announce())
    this.#cursor = this.#shown.length
    this.#update(true)
  }

  clear(): void {
    this.#steps[this.#source] = []
    this.#update(true)
  }

  save = (): string => toFile(this.#steps[this.#source])

  load(text: string): void {
    this.#source = 'file'
    this.#chosen = null
    try {
      this.#steps.file = [...fromFile(text)]
      this.#failure = ''
    } catch (thrown) {
      this.#failure = `Unable to load the recording; ${
        thrown instanceof Error ? thrown.message : String(thrown)
      }.`
    }
    this.#update(true)
  }

  #add(source: Source, steps: readonly Step[]): void {
    const fresh = steps.filter(({ page, number }) => !this.#known.has(`${page} ${number}`))
    for (const { page, number } of fresh) this.#known.add(`${page} ${number}`)
    const all = this.#steps[source]
    const isLate = fresh.some(({ at }) => at < (all.at(-1)?.at ?? 0))
    all.push(...fresh)
    if (isLate) all.sort((a, b) => a.at - b.at || a.number - b.number)
    if (all.length > MOST_STEPS) all.splice(0, all.length - MOST_STEPS)
    if (source === this.#source && !this.#isScheduled) {
      this.#isScheduled = true
      queueMicrotask(() => {
        this.#isScheduled = false
        this.#update(false)
      })
    }
  }

  #update(isOther: boolean): void {
    this.#shown = stepsOf(this.#steps[this.#source], this.contact)
    if (isOther) this.#stopPacing()
    if (isOther || this.#cursor > this.#shown.length) {
      this.#cursor = this.#shown.length
      this.#isFollowing = true
    }
    if (this.#isFollowing && !this.#isPaced) this.#cursor = this.#shown.length
    if (this.#isFollowing && this.#isPaced) this.#playOn()
    this.#changes.announce()
  }

  #playOn(): void {
    if (this.#timer !== null) return
    this.#changes.announce()
    if (!this.#isFollowing || this.#cursor >= this.#shown.length) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (!this.#isFollowing) return
      const left = this.#shown.length - this.#cursor
      this.#cursor += Math.min(left, Math.ceil(left / MOST_BEHIND))
      this.#playOn()
    }, PACE_MS)
  }

  #stopPacing(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
