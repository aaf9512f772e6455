/** A run written down: each line is `who does what`, as the checker names its steps. */
import { diagram } from './diagram.ts'
import { unfinished } from './finish.ts'
import { publicState } from './local.ts'
import * as production from './production.ts'
import { STARTS, hostile as hostileAt } from './starts.ts'
import type { Start } from './starts.ts'
import { stepsOf } from './steps.ts'
import type { Step } from './step.ts'
import { Model } from './world.ts'
import type { World } from './places.ts'

export class Play {
  readonly model: Model = new Model(production, { allows: () => true, forged: false, remembers: true })
  readonly settled: string[] = []
  readonly #path: number[] = []
  readonly #start: World
  world: World

  constructor(start: Start, hostile?: 'visitor' | 'agent') {
    const honest = STARTS[start](this.model)
    const world = hostile ? hostileAt(this.model, honest, hostile) : honest
    this.world = { ...world, budget: { commands: 9, faults: 9, hurries: 9, words: 9 } }
    this.#start = this.world
  }

  /** Takes the steps; `who …` and `…` let happen what happens by itself, without waiting for time. */
  run(...lines: readonly string[]): this {
    for (const line of lines) {
      if (!line.endsWith('…'))
        this.#take(
          this.#steps().findIndex((step) => `${step.who} ${step.name}`.startsWith(line)),
          line,
        )
      else
        for (
          let index = this.#moving(line.slice(0, -1).trim());
          index >= 0;
          index = this.#moving(line.slice(0, -1).trim())
        )
          this.#take(index, line)
    }
    return this
  }

  /** Lets time pass until nothing is left to happen; everybody must then be idle and quiet. */
  end(): this {
    for (let left = 200; left > 0; left--) {
      const index = this.#steps().findIndex(({ progress }) => progress)
      if (index < 0) break
      this.#take(index, 'time')
    }
    this.#none(unfinished(this.model, this.world))
    return this
  }

  state(session: string): string {
    const page = this.world.places.find(({ page: { local } }) => local.session === session)?.page.local
    return page ? publicState(page) : 'gone'
  }

  /** What is possible for `who` now. */
  can(line: string): boolean {
    return this.#steps().some((step) => `${step.who} ${step.name}`.startsWith(line))
  }

  get phase(): string {
    return this.world.head.visitor.phase.name
  }

  /** Voice as the visitor has it: `tx`, `rx`, `tx rx` or `off`. */
  get voice(): string {
    const { Voice } = this.world.head.visitor.media
    return [Voice?.tx ? 'tx' : '', Voice?.rx ? 'rx' : ''].filter(Boolean).join(' ') || 'off'
  }

  get holders(): string {
    const { visitor, agent } = this.world.head.visitor.session
    return `${visitor ?? 'nobody'}, ${agent ?? 'nobody'}`
  }

  #none(fault: string | null): void {
    if (fault) throw new Error(`${fault}\n${diagram(this.model, this.#start, this.#path)}`)
  }

  #steps(): Step[] {
    return stepsOf(this.model, this.world)
  }

  #moving(who: string): number {
    return this.#steps().findIndex(
      (step) => step.progress && !step.name.startsWith('time') && (who === '' || step.who === who),
    )
  }

  #take(index: number, line: string): void {
    const step = this.#steps()[index]
    if (!step)
      throw new Error(
        `cannot: ${line}\n${diagram(this.model, this.#start, this.#path)}\npossible:\n${this.#steps()
          .map(({ who, name }) => `  ${who} ${name}`)
          .join('\n')}`,
      )
    const { world, fault, settled = [] } = step.take()
    this.#path.push(index)
    this.#none(fault)
    this.settled.push(...settled.map((one) => one.replace(/ \{.*/, '')))
    this.world = world
  }
}
