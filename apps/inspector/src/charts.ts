import * as exported from 'duolog/machines'
import config from '../../../stately.config.json' with { type: 'json' }
import { readableEvent } from './timeline.ts'

export interface ChartWay {
  readonly guard: string
  /** Paths; none: the state stays. */
  readonly targets: readonly string[]
}

export interface ChartState {
  /** `transiting.working`; empty for the machine. */
  readonly path: string
  readonly name: string
  readonly isFinal: boolean
  readonly children: readonly ChartState[]
  readonly transitions: readonly { readonly event: string; readonly ways: readonly ChartWay[] }[]
}

interface Candidate {
  readonly guard?: unknown
  readonly target?: readonly Node[] | undefined
}

/** A state of a machine, as far as it is drawn. */
interface Node {
  readonly key: string
  readonly type: string
  readonly path: readonly string[]
  readonly states: Readonly<Record<string, Node>>
  readonly always?: readonly Candidate[] | undefined
  readonly transitions: ReadonlyMap<string, readonly Candidate[]>
}

const pathOf = ({ path }: Node): string => path.join('.')

const guardName = (guard: unknown): string =>
  typeof guard === 'string' ? guard : ((guard as { readonly type?: string } | undefined)?.type ?? '')

const toState = (node: Node): ChartState => ({
  path: pathOf(node),
  name: node.key,
  isFinal: node.type === 'final',
  children: Object.values(node.states).map(toState),
  transitions: [...(node.always?.length ? [['always', node.always] as const] : []), ...node.transitions].map(
    ([event, candidates]) => ({
      event: readableEvent(event),
      ways: candidates.map(({ guard, target }) => ({
        guard: guardName(guard),
        targets: (target ?? []).map(pathOf),
      })),
    }),
  ),
})

const isMachine = (value: unknown): value is { readonly id: string; readonly root: Node } =>
  typeof value === 'object' && value !== null && 'root' in value && 'id' in value

const exports: Readonly<Record<string, unknown>> = exported

/** The chart of each listed machine of the SDK by its id, in the order of the list. */
export const CHARTS: ReadonlyMap<string, ChartState> = new Map(
  config.machines
    .map((machine) => exports[machine.export])
    .filter(isMachine)
    .map(({ id, root }) => [id, toState(root)]),
)

/** The state itself and those that it is in, the innermost first. */
export function ancestry(chart: ChartState, path: string): readonly ChartState[] {
  const child = chart.children.find((one) => path === one.path || path.startsWith(`${one.path}.`))
  return child ? [...ancestry(child, path), chart] : [chart]
}
