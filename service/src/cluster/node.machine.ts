/**
 * Life of a node: one process under one identity at a time. It beats while it is in touch with the store,
 * says which nodes are silent, and gives its identity up where it was declared dead or is cut off: its
 * connections end, and it enters anew. Two regions run side by side.
 *
 *   life   beating ─beat.taken, beat.missed─▶ resting ─2 s, not alone─▶ beating
 *          beating ─its row is dead or gone, isolated─▶ sendingAway ─▶ entering ─▶ beating
 *                                                                      entering ─failure─▶ waiting ─1 s─▶ entering
 *          leave, in any of them ─▶ leaving ─▶ gone
 *   work   up ─drain─▶ draining
 */
import { assign, emit, fromCallback, fromPromise, setup } from 'xstate'
import type { ActorRefFrom } from 'xstate'
import {
  CLUSTER_TIMES,
  NOTHING_OBSERVED,
  afterBeat,
  afterBreak,
  deadNodes,
  isIsolated,
} from './node-rules.ts'
import type { NodeRow, Observation } from './node-rules.ts'

interface NodeContext {
  /** The process has the store for itself: nobody watches its beats, and it beats once. */
  readonly isAlone: boolean
  /** The identity; between two of them, the former one. */
  readonly node: string
  readonly observation: Observation
  /** As the store had them at the last beat. */
  readonly rows: readonly NodeRow[]
}

/** What comes of asking the store for a beat. Times are of the node's own monotonic clock. */
export type BeatEvent =
  | { readonly type: 'beat.taken'; readonly rows: readonly NodeRow[]; readonly now: number }
  | {
      readonly type: 'beat.missed'
      readonly now: number
      /** A beat of another node was heard over the bus lately. */
      readonly hearsBeats: boolean
      readonly isBusUp: boolean
    }

export type NodeEvent = BeatEvent | { readonly type: 'drain' | 'leave' }

interface NodeInput {
  readonly node: string
  readonly isAlone: boolean
}

type NodeEmitted =
  /** The store has taken an own beat. `silent`: nodes to declare dead, with the beat that was seen. */
  | { readonly type: 'beaten'; readonly silent: readonly Pick<NodeRow, 'node' | 'beat'>[] }
  /** It takes no new work any more. */
  | { readonly type: 'draining' }

/** The observation after an event; null where the own row is dead or gone. */
function observed({ node, observation }: NodeContext, event: NodeEvent): Observation | null {
  if (event.type !== 'beat.taken') return afterBreak(observation)
  return afterBeat(observation, node, event)
}

export const nodeMachine = setup({
  types: {} as { context: NodeContext; events: NodeEvent; emitted: NodeEmitted; input: NodeInput },
  delays: {
    beat: CLUSTER_TIMES.beatMs,
    enterAgain: 1_000,
    /** Others find it dead after its lease where the store does not answer. */
    leave: 2_000,
  },
  actors: {
    beat: fromCallback<NodeEvent, { readonly node: string }>(() => {}),
    /** Ends all connections, without noting what is lost with them. */
    sendAway: fromPromise<void>(() => Promise.resolve()),
    /** Takes a new identity: the bus and a row under it. The former one is dead from then on. */
    enter: fromPromise<string, { readonly former: string }>(() => Promise.reject(new Error('not provided'))),
    /** Declares this node dead. */
    leave: fromPromise<void, { readonly node: string }>(() => Promise.resolve()),
  },
  guards: {
    isWatched: ({ context }) => !context.isAlone,
    isDead: ({ context, event }) => observed(context, event) === null,
    isIsolated: ({ context, event }) =>
      event.type === 'beat.missed' && isIsolated(context.observation, event.now, event),
  },
  actions: {
    note: assign({
      observation: ({ context, event }) => observed(context, event) ?? NOTHING_OBSERVED,
      rows: ({ context, event }) => (event.type === 'beat.taken' ? event.rows : context.rows),
    }),
    tellBeat: emit(({ context, event }) => ({
      type: 'beaten' as const,
      silent: event.type === 'beat.taken' ? deadNodes(context.observation, event.now) : [],
    })),
  },
}).createMachine({
  id: 'node',
  context: ({ input }) => ({ ...input, observation: NOTHING_OBSERVED, rows: [] }),
  type: 'parallel',
  states: {
    life: {
      initial: 'beating',
      states: {
        beating: {
          invoke: {
            id: 'beat',
            src: 'beat',
            input: ({ context: { node } }) => ({ node }),
            onError: 'resting',
          },
          on: {
            'beat.taken': [
              { target: 'sendingAway', guard: 'isDead' },
              { target: 'resting', actions: ['note', 'tellBeat'] },
            ],
            'beat.missed': [
              { target: 'sendingAway', guard: 'isIsolated' },
              { target: 'resting', actions: 'note' },
            ],
            leave: 'leaving',
          },
        },
        resting: { after: { beat: { target: 'beating', guard: 'isWatched' } }, on: { leave: 'leaving' } },
        sendingAway: {
          invoke: { id: 'sendAway', src: 'sendAway', onDone: 'entering', onError: 'entering' },
          on: { leave: 'leaving' },
        },
        entering: {
          invoke: {
            id: 'enter',
            src: 'enter',
            input: ({ context }) => ({ former: context.node }),
            onDone: {
              target: 'beating',
              actions: assign({ node: ({ event }) => event.output, observation: NOTHING_OBSERVED }),
            },
            onError: 'waiting',
          },
          on: { leave: 'leaving' },
        },
        waiting: { after: { enterAgain: 'entering' }, on: { leave: 'leaving' } },
        leaving: {
          invoke: {
            id: 'leave',
            src: 'leave',
            input: ({ context: { node } }) => ({ node }),
            onDone: 'gone',
            onError: 'gone',
          },
          after: { leave: 'gone' },
        },
        gone: { type: 'final' },
      },
    },
    work: {
      initial: 'up',
      states: {
        up: { on: { drain: 'draining' } },
        draining: { entry: emit({ type: 'draining' as const }) },
      },
    },
  },
})

export type NodeActor = ActorRefFrom<typeof nodeMachine>
