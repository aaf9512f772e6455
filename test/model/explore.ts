/** Breadth-first search over worlds: the first fault found has a shortest way to it. */
import { unfinished, waiting } from './finish.ts'
import type { Budget } from './option.ts'
import { stepsOf } from './steps.ts'
import type { World } from './places.ts'
import type { Model } from './world.ts'

export interface Result {
  readonly states: number
  readonly transitions: number
  readonly pages: number
  /** The search ended because nothing new was left, not because of a bound. */
  readonly complete: boolean
  readonly fault: string | null
  /** Positions of the steps that lead to the fault, each among those of its world. */
  readonly path: readonly number[]
}

export interface Bounds {
  /** Most states. */
  readonly states: number
  /**
   * Longest outbox, and longest part of the log that somebody has yet to read: a run that goes beyond does
   * not end (I9).
   */
  readonly entries: number
  readonly onProgress?: (states: number, left: number) => void
}

export const BOUNDS: Bounds = { states: 3_000_000, entries: 24 }

/** Whatever can happen with `less` can happen with `more`, too. */
const covers = (more: Budget | undefined, less: Budget): boolean =>
  more !== undefined &&
  more.commands >= less.commands &&
  more.faults >= less.faults &&
  more.hurries >= less.hurries &&
  more.words >= less.words

/** A list of numbers that grows. */
class Numbers {
  #list = new Int32Array(1 << 16)
  length = 0

  push(value: number): void {
    if (this.length === this.#list.length) {
      const longer = new Int32Array(this.length * 2)
      longer.set(this.#list)
      this.#list = longer
    }
    this.#list[this.length++] = value
  }

  at = (index: number): number => this.#list[index] ?? -1
}

export function explore(model: Model, start: World, bounds: Bounds = BOUNDS): Result {
  const search = new Search(model, start)
  return search.run(bounds)
}

class Search {
  readonly #model: Model
  readonly #keys: string[] = []
  readonly #budgets: Budget[] = []
  /** The last state found of each situation, and the one before it with another budget. */
  readonly #seen = new Map<string, number>()
  readonly #before = new Numbers()
  readonly #from = new Numbers()
  readonly #by = new Numbers()
  /** Steps that cost nothing, as pairs of states. */
  readonly #free = new Numbers()
  readonly #knownBudgets = new Map<string, Budget>()
  #transitions = 0

  constructor(model: Model, start: World) {
    this.#model = model
    this.#note(start, -1, -1)
  }

  run({ states, entries, onProgress }: Bounds): Result {
    for (let at = 0; at < this.#keys.length; at++) {
      if (onProgress && at % 100_000 === 0 && at > 0) onProgress(this.#keys.length, this.#keys.length - at)
      const fault = this.#expand(at, entries)
      if (fault) return this.#end(fault.fault, fault.path, false)
      if (this.#keys.length > states) return this.#end(null, [], false)
    }
    const cycle = this.#model.options.forged ? null : this.#cycle()
    return cycle === null
      ? this.#end(null, [], true)
      : this.#end('I9 the exchange does not end: it comes back to where it was', cycle, false)
  }

  #expand(at: number, entries: number): { readonly fault: string; readonly path: number[] } | null {
    const { forged } = this.#model.options
    const world = this.#model.decode(this.#keys[at] ?? '', this.#budgets[at] as Budget)
    if (world.tail.length > entries || world.places.some(({ outbox }) => outbox.length > entries))
      return { fault: 'I9 the exchange does not end: more and more is written', path: this.#path(at) }
    const steps = stepsOf(this.#model, world)
    const still =
      forged || steps.some(({ progress, name }) => progress && !name.startsWith('time'))
        ? null
        : waiting(world)
    if (still) return { fault: still, path: this.#path(at) }
    if (!steps.some(({ progress }) => progress)) {
      const sink = forged
        ? world.head.visitor.phase.name === 'transiting'
          ? 'I2 a transition that nobody here agreed to never ends'
          : null
        : unfinished(this.#model, world)
      if (sink) return { fault: sink, path: this.#path(at) }
    }
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index]
      if (!step) continue
      const { world: next, fault: any } = step.take()
      const fault = any && (!forged || any.startsWith('I7')) ? any : null
      this.#transitions++
      if (fault) return { fault, path: [...this.#path(at), index] }
      const found = this.#note(next, at, index)
      if (step.cost === null) {
        this.#free.push(at)
        this.#free.push(found)
      }
    }
    return null
  }

  #note(world: World, at: number, index: number): number {
    const key = this.#model.encode(world)
    const last = this.#seen.get(key) ?? -1
    for (let known = last; known >= 0; known = this.#before.at(known))
      if (covers(this.#budgets[known], world.budget)) return known
    const found = this.#keys.length
    this.#seen.set(key, found)
    this.#before.push(last)
    this.#keys.push(key)
    this.#budgets.push(this.#sameBudget(world.budget))
    this.#from.push(at)
    this.#by.push(index)
    return found
  }

  #sameBudget(budget: Budget): Budget {
    const key = JSON.stringify(budget)
    const known = this.#knownBudgets.get(key) ?? budget
    this.#knownBudgets.set(key, known)
    return known
  }

  #path(at: number): number[] {
    const path: number[] = []
    for (let index = at; index > 0; index = this.#from.at(index)) path.unshift(this.#by.at(index))
    return path
  }

  /** I9: takes away every state that no step leads to, over and over; what is left goes round. */
  #cycle(): number[] | null {
    const count = this.#keys.length
    const [into, first, next] = [
      new Int32Array(count),
      new Int32Array(count).fill(-1),
      new Int32Array(this.#free.length / 2),
    ]
    for (let edge = 0; edge < next.length; edge++) {
      const [from, to] = [this.#free.at(edge * 2), this.#free.at(edge * 2 + 1)]
      into[to] = (into[to] ?? 0) + 1
      next[edge] = first[from] ?? -1
      first[from] = edge
    }
    const ready: number[] = []
    for (let state = 0; state < count; state++) if (into[state] === 0) ready.push(state)
    let left = count
    for (let state = ready.pop(); state !== undefined; state = ready.pop()) {
      left--
      for (let edge = first[state] ?? -1; edge >= 0; edge = next[edge] ?? -1) {
        const to = this.#free.at(edge * 2 + 1)
        into[to] = (into[to] ?? 0) - 1
        if (into[to] === 0) ready.push(to)
      }
    }
    return left === 0 ? null : this.#path(into.findIndex((degree) => degree > 0))
  }

  #end(fault: string | null, path: readonly number[], complete: boolean): Result {
    return {
      states: this.#keys.length,
      transitions: this.#transitions,
      pages: this.#model.pages.size,
      complete,
      fault,
      path,
    }
  }
}
