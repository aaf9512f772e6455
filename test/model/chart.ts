/** Changes of the media chart by its names: states, events, guards, targets, actions. */
import { createMachine } from 'xstate'
import type { mediaMachine } from '../../machines/media/media.machine.ts'
import { replace } from './replace.ts'
import type { Replacement } from './replace.ts'

type Machine = typeof mediaMachine

type Named = string | { readonly type: string; readonly params?: unknown }
type Guard = (args: { readonly event: { readonly type: string } }, params: unknown) => boolean
interface Row {
  readonly guard?: Named | Guard | undefined
  readonly target?: string | undefined
  readonly actions?: Named | readonly Named[]
}
type Rows = Row | readonly Row[]
type Transitions = Readonly<Record<string, Rows>>
interface StateConfig {
  readonly entry?: Named | readonly Named[]
  readonly on?: Transitions
  readonly after?: Transitions
  readonly always?: Rows
  readonly states?: Readonly<Record<string, StateConfig>>
}

/** Which rows of the chart; what is not named may be anything. The whole machine is the state ''. */
export interface Where {
  readonly state?: string
  /** Type of the event, or name of the delay; `always` for transitions without one. */
  readonly event?: string
  readonly guard?: string
  readonly target?: string
  readonly action?: string
}

type Change = (row: Row) => Row | null

const nameOf = (named: Named | Guard | undefined): string | undefined =>
  typeof named === 'object' ? named.type : typeof named === 'string' ? named : undefined

const listOf = <T>(one: T | readonly T[] | undefined): readonly T[] =>
  one === undefined ? [] : Array.isArray(one) ? (one as readonly T[]) : [one as T]

/** The rows are not there. */
export const without = (where: Where): readonly Replacement[] => change(where, () => null)

/** The rows are otherwise. */
export const otherwise = (where: Where, other: Row): readonly Replacement[] =>
  change(where, (row) => ({ ...row, ...other }))

/** The rows ask nothing. */
export const unasked = (where: Where): readonly Replacement[] => otherwise(where, { guard: undefined })

/** The rows do all but `action`. */
export const withoutAction = (where: Where, action: string): readonly Replacement[] =>
  change({ ...where, action }, (row) => ({
    ...row,
    actions: listOf(row.actions).filter((one) => nameOf(one) !== action),
  }))

/** The rows' guards fail where `deafTo` is the event: the state takes it in and stays. */
export const deaf = (where: Where, deafTo: string): readonly Replacement[] => [
  replace('machine', 'mediaMachine', (machine) => {
    const { guards } = machine.implementations as unknown as {
      readonly guards: Readonly<Record<string, (args: unknown, params: unknown) => boolean>>
    }
    return changed(machine, where, (row) => ({
      ...row,
      guard: (args: { readonly event: { readonly type: string } }, params: unknown) =>
        args.event.type !== deafTo && (guards[nameOf(row.guard) ?? '']?.(args, params) ?? true),
    }))
  }),
]

/** The state has a row of its own for the event. */
export const withRow = (state: string, event: string, row: Row): readonly Replacement[] => [
  replace('machine', 'mediaMachine', (machine) => {
    const add = (config: StateConfig, path: readonly string[]): StateConfig => {
      const [name, ...below] = path
      if (name === undefined) return { ...config, on: { ...config.on, [event]: row } }
      const inner = config.states?.[name]
      if (!inner) throw new Error(`the chart has no state ${state}`)
      return { ...config, states: { ...config.states, [name]: add(inner, below) } }
    }
    return machineOf(machine, add(machine.config as StateConfig, state.split('.')))
  }),
]

/** Guards, delays or actions of the machine are others. */
export const provided = (implementations: Parameters<Machine['provide']>[0]): readonly Replacement[] => [
  replace('machine', 'mediaMachine', (machine) => {
    for (const kind of ['guards', 'delays', 'actions'] as const)
      checkKnown(machine.implementations[kind], implementations[kind])
    return machine.provide(implementations)
  }),
]

function checkKnown(known: object, given: object = {}): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new Error(`the machine has no ${unknown}`)
}

const change = (where: Where, by: Change): readonly Replacement[] => [
  replace('machine', 'mediaMachine', (machine) => changed(machine, where, by)),
]

function changed(machine: Machine, where: Where, by: Change): Machine {
  const chart = new Chart(where, by)
  const config = chart.state(machine.config as StateConfig, '')
  if (chart.count === 0) throw new Error(`the chart has no row ${JSON.stringify(where)}`)
  return machineOf(machine, config)
}

const machineOf = (machine: Machine, config: StateConfig): Machine =>
  createMachine(config as never, machine.implementations as never) as unknown as Machine

class Chart {
  readonly #where: Where
  readonly #by: Change
  /** How many rows were changed. */
  count = 0

  constructor(where: Where, by: Change) {
    this.#where = where
    this.#by = by
  }

  state(config: StateConfig, path: string): StateConfig {
    const below = Object.entries(config.states ?? {}).map(([name, state]) => [
      name,
      this.state(state, path === '' ? name : `${path}.${name}`),
    ])
    return {
      ...config,
      ...(config.on && { on: this.#transitions(config.on, path) }),
      ...(config.after && { after: this.#transitions(config.after, path) }),
      ...(config.always && { always: this.#rows(config.always, path, 'always') }),
      ...(config.states && { states: Object.fromEntries(below) }),
    }
  }

  /** An event without rows is left to the states above. */
  #transitions(transitions: Transitions, path: string): Transitions {
    const changed = Object.entries(transitions).map(
      ([event, rows]) => [event, this.#rows(rows, path, event)] as const,
    )
    return Object.fromEntries(changed.filter(([, rows]) => rows.length > 0))
  }

  #rows(rows: Rows, state: string, event: string): readonly Row[] {
    return listOf(rows).flatMap((row) => {
      if (!this.#fits(row, state, event)) return [row]
      this.count++
      return this.#by(row) ?? []
    })
  }

  #fits({ guard, target, actions }: Row, state: string, event: string): boolean {
    const { action, ...names } = this.#where
    const is = { state, event, guard: nameOf(guard), target }
    return (
      Object.entries(names).every(([name, wanted]) => is[name as keyof typeof is] === wanted) &&
      (action === undefined || listOf(actions).some((one) => nameOf(one) === action))
    )
  }
}
